"""Fuzz targets: what other people or programs wrote, and the errors that reading it may raise."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import tarfile
import tempfile
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from gitmem.agents.clients import CLIENTS
from gitmem.agents.hook import ACTIONS, load
from gitmem.agents.transcripts.read import reader_of
from gitmem.commands.adopt.statements import split
from gitmem.document.format import format as format_document
from gitmem.document.parse import parse
from gitmem.errors import GitmemError
from gitmem.git import Git
from gitmem.git.repository import discover_at
from gitmem.plugins.import_.files import read_sources
from gitmem.plugins.import_.folder import ImportContext
from gitmem.plugins.import_.frontmatter import read_front
from gitmem.plugins.import_.jsonl import read_jsonl
from gitmem.plugins.import_.names import Names
from gitmem.plugins.pull.adf import markdown_of
from gitmem.policy import load as load_policy
from gitmem.store.merge.memories import Version, unite
from gitmem.store.merge.policy import FileVersion, unite_policies
from gitmem.store.read import read_files, scan_all
from gitmem.store.verdicts.buckets import split_bucket, unite_buckets
from gitmem.text.hazards.hazard import find_hazards
from gitmem.text.secrets import find_secrets, redact
from gitmem.verify.jobs.result_file import parse_results

if TYPE_CHECKING:
    from collections.abc import Callable

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=12,
)
FIELDS = (
    *("title", "kind", "verify", "tags", "paths", "refs", "requires", "ttl", "created", "by", "conflict", "retired"),
    *("type", "role", "content", "message", "payload", "tool_name", "tool_input", "session_id", "prompt", "cwd"),
    *("format", "commit", "results", "key", "outcome", "at", "spec", "entities", "relations", "observations", "text"),
    *("attrs", "marks", "body", "number", "user", "login", "fields", "messages", "toolCalls", "hook_event_name"),
)
TABLES = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=6), JSON, max_size=8)
# Pieces of the syntaxes that the parsers know, so that examples get past the first line.
PIECES = st.sampled_from(
    [
        "---\n",
        "---",
        "\n",
        ": ",
        "- ",
        "title: A\n",
        "kind: fact\n",
        "verify: true\n",
        "&a [*a]\n",
        "!!python/x ",
        "{",
        "}",
        "[",
        "]",
        "'",
        '"',
        "|\n  ",
        ">\n",
        "#",
        "\t",
        "\r\n",
        "\ufeff",
        "\0",
        "\u2028",
        "\ud800",
        "é",
        "\x1b[",
        "[verify]\n",
        "ttl = 1\n",
        "= ",
        "a = [\n",
        "[kinds.x]\n",
        "| a | b |\n",
        "|---|\n",
        "```\n",
        "`x`",
        "├── ",
        "](x)",
        "<!--",
        "1e999",
        "0x_",
        "2026-13-99",
        "%41",
        "\\u0041",
        '{"a":',
        "null",
        '{"": [null]}',
        "[octopus.0123456789abcdef]\n",
        'outcome = "holds"\n',
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=30).map("".join)
BYTES = st.binary(max_size=80) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))
MODES = st.sampled_from(["100644", "100755", "120000", "160000", "40000"])
NAMES = st.sampled_from(
    [b"learned", b"facts", b"a.md", b"gitmem.toml", b"verdicts", b"archive", b"..", b".git", b"A.md", b"x\ny"]
)
MEMBERS = st.tuples(
    st.sampled_from([b"0", b"2", b"5", b"L", b"K", b"S", b"g", b"x"]),
    st.sampled_from([f"{'a' * 32}.md", f"./{'b' * 32}.md", "b"]),
    st.integers(0, 600) | st.integers(0, 1 << 60),
    BYTES | st.sampled_from([f"T\n\nid: {'a' * 32}\ntype_: 1".encode(), b"30 GNU.sparse.map=0,99999999999\n"]),
)
NAMES |= st.binary(min_size=1, max_size=6).filter(lambda name: not set(name) & {0, 47})


def document(content: bytes) -> None:
    """A memory that can be read is written and read again as the same."""
    try:
        found = parse(content, path="learned/a.md")
    except GitmemError:
        return
    assert parse(format_document(found.fields, found.body), path="learned/a.md").fields == found.fields


def policy(text: str) -> None:
    """A policy is read, or refused."""
    try:
        load_policy(text, file="gitmem.toml")
    except GitmemError:
        return


def tree(entries: list[tuple[str, bytes, bytes]]) -> None:
    """A hostile tree gives files and problems, and its files can be read."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1"}

        def git(*args: str, given: bytes = b"") -> str:
            done = subprocess.run(["git", "-C", folder, *args], input=given, env=env, capture_output=True, check=True)
            return done.stdout.decode().strip()

        git("init", "-q")
        blobs = [(mode, name, git("hash-object", "-w", "--stdin", given=content)) for mode, name, content in entries]
        raw = b"".join(b"%s %s\0" % (mode.encode(), name) + bytes.fromhex(oid) for mode, name, oid in blobs)
        top = git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=raw)
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        bound = Git(discover_at(folder))
        try:
            scan = scan_all(bound, git(*who, "commit-tree", top, given=b"m"))
        except GitmemError:
            return  # git itself cannot list it
        assert len(list(read_files(bound, scan.files))) == len(scan.files)


