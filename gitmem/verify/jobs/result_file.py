"""Result files: the verdicts of one machine, to be imported by another. Pure except for file access.

JSON Lines: a header, then one object for each fact (docs/verify-jobs.md lists the fields). A reader must treat a file
as hostile, since the machine that made it ran the repository's commands. Sizes are limited before anything is parsed,
every field has one exact type, and an invalid file is refused as a whole.
"""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

from gitmem import __version__
from gitmem.document.times import format_time, parse_time
from gitmem.errors import FormatError, GitmemError, RefusedError, UsageError
from gitmem.frozen import frozen, replace
from gitmem.git.repository import is_oid
from gitmem.model import BLOCKED, FAILS, HOLDS, RUNGS, UNPROVEN, Verdict
from gitmem.store import layout
from gitmem.store.verdicts import FLAPPING_LIMIT, OUTSIDE_LIMIT, TEXT_LIMIT
from gitmem.system import atomic_write
from gitmem.text import display
from gitmem.verify.jobs.shards import Shard, parse_shard
from gitmem.verify.run.judge import SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.verify.run.judge import Result

FORMAT = "gitmem-results-1"
# A verdict file has at most 16 KiB (``layout.VERDICT_LIMIT``), and JSON encodes a character with at most six bytes.
LINE_LIMIT = 6 * layout.VERDICT_LIMIT
# 100,000 facts, the largest store that is measured, with 600 bytes each.
FACTS_LIMIT = 100_000
FILE_LIMIT = 64 * 1024 * 1024
# One file for each shard.
FILES_LIMIT = 1024
# A digest is only compared with our own (``verify.inputs``); a hash is a SHA-256 (``document.spec``).
DIGEST = re.compile(r"[!-~]{0,200}")
HASH = re.compile(r"[0-9a-f]{64}")


@frozen
class ResultLine:
    """One fact's line in a file; only its types have been checked.

    Attributes:
        verdict: What was learned; its outcome may also be ``blocked`` or ``skipped``.
        reason: Why the check was blocked or skipped.
    """

    verdict: Verdict
    reason: str = ""


@frozen
class Results:
    """The content of one file.

    Attributes:
        tool: The version of gitmem that made it.
        code: The code commit that was judged.
        memory: The commit of the memory branch that the facts were read from; empty if there was none.
        shard: ``I/N``, or empty.
        lines: Its lines, in file order.
    """

    tool: str
    code: str
    memory: str
    shard: str
    lines: tuple[ResultLine, ...]


def _line_of(result: Result, now: int) -> ResultLine:
    row = result.due.row
    nothing = Verdict(
        row.key,
        row.spec,
        row.claim,
        result.outcome,
        "",
        result.due.digest,
        now,
        confirmed=False,
        seconds=result.seconds,
    )
    return ResultLine(result.verdict or nothing, result.reason)


def format_results(results: Results) -> str:
    """Format the content of a file."""
    head = {
        "format": FORMAT,
        "tool": results.tool,
        "code": results.code,
        "memory": results.memory,
        "shard": results.shard,
        "facts": len(results.lines),
    }
    return "".join(json.dumps(row) + "\n" for row in (head, *map(_format_line, results.lines)))


def _format_line(line: ResultLine) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(line.verdict, NAMES.get(name, name), line.reason) for name in FIELDS}
    row |= {name: format_time(row[name]) if row[name] else "" for name in TIMES}
    row |= {name: row[name][:TEXT_LIMIT] for name in ("because", "reason", "attempt")}
    return row | {"seconds": round(row["seconds"], 3)}


