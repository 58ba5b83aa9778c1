"""Open Knowledge Format bundles are imported by the meaning of their fields; our own exports read back exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conftest import git, put_files
from support.each import each
from support.facts import make_fact

from gitmem.memory import Memory
from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.folder import ImportContext, list_files, read_folder
from gitmem.plugins.import_.names import Names
from gitmem.plugins.import_.okf import foreign_concept, read_concept
from gitmem.plugins.import_.run import Sources
from gitmem.plugins.import_.wiki import pages_of
from gitmem.recall.query import Query

PATHS = ("tables/orders.md", "tables/Customers.md", "tables/log.md", "metrics/revenue.md", "m.md")
PAGES = pages_of(Names().keys("bundle", PATHS), is_bundle=True)
ALL = Query(everything=True, limit=999)
AT = "2026-06-20T22:53:05Z"


@each(
    ("concept", "expected"),
    [
        ({"type": "BigQuery Table"}, {"kind": "bigquery_table", "type": "BigQuery Table"}),
        ({"type": "decision"}, {"kind": "decision", "type": None}),
        ({"type": ["Dashboard", "View"]}, {"kind": "dashboard", "type": ["Dashboard", "View"]}),
        ({"type": "m", "generated": {"by": "human:ana", "at": AT}},
         {"by": {"who": "ana"}, "created": AT, "generated": None}),
        ({"type": "m", "generated": {"by": "agent/2", "at": "2026-06-20"}},
         {"by": {"agent": "agent/2"}, "created": "2026-06-20T00:00:00Z",
          "generated": {"by": "agent/2", "at": "2026-06-20"}}),
        ({"type": "m", "timestamp": "2026-05-28T22:53:05+00:00"}, {"created": "2026-05-28T22:53:05Z"}),
        ({"type": "m", "verified": {"by": "human:bo", "at": AT}}, {"verified": [{"by": "human:bo", "at": AT}]}),
        ({"type": "m", "verified": [{"by": "process:gitmem", "at": AT}]},
         {"verified": [{"by": "process:gitmem", "at": AT}]}),
        ({"type": "m", "status": "draft"}, {"status": "draft", "confidence": 0.5}),
        ({"type": "m", "status": "stable"}, {"status": "stable", "confidence": None}),
        ({"type": "m", "sources": [{"id": "a", "resource": "https://a.org"}, {"resource": "/tables/orders.md"},
                                   {"resource": "all queries in X"}]},
         {"refs": ["https://a.org", "tables-orders", "tables-customers"]}),
        ({"type": "m", "runtime": "dbt", "parameters": [{"name": "year", "required": True}], "own": "x" * 2_000},
         {"runtime": "dbt", "parameters": [{"name": "year", "required": True}], "own": "x" * 2_000}),
    ],
)  # fmt: skip
def test_fields_of_a_concept_become_fields_of_a_memory(concept: dict[str, Any], expected: dict[str, Any]) -> None:
    body = "Joined with [customers](../tables/Customers.md); see [nothing](/none.md) and [web](https://b.org)."

    found = foreign_concept(concept, body, "metrics/revenue.md", "x", PAGES)

    assert {name: found.fields.get(name) for name in expected} == expected
    assert (found.key, found.body, found.text, found.left_out) == ("metrics-revenue", body, "", ())


def test_deprecated_concept_is_archived_and_an_unusable_field_named() -> None:
    concept = {"type": "m", "status": "deprecated", "description": "About it", "ttl": "soon", "retired": {"why": "x"}}

    found = foreign_concept(concept, "", "m.md", "x", PAGES)

    assert (found.archived, found.body, found.left_out) == (True, "About it", ("ttl",))
    assert "retired" not in found.fields


@each(
    ("text", "body"),
    [
        ("# Tables\n\n* [Orders](orders.md) - one row each\n- [Sub](sub/)\n", None),
        ('---\nokf_version: "0.2"\n---\n# Log\n## 2026-05-15\n* **Creation**: [Orders](/tables/orders.md)\n', None),
        ("# Log\n\n## 2026-05-15\n* **Update**: Added [Orders](/tables/orders.md).",
         "## 2026-05-15\n* **Update**: Added [Orders](/tables/orders.md)."),
    ],
)  # fmt: skip
def test_index_and_log_are_documents_only_with_more_than_links(text: str, body: str | None) -> None:
    found = read_concept(text, "tables/log.md", "x", PAGES)

    assert isinstance(found, Unreadable if body is None else ImportRecord)
    if isinstance(found, ImportRecord):
        assert (found.key, found.fields, found.body) == ("tables-log", {"kind": "doc", "title": "Log"}, body)


def test_folder_is_a_bundle_if_it_says_so_or_one_of_its_concepts_does(tmp_path: Path) -> None:
    made = {
        "said": {"index.md": '---\nokf_version: "0.2"\n---\n', "a.md": "---\ntype: Metric\n---\ntext"},
        "seen": {"index.md": "# All\n* [A](a.md)\n", "a.md": "---\ntype: Metric\nstale_after: 2026-01-01\n---\ntext"},
        "none": {"index.md": "# All\n* [A](a.md)\n", "a.md": "---\ntype: Metric\n---\ntext"},
    }
    is_index_skipped = {}
    for name, files in made.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)
        folder = str(tmp_path / name)
        found = {
            one.where: one
            for _, one in read_folder(folder, list_files(folder), ImportContext(Names(), "doc"), name="b")
        }
        is_index_skipped[name] = isinstance(found["b/index.md"], Unreadable)

    assert is_index_skipped == {"said": True, "seen": True, "none": False}


def copied(source: Path, to: Path) -> dict[str, str]:
    """Import a bundle into a new repository and return its memories: each path with its blob."""
    to.mkdir()
    git(to, "init", "-q", "-b", "main")
    with Memory(to) as memory:
        done = memory.bulk.import_files(Sources((str(source),)))
        assert not done.refused.total
        assert not done.unreadable.kept
        assert all(row.status != "verified" for row in memory.list(ALL).hits)
        again = memory.bulk.import_files(Sources((str(source),)))
        assert (len(again.settled.new), len(again.settled.updated)) == (0, 0)
    return blobs(to)


def blobs(folder: Path) -> dict[str, str]:
    rows = [line.split() for line in git(folder, "ls-tree", "-r", "memory").split("\n")]
    return {row[3]: row[2] for row in rows if "/" in row[3] and row[3].endswith(".md")}


def test_store_survives_export_and_import_as_a_bundle(memory: Memory, repo: Path, tmp_path: Path) -> None:
    put_files(
        repo,
        {
            **make_fact("holds", {"exists": "src/gateway/retry.py"}, ttl="30d", refs=["src/gateway/retry.py"]),
            **make_fact("fails", {"exists": "nowhere"}),
            "learned/odd.md": "---\ntitle: 'A'   # odd\r\nkind: gotcha\r\nown: {b: [1, 2.5, null]}\n---\n\n\nno end",
            "learned/index.md": "---\ntitle: Index\nkind: note\n---\n",
            "oddly/b.md": "\ufeff---\r\nkind: gotcha\r\ntitle: Größe\r\nverified: {by: human:bo}\r\n---\r\nbody\r\n",
            "archive/decisions/c.md": "---\nkind: decision\nretired: {why: gone}\nstatus: deprecated\n---\nC\n",
        },
    )
    memory.verify()
    bundle = tmp_path / "bundle"

    list(memory.bulk.export(ALL, folder=str(bundle), is_okf=True))

    holds, fails = ((bundle / f"facts/{key}.md").read_text() for key in ("holds", "fails"))
    assert "by: process:gitmem" in holds
    assert "verified:" not in fails
    assert "status: draft" in fails
    assert sorted(path.relative_to(bundle).as_posix() for path in bundle.rglob("*.md")) == [
        "archive/decisions/c.md", "archive/decisions/index.md", "facts/fails.md", "facts/holds.md", "facts/index.md",
        "index.md", "learned/index-memory.md", "learned/index.md", "learned/odd.md", "log.md", "oddly/b.md",
        "oddly/index.md",
    ]  # fmt: skip
    assert copied(bundle, tmp_path / "target") == blobs(repo)


def test_bundle_of_another_system_survives_import_and_export(memory: Memory, repo: Path, tmp_path: Path) -> None:
    bundle, out = tmp_path / "given", tmp_path / "out"
    (bundle / "metrics").mkdir(parents=True)
    fields = (
        "type: Attested Computation\ntitle: Revenue\ndescription: Of a year\nstatus: stable\nruntime: bigquery\n"
        "generated: {by: human:ana, at: 2026-06-20T22:53:05Z}\nverified: {by: human:bo, at: 2026-06-25T09:00:00Z}\n"
        "stale_after: 2026-09-23\nsources:\n  - id: policy\n    resource: https://wiki.example/policy\n"
    )
    (bundle / "metrics/revenue.md").write_text(f"---\n{fields}---\n# Computation\n\nSELECT 1[^policy]\n")

    memory.bulk.import_files(Sources((str(bundle),)))
    list(memory.bulk.export(ALL, folder=str(out), is_okf=True))

    written = next(path for path in out.rglob("metrics-revenue.md")).read_text()
    for line in (
        "type: Attested Computation", "description: Of a year", "status: stable", "runtime: bigquery",
        "generated: {by: human:ana, at: 2026-06-20T22:53:05Z}", "stale_after: 2026-09-23",
        "  - {by: human:bo, at: 2026-06-25T09:00:00Z}", "  - {id: policy, resource: https://wiki.example/policy}",
    ):  # fmt: skip
        assert f"{line}\n" in written.replace('"', "")
    assert "gitmem_frontmatter" not in written
    assert written.endswith("# Computation\n\nSELECT 1[^policy]\n")
