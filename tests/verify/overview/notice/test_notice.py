"""A notice: the verdict first, causes once, ways out to copy, the rest folded; and nothing in it that lives."""

from __future__ import annotations

import re

from support.each import each
from support.findings import HOSTILE, SECRET, make_findings
from support.github_markdown import rendered

from gitmem.frozen import replace
from gitmem.verify.overview.finding import (
    BROKEN,
    FAILED,
    MENDED,
    SILENCED,
    STILL,
    SUSPECT,
    UNCHECKED,
    FactFinding,
    FindingRow,
    Findings,
    FindingSection,
    Spot,
    StatedLine,
)
from gitmem.verify.overview.notice.notice import WAITING, headline_of, render
from gitmem.verify.overview.notice.permalinks import Links

HEAD, BASE, MEMORY = "a" * 40, "b" * 40, "c" * 40
SITE = "https://github.example/acme/shop"
LINKS = Links(SITE, HEAD, MEMORY)


def made(*findings: FactFinding, command: str = "check", **more: object) -> Findings:
    return replace(Findings(command, "S", findings, HEAD, BASE, 0), **more)


def fact(key: str, kind: str = BROKEN, because: str = "", **more: object) -> FactFinding:
    return replace(FactFinding(key, f"Title of {key}", kind, because, path=f"facts/{key}.md"), **more)


def section(level: str) -> FindingSection:
    return FindingSection("Edits what checks run", level, (FindingRow("the target ports", path="Makefile", line=3),))


@each(
    ("found", "headline", "is_news"),
    [
        (made(fact("a"), fact("b")), "❌ This change makes 2 facts false", True),
        (made(fact("a"), fact("b", SILENCED)), "❌ This change makes 1 fact false and silences 1 fact", True),
        (made(untouched=(("a", "hides it"),)), "⚠️ This change silences 1 fact", True),
        (made(sections=(section("error"),)), "❌ Edits what checks run", True),
        (made(sections=(section("warning"),)), "⚠️ Edits what checks run", True),
        (made(sections=(section("note"),)), "✅ This change makes no fact false", True),
        (made(fact("a", UNCHECKED, "timed out")), "⚠️ 1 fact could not be checked", True),
        (made(fact("a", UNCHECKED, WAITING)), "✅ This change makes no fact false", True),
        (made(fact("a", MENDED)), "✅ This change makes no fact false and 1 true again", True),
        (made(fact("a", STILL)), "✅ This change makes no fact false", False),
        (made(fact("a", FAILED), command="verify"), "❌ 1 fact does not hold", True),
        (made(command="verify"), "✅ No fact fails", False),
    ],
)
def test_headline_is_the_verdict(found: Findings, headline: str, is_news: bool) -> None:
    assert render(found, LINKS, 60_000).split("\n")[0] == f"### {headline}"
    assert headline_of(found).is_news is is_news


def test_one_cause_is_reported_once_with_its_facts_and_what_rests_on_them() -> None:
    facts = [fact(f"f{n}", because=f"no file matching src/m{n}.py contains requests") for n in range(9)]
    rests = fact("s", SUSPECT, chain=("f0",), is_new=True)

    text = render(made(*facts, rests), LINKS, 60_000)

    assert "- **9 facts become false — no file matching … contains requests**\n" in text
    assert text.count("  - **Title of f") == 3
    assert "  - … and 6 more: " + ", ".join(f"Title of f{n} (f{n})" for n in range(3, 9)) + "\n" in text
    assert "  - 1 memory rests on them: Title of s (s)\n" in text
    assert "Suspect (" not in text


def test_places_are_permanent_links_and_a_known_correction_is_a_difference() -> None:
    stated = StatedLine(Spot("README.md", 7), "port 80", "a.toml:4", "port 90", is_in_diff=True)
    found = made(
        fact("port", places=(Spot("a.toml", 4),), stated=(stated,), culprit="d" * 40), fact("b", stated=(stated,))
    )

    text = render(found, LINKS, 60_000)

    assert text.count("+port 90\n") == 1
    assert f"**Title of port** ([port]({SITE}/blob/{MEMORY}/facts/port.md))" in text
    assert f"[a.toml:4]({SITE}/blob/{HEAD}/a.toml#L4)" in text
    assert f"broken by [`{'d' * 12}`]({SITE}/commit/{'d' * 40})" in text
    assert f"[README.md:7]({SITE}/blob/{HEAD}/README.md#L7) should say (a.toml:4 contradicts it):" in text
    assert "+port 90\n```" in text


def test_ways_out_are_commands_to_copy_for_keys_alone() -> None:
    text = render(made(fact("port"), fact("evil; rm -rf /"), fact("other")), LINKS, 60_000)

    commands = [line for line in text.split("\n") if line.startswith("gitmem ")]
    assert [line.split(" --")[0] for line in commands] == [
        "gitmem check port", "gitmem settle port", "gitmem settle port",
        "gitmem check other", "gitmem settle other", "gitmem settle other",
    ]  # fmt: skip


def test_what_a_person_need_not_act_on_is_folded() -> None:
    text = render(
        made(fact("a"), fact("b", STILL), fact("c", UNCHECKED, WAITING), sections=(section("note"),)), LINKS, 60_000
    )

    assert "<details><summary>False before and after (1)</summary>\n\n- **Title of b** ([b]" in text
    assert "<details><summary>Edits what checks run (1)</summary>" in text
    assert "1 fact waits for approval of its command and was not checked." in text
    assert text.count("<details>") == text.count("</details>") == 2


def test_first_section_comes_before_the_findings_and_shows_its_code_exactly() -> None:
    row = FindingRow("runs ```", "key", "Makefile", 3, "```\n@true")
    found = made(fact("a"), sections=(FindingSection("Edits", "error", (row,), is_first=True),))

    text = render(found, LINKS, 60_000)

    assert text.index("#### Edits (1)") < text.index("#### Becomes false")
    assert "  ````\n  ```\n  @true\n  ````" in text


def test_text_of_strangers_is_inert_and_without_secrets() -> None:
    stated = StatedLine(Spot(HOSTILE, 1), HOSTILE, HOSTILE, HOSTILE)
    row = FindingRow(HOSTILE, HOSTILE, HOSTILE, 3, HOSTILE)
    hostile = f"{HOSTILE} {SECRET}"
    found = replace(
        make_findings(fact(HOSTILE, stated=(stated,), path=HOSTILE), texts=hostile),
        notes=(hostile,),
        untouched=((hostile, hostile),),
        sections=(FindingSection(HOSTILE, "note", (row,)), FindingSection(HOSTILE, "error", (row,), is_first=True)),
    )

    text = render(found, LINKS, 60_000)

    root = rendered(text)
    assert SECRET not in text
    assert {one.get("href").split("/blob/")[0].split("/commit/")[0] for one in root.iter("a")} == {SITE}
    assert not list(root.iter("img", "script", "t"))
    for code in root.iter("code"):
        code.text = ""  # in which a forge looks for nothing
    assert "@ana" not in root.text_content()
    assert text.count("<details>") == text.count("</details>")
    assert "\x1b" not in text and "\u202e" not in text


def test_notice_fits_and_counts_what_does_not() -> None:
    facts = [fact(f"k{n}", because="w" * n) for n in range(400)]

    text = render(made(*facts), LINKS, 20_000)

    assert len(text.encode()) <= 20_000
    assert re.search(r"\d+ more lines did not fit: `gitmem check --each`", text)
    assert text.count("**Title of k") > 10
