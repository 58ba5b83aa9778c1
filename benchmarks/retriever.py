"""gitmem as a retriever of the recall benchmark: documents become memories of a real store, questions `recall`.

Speaks the benchmark's protocol, a JSON object a line on standard input and one reply a line: ``index`` commits the
documents to the memory branch of a repository of its own through ``import``, ``search`` asks ``Memory.recall`` as the
command does. A document's date is the memory's, its tags are the memory's, and so are its kind and its paths where it
names them; else what belongs to a session is a discussion, and everything else a chunk of a document. The clock stands
still, so that ages do not change what is found. Where ``GITMEM_EMBED`` names an embedding provider, ``gitmem embed
rebuild`` embeds the memories, and they are recalled by words and meaning.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gitmem.memory import Memory
from gitmem.plugins.import_.run import Sources
from gitmem.recall.query import Query
from gitmem.text.slugs import slug

SESSION = "session-"
# After the youngest document of any task.
NOW_S = 1_795_305_600.0  # 2026-11-22T00:00:00Z


class Retriever:
    """A store in a folder of its own. A folder that has the same documents already is used again, with its vectors."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ids: dict[str, str] = {}
        self._memory: Memory | None = None

    def index(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """Commit the documents as memories.

        Raises:
            SystemExit: A document did not become a memory.
        """
        docs = [doc for doc in docs if doc["title"].strip() or doc["text"].strip()]  # a memory without words is none
        self._ids = {slug(doc["id"]): doc["id"] for doc in docs}
        repo, listed = self._folder / "repo", self._folder / "docs.jsonl"
        lines = "".join(json.dumps(_record(doc)) + "\n" for doc in docs)
        if not listed.exists() or listed.read_text(encoding="utf-8") != lines:
            self._make(repo, lines, len(docs))
            listed.write_text(lines, encoding="utf-8")
        if os.environ.get("GITMEM_EMBED", "off") not in ("", "off"):
            embed = [sys.executable, "-m", "gitmem", "embed", "rebuild"]
            subprocess.run(embed, cwd=repo, check=True, stdout=sys.stderr)  # standard output is the protocol's
        self._memory = Memory(repo, clock=lambda: NOW_S)

    def _make(self, repo: Path, lines: str, count: int) -> None:
        shutil.rmtree(repo, ignore_errors=True)
        git = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@example.org")
        subprocess.run([*git, "init", "-q", str(repo)], check=True)
        subprocess.run([*git, "-C", str(repo), "commit", "-q", "--allow-empty", "-m", "code"], check=True)
        source = self._folder / "source.jsonl"
        source.write_text(lines, encoding="utf-8")
        with Memory(repo, clock=lambda: NOW_S) as memory:
            done = memory.bulk.import_files(Sources((str(source),)))
        lost = count - len(done.settled.new)
        if lost:
            reasons = [*done.refused.kept, *done.unreadable.kept, *done.settled.skipped.kept]
            raise SystemExit(f"{lost} of {count} documents did not become memories: {reasons[:5]}")

    def search(self, query: str, k: int, *, lexical: bool = False) -> list[str]:
        """Return the ids of the best documents, by words alone if *lexical*."""
        assert self._memory is not None
        return [self._ids[hit.key] for hit in self._memory.recall(Query(text=query, limit=k, lexical=lexical)).hits]

    def id_of(self, key: str) -> str:
        """Return the document that became a memory."""
        return self._ids[key]


def _record(doc: Mapping[str, Any]) -> dict[str, Any]:
    kind = doc.get("kind") or ("discussion" if any(tag.startswith(SESSION) for tag in doc["tags"]) else "doc")
    record = {"key": slug(doc["id"]), "kind": kind, "title": doc["title"], "tags": doc["tags"], "body": doc["text"]}
    record |= {"created": doc["date"] + "Z"} if doc["date"] else {}
    record |= {"paths": doc["paths"]} if doc.get("paths") else {}
    return record | ({"ttl": "never"} if "kind" in doc else {})  # what a session said is gone after three days


def main() -> None:
    """Answer until standard input ends."""
    with tempfile.TemporaryDirectory(prefix="gitmem-recall-") as folder:
        os.environ.update(HOME=folder, XDG_STATE_HOME=f"{folder}/state", GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
        retriever = Retriever(Path(folder))
        for line in sys.stdin:
            message = json.loads(line)
            if message["op"] == "index":
                retriever.index(message["docs"])
                print(json.dumps({"ok": True}), flush=True)
            else:
                print(json.dumps({"ids": retriever.search(message["query"], message["k"])}), flush=True)


if __name__ == "__main__":
    main()
