"""``import --chunk`` makes a memory of each section, with keys that stay the same."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from gitmem.memory import Memory
from gitmem.plugins.import_.chunks import cut_documents
from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.run import Sources
from gitmem.recall.query import Query

BODY = "Before all.\n\n## Install\n\nUse uv.\n\n```sh\n# no heading\n```\n\n## Run\n\nmake run\n\n## Run\n\nagain\n"


def record(body: str = BODY, **given: object) -> ImportRecord:
    return ImportRecord("g.md", "guide", {"kind": "doc", "title": "Guide"}, body, **given)  # type: ignore[arg-type]


def test_each_section_is_a_record_with_its_headings_in_key_and_title() -> None:
    found = [one for one in cut_documents([record()]) if isinstance(one, ImportRecord)]

    assert [(one.key, one.fields["title"], one.where) for one in found] == [
        ("guide", "Guide", "g.md:1"),
        ("guide-install", "Guide › Install", "g.md:3"),
        ("guide-run", "Guide › Run", "g.md:11"),
        ("guide-run.2", "Guide › Run", "g.md:15"),
    ]
    assert found[1].body == "Use uv.\n\n```sh\n# no heading\n```"


@pytest.mark.parametrize(("fence", "end"), [("```py", "```"), ("  ~~~", "  ~~~"), ("- ````sh", "````")])
def test_block_of_code_that_is_cut_is_closed_and_opened_again(fence: str, end: str) -> None:
    lines = [f"# step {number} of a long program" for number in range(2_000)]
    body = "\n".join(["## Program", "", fence, *lines, end, "", "## After", "", "Prose"])

    *code, after = [one.body for one in cut_documents([record(body)]) if isinstance(one, ImportRecord)]

    assert len(code) > 3
    assert all(part.strip().startswith(fence.strip()) and part.endswith(end) for part in code)
    assert [line for part in code for line in part.split("\n") if line.startswith("# ")] == lines
    assert after == "Prose"


def test_block_of_code_without_an_end_does_not_go_on_in_the_next_section() -> None:
    found = [
        one.body for one in cut_documents([record("## A\n\n- ```\n\n## B\n\nb\n")]) if isinstance(one, ImportRecord)
    ]

    assert "b" in found[-1].split("\n")
    assert all(not part.startswith("```") for part in found)


def test_sections_with_one_heading_are_numbered_in_linear_time() -> None:
    start = time.process_time()
    found = [one for one in cut_documents([record("## Run\n\nmake\n\n" * 20_000)]) if isinstance(one, ImportRecord)]

    assert (found[0].key, found[-1].key, len({one.key for one in found})) == ("guide-run", "guide-run.20000", 20_000)
    assert time.process_time() - start < 8


@pytest.mark.parametrize(
    "line", ["- {0} runs on port {0}\n", "  - nested {0}\n", "日本語 {0} を使う\n"], ids=["outline", "nested", "cjk"]
)
def test_text_without_blank_lines_is_cut_between_lines(line: str, memory: Memory, tmp_path: Path) -> None:
    lines = [line.format(number) for number in range(9_000)]
    (tmp_path / "page.md").write_text("".join(lines))

    done = memory.bulk.import_files(Sources((str(tmp_path / "page.md"),), chunk=True))
    bodies = [memory.show(key).body for key in done.settled.new]

    assert not done.unreadable.total
    assert sorted("\n".join(bodies).split()) == sorted("".join(lines).split())


@pytest.mark.parametrize("word", ["Part {0} ends here. ", "word{0} ", "{0:020}"], ids=["sentences", "words", "blob"])
def test_line_that_is_longer_than_a_memory_is_cut(word: str, memory: Memory, tmp_path: Path) -> None:
    line = "".join(word.format(number) for number in range(4_000)).strip()
    (tmp_path / "page.md").write_text(f"# Page\n\n{line}\n\n## Next\n\nEnd\n")

    done = memory.bulk.import_files(Sources((str(tmp_path / "page.md"),), chunk=True))
    bodies = [memory.show(key).body for key in done.settled.new if not key.endswith("next")]

    assert not done.unreadable.total
    assert len(bodies) >= 3
    assert sorted("".join("".join(bodies).split())) == sorted("".join(line.split()))


def test_long_texts_without_keys_are_kept_whole_whatever_their_titles(memory: Memory, tmp_path: Path) -> None:
    texts = [" ".join(f"{word} {number}." for number in range(9_000)) for word in ("alpha", "beta", "gamma", "delta")]
    tables = [{"title": title, "text": text} for title, text in zip(("Week", "Week", "", ""), texts, strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, tables)))
    sources = Sources((str(tmp_path / "a.jsonl"),))

    done = memory.bulk.import_files(sources)
    bodies = "\n".join(memory.show(key).body for key in done.settled.new)

    assert sorted(bodies.split()) == sorted(" ".join(texts).split())
    assert not memory.bulk.import_files(sources).settled.new


def test_what_has_no_sections_or_is_gitmems_own_stays_whole() -> None:
    whole = [
        record("No heading."),
        record(text="---\ntitle: A\n---\n# B\n"),
        record(archived=True),
        Unreadable("x", "y"),
    ]

    assert list(cut_documents(whole)) == whole


def test_second_import_of_the_same_document_adds_nothing(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("# Guide\n\n" + BODY)
    asked = Sources((str(tmp_path / "guide.md"),), chunk=True)

    first, second = memory.bulk.import_files(asked), memory.bulk.import_files(asked)

    assert (len(first.settled.new), len(second.settled.new), second.settled.unchanged) == (4, 0, 4)
    assert {hit.kind for hit in memory.list(Query(limit=9)).hits} == {"doc"}