def hook(payload: dict[str, Any]) -> None:
    """Every client's adapter makes an event of a payload, or none."""
    for client in CLIENTS:
        event = load(client).parse(payload, "")
        assert event is None or event.name in ACTIONS


def results(content: bytes) -> None:
    """A result file is read, or refused."""
    with contextlib.suppress(ValueError):
        parse_results(content)


def transcript(records: list[dict[str, Any]]) -> None:
    """The records of any client's transcript give turns, or none."""
    readers = {reader for record in records if (reader := reader_of(record)) is not None}
    assert all(isinstance(list(reader(records)), list) for reader in readers)


def adopted(text: str) -> None:
    """The statements of a document are on its lines."""
    last = text.count("\n") + 1
    assert all(1 <= statement.line <= last for statement in split(text))


def imported(content: bytes) -> None:
    """Each line of a file to import is a memory or a reason; Markdown loses no text silently."""
    with contextlib.suppress(GitmemError):
        list(read_jsonl(io.BytesIO(content), name="f", kind="note"))
    read_front(content.decode("utf-8", "replace"))


def unpacked(members: list[tuple[bytes, str, int, bytes]]) -> None:
    """Each member of an archive, whatever its header says, is a memory or a reason."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/a.jex", "wb") as file:
            for kind, name, size, content in members:
                member = tarfile.TarInfo(name)
                member.type, member.size = kind, size
                file.write(member.tobuf(tarfile.GNU_FORMAT) + content.ljust(-(-len(content) // 512) * 512, b"\0"))
        found = list(read_sources([folder], ImportContext(Names(), "doc"), stdin=None, progress_of=None))
        assert all(one.where for one in found)


def pulled(value: Any) -> None:
    """A description in Atlassian's format becomes text."""
    assert isinstance(markdown_of(value), str)


def merge(versions: tuple[bytes, bytes, bytes]) -> None:
    """A merge gives the same in either order, whatever the files are."""
    base, one, other = versions

    def version(content: bytes, who: str) -> Version:
        return Version(content, lambda: who, lambda: ())

    there = unite(base, version(one, "a"), version(other, "b"), path="learned/a.md")
    back = unite(base, version(other, "b"), version(one, "a"), path="learned/a.md")
    assert there.content == back.content
    unite_policies(base, FileVersion(one, "a"), FileVersion(other, "b"))
    split_bucket(one, "verdicts/00.toml")
    assert unite_buckets(base, one, other, path="verdicts/00.toml") == unite_buckets(
        base, other, one, path="verdicts/00.toml"
    )


def reviewed(text: str) -> None:
    """Every text can be searched for hazards and secrets, and a redacted one has no secret."""
    find_hazards(text)
    assert find_secrets(redact(text)) == [] or find_secrets(text) != []


def snapshot(value: Any) -> bytes:
    return json.dumps(value).encode()


MEMORY_LIKE = st.builds(lambda front, body: b"---\n" + front + b"\n---\n" + body, BYTES, BYTES)
TARGETS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], None]]] = {
    "document": (BYTES | MEMORY_LIKE, document),
    "policy": (TEXTS, policy),
    "tree": (st.lists(st.tuples(MODES, NAMES, BYTES), max_size=6), tree),
    "hook": (TABLES, hook),
    "results": (BYTES | st.lists(TABLES, max_size=4).map(lambda rows: b"\n".join(map(snapshot, rows))), results),
    "transcript": (st.lists(TABLES, max_size=5), transcript),
    "adopted": (TEXTS, adopted),
    "imported": (BYTES | MEMORY_LIKE | st.lists(TABLES, max_size=3).map(snapshot), imported),
    "unpacked": (st.lists(MEMBERS, max_size=5), unpacked),
    "pulled": (JSON | TABLES, pulled),
    "merge": (st.tuples(MEMORY_LIKE | BYTES, MEMORY_LIKE | BYTES, MEMORY_LIKE | BYTES), merge),
    "reviewed": (TEXTS, reviewed),
}
