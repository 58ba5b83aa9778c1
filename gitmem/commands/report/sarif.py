"""SARIF 2.1.0, which code scanning reads.

Source: OASIS SARIF 2.1.0, errata 01; GitHub Docs, "SARIF support for code scanning" for what it needs besides: a
location of each result, and fingerprints.
"""

from __future__ import annotations

import json
from hashlib import sha256
from urllib.parse import quote

from gitmem import __version__
from gitmem.commands.report.sentences import list_spots, sentence
from gitmem.text import escape_json
from gitmem.verify.overview.finding import KINDS, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.verify.overview.finding import FactFinding, Findings, Spot

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULES = tuple(kind for kind in KINDS if WORDS[kind].level)


def log(findings: Findings) -> str:
    """Return the log of one run; facts that hold are not results."""
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "gitmem", "version": __version__, "rules": [_rule(kind) for kind in RULES]}},
        "automationDetails": {"id": f"gitmem/{findings.command}/"},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in findings.findings if finding.kind in RULES],
        "properties": {
            "head": findings.head,
            "base": findings.base,
            "summary": findings.summary,
            "notes": list(findings.notes),
        },
    }
    text = json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)
    return escape_json(text) + "\n"


def _rule(kind: str) -> dict[str, Any]:
    words = WORDS[kind]
    return {
        "id": f"gitmem/{kind.replace('_', '-')}",
        "shortDescription": {"text": words.heading},
        "fullDescription": {"text": words.meaning},
        "help": {"text": f"{words.meaning} To decide what to do: gitmem settle KEY"},
        "defaultConfiguration": {"level": words.level},
    }


def _result(finding: FactFinding) -> dict[str, Any]:
    spots = list_spots(finding)
    return {
        "ruleId": f"gitmem/{finding.kind.replace('_', '-')}",
        "ruleIndex": RULES.index(finding.kind),
        "level": WORDS[finding.kind].level,
        "message": {"text": sentence(finding)},
        "locations": [_location(spots[0])],
        "relatedLocations": [_location(spot) for spot in spots[1:]],
        "partialFingerprints": {"gitmemFact/v1": sha256(f"{finding.kind} {finding.key}".encode()).hexdigest()},
        "properties": {"key": finding.key, "chain": list(finding.chain), "by": finding.by},
    }


def _location(spot: Spot) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(spot.path), "uriBaseId": "%SRCROOT%"}}
    return {"physicalLocation": place | ({"region": {"startLine": spot.line}} if spot.line else {})}
