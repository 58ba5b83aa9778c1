"""JUnit XML: valid by the schema of Jenkins' xUnit plugin (junit-10.xsd beside this file, MIT licence)."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree
from support.findings import HOSTILE, make_findings

from gitmem.commands.report import render
from gitmem.verify.overview.finding import Findings


@pytest.fixture(scope="module")
def schema():
    return etree.XMLSchema(etree.parse(Path(__file__).with_name("junit-10.xsd")))


@pytest.mark.parametrize(
    "found",
    [make_findings(number=2), make_findings(texts=HOSTILE), Findings("check", "nothing", (), "a" * 40, "a" * 40, 0)],
    ids=["every kind", "hostile texts", "nothing"],
)
def test_document_is_valid_by_the_public_schema(schema, found):
    document = etree.fromstring(render("junit", found).encode())

    schema.assertValid(document)


def test_schema_refuses_an_invalid_report(schema):
    assert not schema.validate(etree.fromstring("<testsuites><testsuite/></testsuites>"))


def test_every_fact_is_a_case_and_counts_are_those_of_the_cases():
    (suite,) = etree.fromstring(render("junit", make_findings()).encode())

    cases = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert cases == {
        "newly-false-0": ["failure"], "failed-0": ["failure"], "wrong-verdict-0 (verdict)": ["failure"],
        "silenced-0 (silenced)": ["failure"], "suspect-0": ["failure"], "unchecked-0": ["error"],
        "outdated-0": ["skipped"], "still-false-0": ["skipped"], "outside-0": ["skipped"], "unsteady-0": ["skipped"],
        "newly-true-0": [], "retired-0": [], "holds-0": [],
    }  # fmt: skip
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")}
    assert counts == {"tests": "13", "failures": "5", "errors": "1", "skipped": "4", "time": "16.250"}
