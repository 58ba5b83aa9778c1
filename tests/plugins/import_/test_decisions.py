"""Decision records keep their status: drafts, rejected and superseded ones are imported, and not served as current."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.branch import keys_found

from gitmem.memory import Memory
from gitmem.plugins.import_.run import ImportResult, Sources
from gitmem.recall.query import Query

ADR_TOOLS = {
    "docs/adr/0001-a.md": "# 1. Walrus queue\n\nDate: 2024-05-02\n\n## Status\n\n"
    "Superceded by [2. Walrus stream](0002-b.md)\n\n## Decision\n\nWe use a walrus queue.\n",
    "docs/adr/0002-b.md": "# 2. Walrus stream\n\nDate: 2024-06-03\n\n## Status\n\nAccepted\n\n"
    "Supercedes [1. Walrus queue](0001-a.md)\n\n## Decision\n\nWe use a walrus stream.\n",
    "docs/adr/README.md": "# Decisions about the walrus\n\nOne file each.\n",
    "docs/adr/template.md": "# Title\n\n## Status\n\nProposed\n",
}
MADR = {
    "docs/decisions/0001-a.md": "---\n# These are optional metadata elements.\nstatus: superseded by ADR-0002\n"
    "date: 2024-05-02\n---\n\n# Walrus queue\n\nChosen option: queue.\n",
    "docs/decisions/0002-b.md": "---\nstatus: accepted\ndate: 2024-06-03\n---\n\n# Walrus stream\n\nChosen: stream.\n",
}
LOG4BRAINS = {
    "docs/adr/20240502-a.md": "# Walrus queue\n\n- Status: superseded by [20240603-b](20240603-b.md)\n"
    "- Date: 2024-05-02\n\nWe use a queue.\n",
    "docs/adr/20240603-b.md": "# Walrus stream\n\n- Status: accepted\n- Date: 2024-06-03\n\nWe use a stream.\n",
}


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def run(memory: Memory, *names: Path, **asked: object) -> ImportResult:
    return memory.bulk.import_files(Sources(tuple(map(str, names)), **asked))  # type: ignore[arg-type]


def frontmatter(memory: Memory, key: str) -> dict[str, object]:
    found: dict[str, object] = memory.show(key).document["frontmatter"]
    return found


@pytest.mark.parametrize("files", [ADR_TOOLS, MADR, LOG4BRAINS], ids=["adr-tools", "MADR", "log4brains"])
def test_superseded_record_gives_way_to_the_one_that_it_names(
    memory: Memory, tmp_path: Path, files: dict[str, str]
) -> None:
    put(tmp_path, files)
    first, second = (Path(path).stem for path in list(files)[:2])

    run(memory, (tmp_path / next(iter(files))).parent)

    old, new = frontmatter(memory, first), frontmatter(memory, second)
    assert (old["kind"], old["status"], old["superseded_by"]) == ("decision", "superseded", second)
    assert (new["status"], new["supersedes"], new["created"]) == ("accepted", [first], "2024-06-03T00:00:00Z")
    assert first not in keys_found(memory, "walrus")
    assert second in keys_found(memory, "walrus")
    assert not memory.doctor().problems


def test_template_is_skipped(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, {**ADR_TOOLS, "docs/adr/adr-template.md": "# {short title}\n\n* Status: {proposed | accepted}\n"})

    done = run(memory, tmp_path / "docs/adr", kind="decision")

    assert sorted(Path(where).name for where, _ in done.settled.skipped.kept) == ["adr-template.md", "template.md"]
    assert sorted(done.settled.new) == ["0001-a", "0002-b", "readme"]


@pytest.mark.parametrize(
    ("stated", "word"),
    [
        ("## Status\n\nProposed", "proposed"),
        ("* Status: 📝 Draft", "draft"),
        ("## Status\n\nNot accepted", "not accepted"),
        ("| Field | Value |\n|---|---|\n| **Status** | ❌ **Rejected** |", "rejected"),
        ("Status: Deprecated", "deprecated"),
        ("## Status\n\n**Superseded** by 0099", "superseded"),
    ],
)
def test_record_that_is_not_in_force_is_found_only_on_demand(
    memory: Memory, tmp_path: Path, run_cli, stated: str, word: str
) -> None:
    put(tmp_path, {"notes/0001-a.md": f"# Walrus queue\n\n{stated}\n\nWe would use a queue.\n"})

    run(memory, tmp_path / "notes", kind="decision")

    assert frontmatter(memory, "0001-a")["status"] == word
    assert keys_found(memory, "walrus") == []
    assert [hit.key for hit in memory.recall(Query("walrus", everything=True)).hits] == ["0001-a"]
    assert "Walrus" not in run_cli("context").out


@pytest.mark.parametrize(
    "head", ["---\nstatus: {}\ndate: 2024-05-02\n---\n# A\n", "# A\n\nDate: 2024-05-02\nStatus: {}\n"]
)
def test_proposal_that_was_accepted_since_becomes_current(memory: Memory, tmp_path: Path, head: str) -> None:
    put(tmp_path, {"adr/0001-a.md": head.format("proposed") + "\nWalrus queue.\n"})
    run(memory, tmp_path / "adr")
    put(tmp_path, {"adr/0001-a.md": head.format("accepted") + "\nWalrus queue.\n"})

    run(memory, tmp_path / "adr")
    again = run(memory, tmp_path / "adr")

    assert keys_found(memory, "walrus") == ["0001-a"]
    assert (again.settled.unchanged, frontmatter(memory, "0001-a").get("retired")) == (1, None)


def test_record_that_was_superseded_since_is_no_longer_current(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, {**MADR, "docs/decisions/0001-a.md": MADR["docs/decisions/0002-b.md"].replace("stream", "queue")})
    run(memory, tmp_path / "docs")
    put(
        tmp_path,
        {
            "docs/decisions/0001-a.md": MADR["docs/decisions/0002-b.md"]
            .replace("stream", "queue")
            .replace("accepted", "superseded by ADR-2")
        },
    )

    run(memory, tmp_path / "docs")

    assert [key for key in keys_found(memory, "walrus") if key.endswith("0001-a")] == []


def test_record_that_was_rejected_since_is_named_with_what_to_do(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, {"adr/0001-a.md": "# A\n\nStatus: Accepted\n\nWalrus queue.\n"})
    run(memory, tmp_path / "adr")
    put(tmp_path, {"adr/0001-a.md": "# A\n\nStatus: Rejected\n\nWalrus queue.\n"})

    ((_, reason),) = run(memory, tmp_path / "adr").settled.skipped.kept

    assert reason.endswith("gitmem forget 0001-a")


def test_single_files_are_resolved_among_each_other(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, ADR_TOOLS)

    run(memory, tmp_path / "docs/adr/0001-a.md", tmp_path / "docs/adr/0002-b.md")

    assert frontmatter(memory, "0001-a")["superseded_by"] == "0002-b"


def test_status_of_other_documents_is_left_alone(memory: Memory, tmp_path: Path) -> None:
    put(tmp_path, {"notes/a.md": "# Walrus queue\n\nStatus: draft\n", "adr/README.md": "# Walrus\n\nStatus: draft\n"})

    run(memory, tmp_path)

    assert sorted(keys_found(memory, "walrus")) == ["adr-readme", "notes-a"]
    assert {frontmatter(memory, key)["kind"] for key in ("adr-readme", "notes-a")} == {"doc"}
