"""GitLab's code quality report, which a merge request shows beside its changes.

Source: GitLab Docs, "Code Quality", "Code Quality report format": description, check_name, fingerprint, severity,
location.path and location.lines.begin are required.
"""

from __future__ import annotations

import json

from gitmem.commands.report.sentences import list_spots, sentence
from gitmem.text import escape_json
from gitmem.text.sha256 import sha256
from gitmem.verify.overview.finding import ERROR, NOTE, WARNING, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.verify.overview.finding import FactFinding, Findings

SEVERITIES = {ERROR: "major", WARNING: "minor", NOTE: "info"}


def report(findings: Findings) -> str:
    """Return the report of one run; facts that hold are left out."""
    rows = [_row(finding) for finding in findings.findings if WORDS[finding.kind].level]
    return escape_json(json.dumps(rows, ensure_ascii=False, indent=2)) + "\n"


def _row(finding: FactFinding) -> dict[str, Any]:
    spot = list_spots(finding)[0]
    return {
        "description": sentence(finding),
        "check_name": f"gitmem/{finding.kind.replace('_', '-')}",
        "fingerprint": sha256(f"{finding.kind} {finding.key}".encode()).hexdigest(),
        "severity": SEVERITIES[WORDS[finding.kind].level],
        "location": {"path": spot.path, "lines": {"begin": max(spot.line, 1)}},
    }
