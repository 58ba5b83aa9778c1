"""Full-text engines with their usual settings and the interface of a retriever: the baselines for `recall`.

Both use the library's defaults and two fields: a memory's title, and the rest of its searchable text. The words of a
question are joined by OR.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

_WORD = re.compile(r"\w+")


class Fts5Porter:
    """SQLite FTS5 with its porter tokenizer and bm25()."""

    def index(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """Take the memories in."""
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE m USING fts5(id UNINDEXED, title, text, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO m VALUES (:id, :title, :text)", docs)

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the best memories."""
        words = dict.fromkeys(word.lower() for word in _WORD.findall(query))
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        found = self._db.execute("SELECT id FROM m WHERE m MATCH ? ORDER BY bm25(m) LIMIT ?", (match, k))
        return [row[0] for row in found]

    def close(self) -> None:
        """Let go of the index."""
        self._db.close()


class WhooshStem:
    """Whoosh with its StemmingAnalyzer and BM25F."""

    def index(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """Take the memories in."""
        from whoosh import analysis, fields, index  # 100 ms

        words = fields.TEXT(analyzer=analysis.StemmingAnalyzer())
        self._folder = tempfile.TemporaryDirectory(prefix="gitmem-whoosh-")
        self._index = index.create_in(
            self._folder.name, fields.Schema(id=fields.ID(stored=True), title=words, text=words)
        )
        writer = self._index.writer()
        for doc in docs:
            writer.add_document(id=doc["id"], title=doc["title"], text=doc["text"])
        writer.commit()
        self._searcher = self._index.searcher()

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the best memories."""
        from whoosh import qparser

        parser = qparser.MultifieldParser(["title", "text"], self._index.schema, group=qparser.OrGroup)
        words = " ".join(word for word in _WORD.findall(query) if word not in ("AND", "OR", "NOT"))
        return [hit["id"] for hit in self._searcher.search(parser.parse(words), limit=k)]

    def close(self) -> None:
        """Let go of the index."""
        self._searcher.close()
        self._folder.cleanup()
