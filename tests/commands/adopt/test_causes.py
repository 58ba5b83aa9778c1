"""The order and the groups in which false statements are shown."""

from gitmem.commands.adopt.causes import group_by_cause
from gitmem.commands.adopt.claims.claim import PATH, VERSION, Claim
from gitmem.commands.adopt.documents import GUIDE, Document
from gitmem.commands.adopt.findings import FALSE, Culprit, JudgedClaim, Mention, Source
from gitmem.commands.adopt.statements import split

DOCUMENT = Document("README.md", GUIDE, "")
(STATEMENT,) = split("- text\n")


def false(name, *, culprit="", source="", fix="", stated=""):
    claim = Claim(VERSION if stated else PATH, 1, name, name, stated=stated)
    path, _, line = source.partition(":")
    return JudgedClaim(
        Mention(DOCUMENT, STATEMENT, claim),
        FALSE,
        Source(path, int(line or 0)) if source else None,
        culprit=Culprit(culprit) if culprit else None,
        fix=fix,
    )


def names(findings):
    return [[one.claim.name for one in group] for group in group_by_cause(findings)]


def test_best_proof_is_first():
    bare, at_value = false("bare"), false("value", source="go.mod:3", stated="1.24")
    blamed, corrected = false("blamed", culprit="a"), false("corrected", culprit="b", fix="x")

    assert names([bare, at_value, blamed, corrected]) == [["corrected"], ["blamed"], ["value"], ["bare"]]


def test_three_of_one_commit_or_one_line_are_a_group_with_the_best_proof_first():
    commit = [false("a", culprit="c"), false("b", culprit="c", fix="x"), false("c", culprit="c", source="go.mod:3")]
    line = [false(name, source="go.mod:3", stated="1") for name in "def"]

    assert names([*line, *commit]) == [["b", "a", "c"], ["d", "e", "f"]]


def test_two_of_one_cause_and_those_without_a_line_stay_single():
    two = [false("a", culprit="c"), false("b", culprit="c")]
    whole_file = [false(name, source="go.mod", stated="1") for name in "cde"]
    unknown = [false(name) for name in "fgh"]

    assert names([*two, *whole_file, *unknown]) == [[name] for name in "abcdefgh"]
