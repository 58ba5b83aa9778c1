"""What the tests of facts share: files of facts, a clock that can be set, approvals, runs, and what is told of them."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import NOW, commit_all, git, memory_text, put_files

from gitmem.document.answers import BuiltinAnswer
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.model import BUILTIN, Check
from gitmem.recall.query import Query
from gitmem.repository.approvals import approve_command
from gitmem.store.layout import bucket_path, verdict_path
from gitmem.store.verdicts.buckets import sections_of, split_bucket
from gitmem.verify.builtin_answers import answer_all
from gitmem.verify.inputs import CodeTree
from gitmem.verify.options import Options, VerifyRun

DAY = 86_400


class Clock:
    """Epoch seconds that a test sets."""

    def __init__(self, now: int = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return float(self.now)


# When a fact was written between the first commit and ``commit_later``.
BETWEEN = "2026-09-21T14:13:30Z"


def commit_later(repo: Path, files: dict[str, str | None]) -> str:
    """Commit files a minute after the others, or delete them (None), and return the commit."""
    for name, text in files.items():
        (repo / name).unlink() if text is None else (repo / name).write_text(text, encoding="utf-8")
    return commit_all(repo, "a minute later", after_s=60)


def make_fact(
    key: str = "a", verify: object = "true # stands in", *, title: str = "", body: str = "", **fields
) -> dict:
    """Return the file of one fact by its path; fields are lists, mappings, texts and truth values."""
    kind = fields.pop("kind", "fact")
    written = {name: json.dumps(value) for name, value in fields.items()}
    if verify is not None:
        written["verify"] = json.dumps(verify)
    created = written.pop("created", '"2026-09-20T00:00:00Z"')
    text = memory_text(json.dumps(title or f"Fact {key}"), body=body, kind=kind, created=created, **written)
    return {f"{kind}s/{key}.md": text}


def make_memory(key: str, title: str, body: str = "", *, kind: str = "gotcha", **fields) -> dict:
    """Return the file of one memory without a check by its path."""
    return make_fact(key, None, title=title, body=body, kind=kind, **fields)


def tracked(*files: dict) -> dict[str, str]:
    """Return memories as files of the code tree."""
    return {f".memory/{path}": text for made in files for path, text in made.items()}


def put(folder: Path, *files: dict) -> str:
    """Write memories onto the memory branch, as somebody who pushed them would."""
    return put_files(folder, {path: text for made in files for path, text in made.items()})


def approve_all(memory: Memory) -> None:
    """Approve every command of the store for this clone, as a person at the terminal would."""
    for due in memory.repository.commands():
        approve_command(memory.repository, due)


def verify(memory: Memory, *keys: str, **options) -> VerifyRun:
    """Run what is due, or these keys, without a sandbox: it is tested elsewhere, and this is quicker."""
    options.setdefault("no_sandbox", True)
    return memory.verify(options=Options(keys=keys, **options), report=lambda *_: None)


def outcomes(run: VerifyRun) -> dict[str, str]:
    """Return the outcome of every fact that was judged, by key."""
    return {result.due.row.key: result.outcome for result in run.results}


def result_of(run: VerifyRun, key: str):
    """Return the result of one fact."""
    return next(result for result in run.results if result.due.row.key == key)


def statuses(memory: Memory) -> dict[str, str]:
    """Return the status of every live memory, by key."""
    return {hit.key: hit.status for hit in memory.list(Query(limit=100_000)).hits}


def status_file(folder: Path, ref: str = "refs/heads/memory") -> str:
    """Return STATUS.md as it stands on the branch."""
    return git(folder, "show", f"{ref}:STATUS.md")


def spec_of(memory: Memory, key: str) -> str:
    """Return the specification's hash of a fact."""
    return memory.repository.catalog().row(
        "SELECT f.spec FROM fact f JOIN memory m ON m.id = f.id WHERE m.key = ?", (key,)
    )[0]


def verdict_file(memory: Memory, key: str) -> str:
    """Return where the verdict of a fact lies on the branch."""
    return bucket_path(key)


def loose_file(memory: Memory, key: str) -> str:
    """Return where the verdict of a fact lies on a proposal, and in stores of format 1."""
    return verdict_path(key, spec_of(memory, key))


def verdict_text(folder: Path, memory: Memory, key: str, ref: str = "memory") -> str:
    """Return the text of a fact's verdict on a branch; empty where it has none."""
    content = git(folder, "show", f"{ref}:{bucket_path(key)}").encode() + b"\n"
    return split_bucket(content, bucket_path(key))[0].get((key, spec_of(memory, key)[:16]), b"").decode()


def verdict_keys(folder: Path, ref: str = "memory") -> list[str]:
    """Return the keys of the facts that have a verdict on a branch, sorted."""
    listed = git(folder, "ls-tree", "-r", "--name-only", ref, "--", "verdicts").split()
    contents = {path: git(folder, "show", f"{ref}:{path}").encode() + b"\n" for path in listed}
    return sorted(name[0] for path, content in contents.items() for name, _ in sections_of(content, path))


def for_code(folder: Path) -> str:
    """Return the trailer of what is written now."""
    return f"Code-Commit: {git(folder, 'rev-parse', 'HEAD')}"


def trailers(folder: Path, commit: str) -> list[str]:
    """Return the trailers of a commit, one a line, in their order."""
    return git(folder, "log", "-1", "--format=%(trailers:unfold)", commit).strip().split("\n")


def count_commits(folder: Path, ref: str = "refs/heads/memory") -> int:
    """Return how many commits a branch has."""
    return int(git(folder, "rev-list", "--count", ref))


def tree_of(folder: Path, rev: str = "HEAD") -> CodeTree:
    """Return the code of a commit."""
    return CodeTree(Git(discover(folder)), git(folder, "rev-parse", rev))


def ask_builtin(folder: Path, *words: str) -> BuiltinAnswer:
    """Return what one built-in check answers at HEAD."""
    check = Check(BUILTIN, words)
    return answer_all(Git(discover(folder)), tree_of(folder), [check])[check]


def commit_raw(folder: Path, names: dict[bytes, bytes]) -> None:
    """Commit files to main whose names no file system need take."""
    parent = git(folder, "rev-parse", "HEAD").encode()
    parts = [b"commit refs/heads/main\ncommitter A <a@b> 1790000000 +0000\ndata 1\nx\nfrom " + parent + b"\n"]
    for name, content in names.items():
        quoted = b'"' + b"".join(b"\\%03o" % byte for byte in name) + b'"'
        parts.append(b"M 100644 inline %s\ndata %d\n%s\n" % (quoted, len(content), content))
    git(folder, "fast-import", "--quiet", input=b"".join(parts))


def is_running(mark: str) -> bool:
    """Return whether a process has *mark* in its command line; zombies have none."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False
