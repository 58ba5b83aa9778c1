"""Verdict files: TOML, written by gitmem alone, one per fact and specification. Pure.

Anyone who can push can write one by hand, so a verdict read from the branch is a claim until this clone has made
it, and every field is validated.
"""

from __future__ import annotations

from gitmem.document.times import format_time, parse_time
from gitmem.errors import FormatError
from gitmem.git.repository import is_oid
from gitmem.model import FAILS, HOLDS, Verdict
from gitmem.store.verdicts.environment import clean_environment
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The longest line for people: two of them, escaped to ten bytes a character, fit into a readable file
# (`layout.VERDICT_LIMIT`).
TEXT_LIMIT = 500

# The most runs that a flapping fact still needs, or that answered alike: any file may claim a number.
FLAPPING_LIMIT = 1000

# The longest address of a person (RFC 5321, 4.5.3.1.3).
ADDRESS_LIMIT = 254

# The longest word that names what an answer depends on outside the repository.
OUTSIDE_LIMIT = 20

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def format_verdict(verdict: Verdict) -> str:
    """Return the file's text: one ``name = value`` per line, without empty fields, in a fixed order."""
    rows: list[tuple[str, object]] = [
        ("outcome", verdict.outcome),
        ("commit", verdict.commit),
        ("at", format_time(verdict.at)),
        ("inputs", verdict.inputs),
        ("claim", verdict.claim),
        ("spec", verdict.spec),
        ("because", verdict.because[:TEXT_LIMIT]),
        ("sandbox", verdict.sandbox),
        ("seconds", round(verdict.seconds, 3)),
        ("weak", verdict.weak),
        ("unconfirmed", not verdict.confirmed),
        ("held-commit", verdict.held_commit),
        ("held-at", format_time(verdict.held_at) if verdict.held_at else ""),
        ("culprit", verdict.culprit),
        ("culprit-after", verdict.culprit_after),
        ("attempt", verdict.attempt[:TEXT_LIMIT]),
        ("attempt-at", format_time(verdict.attempt_at) if verdict.attempt_at else ""),
        ("flapping", verdict.flapping),
        ("reads", verdict.reads),
        ("environment", verdict.environment),
        ("undeclared", verdict.undeclared),
        ("moved", verdict.moved),
        ("rests", verdict.rests),
        ("outside", verdict.outside),
        ("alike", verdict.alike),
        ("by", verdict.by),
    ]
    return "".join(f"{name} = {_value(value)}\n" for name, value in rows if value not in ("", False, 0))


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"  # a byte of a name that is not UTF-8: TOML cannot express it
    plain = _ESCAPES.get(char) or (char if char.isprintable() else "")
    return plain or (f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}")


def parse_verdict(content: bytes, *, key: str, path: str) -> Verdict:
    """Return the verdict in a file.

    Raises:
        FormatError: It is not TOML, or a field is missing or malformed.
    """
    try:
        text = content.decode("utf-8")
        table = _parse_plain(text)
        if table is None:
            import tomllib  # 6 ms (measured), and few verdicts need it

            table = tomllib.loads(text)
        verdict = _verdict_of(table, key)
    except (ValueError, KeyError, TypeError, RecursionError, FormatError) as err:
        hint = "run it again: gitmem verify " + key
        raise FormatError(f"not a verdict: {err}", code="bad-verdict", path=path, hint=hint) from err
    return verdict


# The escapes that only one of TOML and JSON has, or that both read, but not alike (a surrogate).
_OF_TOML_OR_JSON = ("\\/", "\\u", "\\U")


def _parse_plain(text: str) -> dict[str, Any] | None:
    """Return what TOML reads from lines as ``format_verdict`` writes most of them; None if there are any others.

    Several times as fast as tomllib, which a catalog of many facts and the log of a fact notice.
    """
    table: dict[str, Any] = {}
    for line in filter(None, text.split("\n")):
        name, _, value = line.partition(" = ")
        if not name.replace("-", "").isalpha() or not name.isascii() or name in table:
            return None
        inner = value[1:-1]
        if value == f'"{inner}"' and inner.isprintable() and '"' not in inner and "\\" not in inner:
            table[name] = inner
        elif value[:1] == '"' and inner.isprintable() and not any(escape in inner for escape in _OF_TOML_OR_JSON):
            try:
                table[name] = parse_json(value)
            except ValueError:
                return None
        elif value in ("true", "false"):
            table[name] = value == "true"
        else:
            number = _plain_number(value)
            if number is None:
                return None
            table[name] = number
    return table


def _plain_number(text: str) -> int | float | None:
    """Return a number of decimal digits, with or without a fraction; None for any other text."""
    whole, dot, fraction = text.partition(".")
    digits = whole + fraction if fraction else whole
    if not (digits.isascii() and digits.isdigit()) or not whole or (whole[0] == "0" and whole != "0") or len(text) > 20:
        return None
    return float(text) if fraction else None if dot else int(whole)


def _verdict_of(table: dict[str, Any], key: str) -> Verdict:
    text = {name: value for name, value in table.items() if isinstance(value, str)}
    if text["outcome"] not in (HOLDS, FAILS):
        raise ValueError(f"outcome {text['outcome'][:20]!r}")
    named = [text["commit"], *(text[name] for name in ("held-commit", "culprit", "culprit-after") if name in text)]
    if not all(map(is_oid, named)):
        raise ValueError("a commit must be a full object name")
    seconds = table.get("seconds", 0.0)
    return Verdict(
        key=key,
        spec=text["spec"],
        claim=text["claim"],
        outcome=text["outcome"],
        commit=text["commit"],
        inputs=text.get("inputs", ""),
        at=parse_time(text["at"]),
        because=text.get("because", "")[:TEXT_LIMIT],
        sandbox=text.get("sandbox", ""),
        held_commit=text.get("held-commit", ""),
        held_at=parse_time(text["held-at"]) if "held-at" in text else 0,
        weak=table.get("weak") is True,
        confirmed=table.get("unconfirmed") is not True,
        culprit=text.get("culprit", ""),
        culprit_after=text.get("culprit-after", ""),
        attempt=text.get("attempt", "")[:TEXT_LIMIT],
        attempt_at=parse_time(text["attempt-at"]) if "attempt-at" in text else 0,
        # SQLite stores NaN as NULL, and one such file would keep the whole catalog from being built.
        seconds=float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 1e9 else 0.0,
        flapping=_count(table.get("flapping")),
        reads=text.get("reads", ""),
        environment=clean_environment(text.get("environment", "")),
        undeclared=text.get("undeclared", ""),
        moved=text.get("moved", ""),
        rests=text.get("rests", ""),
        outside=text.get("outside", "")[:OUTSIDE_LIMIT],
        alike=_count(table.get("alike")),
        by=text.get("by", "")[:ADDRESS_LIMIT],
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < FLAPPING_LIMIT else 0
