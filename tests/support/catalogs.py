"""What the tests of the catalog share: catalogs made of texts alone, and all that one says, without row numbers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from conftest import git

from gitmem.document.parse import parse
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.index import fts_update
from gitmem.index.catalog import Catalog, schema, update
from gitmem.index.catalog.inserts import Inserts, StoredMemory
from gitmem.index.refresh import CatalogSource, rebuild
from gitmem.policy import Policy
from gitmem.store import layout

BLOB = "b" * 40


def catalog_of(files: dict[str, str], policy: Policy | None = None) -> Catalog:
    """Return a catalog in memory of these texts by path, without any git."""

    def fill(catalog: Catalog) -> None:
        inserts = Inserts(catalog)
        texts = []
        for path, text in files.items():
            stored = StoredMemory(parse(text, path=path), BLOB, layout.place_of(path).archived)
            texts.append(inserts.add_memory(stored, policy or Policy.from_dict({})))
        inserts.flush()
        language = (policy or Policy.from_dict({})).recall.language
        fts_update.apply(catalog.connection, texts, [], language=language)
        catalog.set_meta("language", language)
        update.settle_keys(catalog, None)

    return schema.in_memory(fill)


def said_by(catalog: Catalog) -> dict[str, object]:
    """Return every row of a catalog, paths in place of row numbers, but for the states of grounds (local, derived)."""
    paths = dict(catalog.rows("SELECT id, path FROM memory"))
    keyed = {
        "memory": "SELECT * FROM memory",
        "text": "SELECT * FROM text",
        "tag": "SELECT id, tag FROM tag",
        "link": "SELECT * FROM link",
        "fact": "SELECT * FROM fact",
        "task": "SELECT * FROM task",
    }
    said: dict[str, object] = {
        table: sorted((paths[row[0]], *row[1:]) for row in catalog.rows(sql)) for table, sql in keyed.items()
    }
    said["verdict"] = sorted(catalog.rows("SELECT * FROM verdict"))
    said["problem"] = sorted(catalog.rows("SELECT * FROM problem"))
    said["meta"] = sorted(catalog.rows("SELECT * FROM meta"))
    said["term"] = sorted(catalog.rows("SELECT * FROM term"))
    said["total"] = catalog.rows("SELECT * FROM total")
    found = {}
    for (term,) in catalog.rows("SELECT term FROM term"):
        rows = catalog.rows("SELECT rowid FROM fts WHERE fts MATCH ?", (f'"{term}"',))
        found[term] = sorted(paths[row[0]] for row in rows)
    said["found"] = found
    return said


def tables_of(catalog: Catalog) -> set[str]:
    """Return the names of a catalog's tables, without the ones that FTS5 keeps for itself."""
    rows = catalog.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'fts%'")
    return {row[0] for row in rows}


def said_anew(repo: Path, commit: str) -> dict[str, object]:
    """Return what a catalog of a commit says that is made from nothing; the repository's own is not touched."""
    bare = repo / ".git/anew.git"
    if not bare.exists():
        git(repo, "init", "-q", "--bare", str(bare))
        (bare / "objects/info/alternates").write_text(f"{repo}/.git/objects\n")
    with closing(rebuild(CatalogSource(Git(discover(bare)), commit))) as fresh:
        return said_by(fresh)