def write_run(
    path: str, judged: Iterable[Result], known: Iterable[Verdict], head: tuple[str, str, str], now: int
) -> None:
    """Write the results of a run and the verdicts that are only in this clone to a file.

    Args:
        path: The file.
        judged: The results of the run.
        known: Verdicts of this clone that the branch does not have.
        head: The code commit, the memory commit, and the shard or an empty string.
        now: Epoch seconds.

    Raises:
        GitmemError: The file cannot be written.
    """
    lines = {verdict.key: ResultLine(verdict) for verdict in known}
    lines |= {result.due.row.key: _line_of(result, now) for result in judged}
    write_results(path, Results(__version__, *head, tuple(lines[key] for key in sorted(lines))))


def list_unexplained(results: Results) -> tuple[str, ...]:
    """Return the keys of the failed facts without a culprit."""
    verdicts = (line.verdict for line in results.lines)
    return tuple(verdict.key for verdict in verdicts if verdict.outcome == FAILS and not verdict.culprit)


def with_culprits(results: Results, named: Mapping[str, Mapping[str, str]]) -> Results:
    """Return results with the fields ``culprit`` and ``culprit_after`` set for some facts, by key."""
    lines = (replace(line, verdict=replace(line.verdict, **named.get(line.verdict.key, {}))) for line in results.lines)
    return replace(results, lines=tuple(lines))


def need_writable(path: str) -> None:
    """Raise an error if a file cannot be written at a path, before any fact is judged for it.

    Raises:
        UsageError: There is no such folder, it cannot be written to, or a folder has that name.
    """
    folder = Path(path).absolute().parent
    if Path(path).is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write the results to {display(path)}", hint="choose a file in an existing folder")


def write_results(path: str, results: Results) -> None:
    """Write a file atomically.

    Raises:
        GitmemError: It cannot be written there.
    """
    try:
        atomic_write.write(Path(path), format_results(results).encode())
    except OSError as err:
        raise GitmemError(
            f"cannot write the results to {display(path)}: {err.strerror}",
            hint="the verdicts are kept in this clone; choose another file: gitmem verify --results FILE",
        ) from err


def read_results(path: str) -> Results:
    """Read and parse a file.

    Raises:
        RefusedError: It is not a valid result file.
    """
    try:
        return parse_results(_read(path))
    except (ValueError, RecursionError, OverflowError, FormatError, OSError) as err:
        reason = (err.strerror or "cannot be read") if isinstance(err, OSError) else str(err)
        raise RefusedError(f"{display(path)} is refused: {reason}") from err


def _read(path: str) -> bytes:
    # Do not follow a link or wait for a pipe or a device: a downloaded archive may contain them.
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise ValueError("it is not a regular file")
        content = file.read(FILE_LIMIT + 1)
    if len(content) > FILE_LIMIT:
        raise ValueError(f"it has more than {FILE_LIMIT >> 20} MiB")
    return content


def parse_results(content: bytes) -> Results:
    """Parse the text of a file.

    Raises:
        ValueError: It is invalid; the message gives the line, and never quotes the file.
    """
    rows = content.split(b"\n")
    if rows.pop():
        raise ValueError("its last line is incomplete")
    if not rows or len(rows) > FACTS_LIMIT + 1:
        raise ValueError(f"it must have a header and at most {FACTS_LIMIT} facts")
    head = _object(rows[0], 1, HEAD)
    if head["facts"] != len(rows) - 1:
        raise ValueError("the number of facts differs from its header")
    lines = (_parse_line(_object(row, number, FIELDS), number, head["code"]) for number, row in enumerate(rows[1:], 2))
    return Results(head["tool"], head["code"], head["memory"], head["shard"], tuple(lines))


def _parse_line(row: dict[str, Any], number: int, commit: str) -> ResultLine:
    try:
        row |= {name: parse_time(row[name]) if row.get(name) else 0 for name in TIMES}
    except (FormatError, ValueError, OverflowError) as err:
        raise ValueError(f"line {number}: invalid time") from err
    reason = row.pop("reason")
    return ResultLine(Verdict(**{NAMES.get(name, name): value for name, value in row.items()}, commit=commit), reason)


