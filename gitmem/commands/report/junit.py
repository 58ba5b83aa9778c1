"""JUnit XML, which every CI shows: one test case per fact.

Source: the schema of Jenkins' xUnit plugin, junit-10.xsd.
"""

from __future__ import annotations

from gitmem.commands.report.sentences import sentence
from gitmem.document.times import format_time
from gitmem.verify.overview.finding import SILENCED, WORDS, WRONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from gitmem.verify.overview.finding import FactFinding, Findings

# Findings besides the result of a fact's check.
BESIDES = {WRONG: "verdict", SILENCED: "silenced"}


def suites(findings: Findings) -> str:
    """Return the document of one run, even if it checked nothing."""
    from xml.etree import ElementTree as Xml  # 4 ms (measured), and `check` never needs it without this format

    counts = {name: sum(WORDS[f.kind].case == name for f in findings.findings) for name in ("failure", "error")}
    shared = {
        "name": f"gitmem {findings.command}",
        "tests": str(len(findings.findings)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "time": _time(sum(f.seconds for f in findings.findings)),
    }
    root = Xml.Element("testsuites", shared)
    skipped = sum(WORDS[f.kind].case == "skipped" for f in findings.findings)
    suite = Xml.SubElement(
        root, "testsuite", shared | {"skipped": str(skipped), "timestamp": format_time(findings.at).removesuffix("Z")}
    )
    properties = Xml.SubElement(suite, "properties")
    for name, value in (("head", findings.head), ("base", findings.base), ("summary", findings.summary)):
        Xml.SubElement(properties, "property", {"name": name, "value": value})
    for finding in findings.findings:
        _add_case(suite, findings.command, finding)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _add_case(suite: Element, command: str, finding: FactFinding) -> None:
    from xml.etree.ElementTree import SubElement

    # A name of its own: readers drop the second of two cases with the same name.
    name = f"{finding.key} ({BESIDES[finding.kind]})" if finding.kind in BESIDES else finding.key
    names = {"classname": f"gitmem.{command}", "name": name, "time": _time(finding.seconds)}
    case = SubElement(suite, "testcase", names)
    element = WORDS[finding.kind].case
    if element:
        values = {"type": finding.kind, "message": finding.because or WORDS[finding.kind].phrase}
        spots = (*(line.spot for line in finding.stated), *finding.places)
        places = [f"{spot.path}:{spot.line}" if spot.line else spot.path for spot in spots]
        SubElement(case, element, values).text = "\n".join([sentence(finding), *places])


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"
