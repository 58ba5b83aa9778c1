"""Each kind of finding has its words."""

from __future__ import annotations

from support.findings import make_findings

from gitmem.commands.report.sentences import place_sentence, sentence
from gitmem.verify.overview.finding import FAILED, FactFinding, Spot, StatedLine


def test_every_kind_has_words_and_the_grave_ones_name_the_way_on():
    values = {f.kind: sentence(f) for f in make_findings(texts="T").findings}

    assert values["newly_false"] == (
        "“T” becomes false: T. Written by T. To decide what to do: gitmem settle newly-false-0"
    )
    assert "broken by cccccccccccc" in values["still_false"]
    assert values["holds"] == "“T” holds: T."


def test_range_of_suspects_accuses_none_of_them():
    finding = FactFinding("k", "T", FAILED, culprit="c" * 40, culprit_after="a" * 40)

    assert "It was broken after aaaaaaaaaaaa, by cccccccccccc at the latest." in sentence(finding)


def test_line_that_ends_with_a_full_stop_gets_no_second_one():
    line = StatedLine(Spot("AGENTS.md", 3), "- It is 1.", "a.py:2", "- It is 2.")

    said = sentence(FactFinding("k", "T", FAILED, because="a.py:2 says 2.", stated=(line,)))

    assert place_sentence(line) == "AGENTS.md:3 states it, which a.py:2 contradicts; it should say: It is 2."
    assert said.startswith("“T” does not hold: a.py:2 says 2. AGENTS.md:3 states it")