def _object(line: bytes, number: int, fields: dict[str, Callable[[Any], bool]]) -> dict[str, Any]:
    if len(line) > LINE_LIMIT:
        raise ValueError(f"line {number} has more than {LINE_LIMIT} bytes")
    try:
        row = json.loads(line.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number, parse_int=_short_int)
    except (ValueError, RecursionError) as err:
        raise ValueError(f"line {number} is not valid JSON") from err
    if not isinstance(row, dict) or set(row) - set(fields) or set(fields) - set(row) - LATER:
        raise ValueError(f"line {number} lacks required fields or has unknown ones")
    wrong = [name for name, fits in fields.items() if name in row and not fits(row[name])]
    if wrong:
        raise ValueError(f"line {number}: {wrong[0]} is invalid")
    return row


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a field occurs twice")
    return table


def _no_number(_: str) -> None:
    raise ValueError("not a number")


def _short_int(text: str) -> int:
    if len(text) > 15:
        raise ValueError("a number is too long")
    return int(text)


def _text(limit: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and len(value) <= limit and not _LONE.search(value)


# Half of a surrogate pair: JSON can encode it, but no file or terminal accepts it.
_LONE = re.compile("[\ud800-\udfff]")


def _is_shard(value: Any) -> bool:
    if value == "":
        return True
    try:
        return isinstance(value, str) and str(parse_shard(value)) == value
    except ValueError:
        return False


def _commit(value: Any) -> bool:
    return isinstance(value, str) and is_oid(value)


def _maybe_commit(value: Any) -> bool:
    return value == "" or _commit(value)


def _number(most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and 0 <= value < most


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


HEAD: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: value == FORMAT,
    "tool": _matches(re.compile(r"[0-9A-Za-z.+-]{1,40}")),
    "code": _commit,
    "memory": _maybe_commit,
    "shard": _is_shard,
    "facts": _number(FACTS_LIMIT + 1),
}
FIELDS: dict[str, Callable[[Any], bool]] = {
    "key": lambda value: isinstance(value, str) and layout.is_key(value),
    "spec": _matches(HASH),
    "claim": _matches(HASH),
    "outcome": lambda value: value in (HOLDS, FAILS, BLOCKED, UNPROVEN, SKIPPED),
    "inputs": _matches(DIGEST),
    "at": _text(40),
    "because": _text(TEXT_LIMIT),
    "reason": _text(TEXT_LIMIT),
    "seconds": lambda value: type(value) in (int, float) and 0 <= value < 1e6,
    "sandbox": lambda value: value == "" or value in RUNGS,
    "weak": lambda value: type(value) is bool,
    "confirmed": lambda value: type(value) is bool,
    "held_commit": _maybe_commit,
    "held_at": _text(40),
    "culprit": _maybe_commit,
    "culprit_after": _maybe_commit,
    "flapping": _number(FLAPPING_LIMIT),
    "reads": _text(layout.VERDICT_LIMIT),
    "tools": _text(layout.VERDICT_LIMIT),
    "undeclared": _text(layout.VERDICT_LIMIT),
    "moved": _text(layout.VERDICT_LIMIT),
    "outside": _text(OUTSIDE_LIMIT),
    "attempt": _text(TEXT_LIMIT),
    "attempt_at": _text(40),
    "alike": _number(FLAPPING_LIMIT),
}
TIMES = ("at", "held_at", "attempt_at")
# Fields that have another name in a ``Verdict``.
NAMES = {"tools": "environment"}
# Fields that were added later and are missing from files of earlier versions.
LATER = {"attempt", "attempt_at", "alike"}


def list_missing(files: Sequence[Results]) -> list[str]:
    """Return the shards without a file, as ``I/N``, for every N that one of the files names."""
    shards = {file.shard for file in files}
    counts = sorted({parse_shard(name).of for name in shards if name})
    return [name for of in counts for name in (str(Shard(n, of)) for n in range(1, of + 1)) if name not in shards]
