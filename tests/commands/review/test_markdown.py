"""The page for a comment: inert, bounded, most severe first; one rich change is compared in full."""

from __future__ import annotations

import re

from support.each import each
from support.golden import assert_golden, steady
from support.reviews import rich  # noqa: F401 - a fixture

from gitmem.commands.review.markdown import SIZE_LIMIT, fence_code, page
from gitmem.commands.review.model import NOTE, CheckCommand, MemoryChange, Review, ReviewFinding, WordRun, in_order
from gitmem.frozen import replace
from gitmem.text.hazards.instructions import ERROR, WARNING

EMPTY = Review("a" * 40, "b" * 40, ("a", "b"), "", 0, (), (), (), (0, 0, 0), (), (), ())


def test_a_rich_change_is_reported_as_before(rich: Review) -> None:  # noqa: F811
    assert_golden("review.md", steady(page(rich)))


def test_text_of_a_memory_is_inert_in_the_page(rich: Review) -> None:  # noqa: F811
    output = page(rich)

    outside = re.sub(r"(?ms)^(`{3,})\n.*?^\1$", "", output)
    assert not re.search(r"@bob|https://|(?<!\\)<img|(?<!\\)\]\(", outside)
    assert re.findall(r"</?(\w+)>", outside.replace("&lt;", "")) == re.findall(r"</?(br|ins|del)>", outside)


@each("text", ["a\n```\nb", "````", "`", "~~~\n", "```` `````` ``"])
def test_no_text_ends_its_code_block(text: str) -> None:
    fence = fence_code(text).split("\n")[0]

    assert set(fence) == {"`"}
    assert fence not in text


def test_page_fits_a_comment_and_omissions_are_counted() -> None:
    findings = tuple(
        ReviewFinding(ERROR, "secret", f"{n} " + "x" * 400, f"k{n}", f"gotchas/k{n}.md") for n in range(500)
    )
    command = CheckCommand("shell", "echo 1\n" * 200, "", (), "not approved", "never run")
    changes = tuple(
        MemoryChange(
            "added", f"k{n}", "fact", "T", f"facts/k{n}.md", body=(WordRun("+", "<&>" * 900),), command=command
        )
        for n in range(500)
    )

    output = page(replace(EMPTY, findings=findings, changes=changes))

    assert len(output.encode()) <= SIZE_LIMIT
    counts = [int(n) for n in re.findall(r"[Aa]nd (\d+) more", output)]
    assert len(counts) == 3
    assert output.count("| 🛑 error |") + counts[0] == 500
    assert output.index("### Findings") < output.index("### Commands") < output.index("### Added")


def test_the_gravest_come_first() -> None:
    given = (
        ReviewFinding(NOTE, "a", "1"),
        ReviewFinding(WARNING, "b", "2"),
        ReviewFinding(ERROR, "c", "3"),
        ReviewFinding(NOTE, "a", "1"),
    )

    assert [f.severity for f in in_order(given)] == [ERROR, WARNING, NOTE]


def test_an_empty_change_says_so() -> None:
    assert "no memory changed; no problems" in page(EMPTY)
