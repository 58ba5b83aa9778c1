"""The searches and answers of built-in checks about values: at a place of a file, at two places, elsewhere. Pure.

The readers of structured files are loaded on use: they import parsers.
"""

from __future__ import annotations

from gitmem.document import file_checks
from gitmem.document.answers import (
    BuiltinAnswer,
    FileFinding,
    FoundFiles,
    blocked_answer,
    comparison_answer,
    conceal,
    place,
    shorten_value,
)
from gitmem.document.check_values import EXACTLY, SHA256, CheckArguments
from gitmem.document.elsewhere import parse_elsewhere
from gitmem.document.sources.address import Address, format_address, format_key, parse_addresses
from gitmem.errors import FormatError
from gitmem.model import BLOCKED, FAILS, HOLDS
from gitmem.text.globs import escape, is_same_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.document.file_checks import Probe

# Before the place whose file's hash a finding is; no place begins with it.
_HASH = "#"


def places(taken: CheckArguments) -> tuple[str, ...]:
    """Return the globs of the files at a check's addresses."""
    return tuple(escape(address.path) for place in _here(taken) for address in parse_addresses(place))


def _here(taken: CheckArguments) -> list[str]:
    """Return the places of a check that are in this repository."""
    return [value for value in taken.values if not parse_elsewhere(value)]


def spell(written: str, content_of: Callable[[str], bytes | None]) -> str:
    """Return an address whose key is spelt as its file has it: with quotes around a name with dots.

    Args:
        written: The address, or a fact of another repository.
        content_of: Returns the content of a file, or None.
    """
    from gitmem.document.sources.formats import spell_key  # imports yaml

    for address in () if parse_elsewhere(written) else parse_addresses(written):
        content = content_of(address.path) if len(address.keys) > 1 else None
        if content is not None:
            keys = spell_key(address.path, content, address.keys)
            return format_address(Address(address.path, keys)) if keys else written
    return written


def stated(taken: CheckArguments) -> Probe:
    """Return a search for the values at a check's addresses."""
    from gitmem.document.sources.formats import read_value  # imports yaml

    addresses = [(place, address) for place in _here(taken) for address in parse_addresses(place)]

    def probe(path: str, content: bytes) -> Sequence[FileFinding]:
        findings = []
        for key, address in addresses:
            node = read_value(path, content, address.keys) if is_same_name(path, address.path) else None
            if node is not None:
                findings.append(FileFinding(node.line, node.value(), key=key))
        return findings

    return guard(probe)


def guard(probe: Probe) -> Probe:
    """Return a probe that reports an unreadable file as a finding."""

    def read(path: str, content: bytes) -> Sequence[FileFinding]:
        try:
            return probe(path, content)
        except FormatError as err:
            return [FileFinding(err.line, problem=str(err))]

    return file_checks.of_text(read)


def _missing(written: str, files: FoundFiles) -> BuiltinAnswer:
    """Return the answer for an address without a value."""
    address = _address(written, files)
    mine = FoundFiles([path for path in files.paths if is_same_name(path, address.path)], files.findings, files.matcher)
    if mine.unread():
        return blocked_answer(mine.unread())
    if not mine.paths:
        return BuiltinAnswer(FAILS, file_checks.no_such_file(address.path))
    return BuiltinAnswer(FAILS, f"{address.path} states no {format_key(address.keys) or 'value'}", address.path)


def value(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    """Conclude whether the value at an address is the wanted one."""
    having = files.list_findings()
    if not having:
        return _missing(taken.text, files)
    where, stated = place(*having[0]), having[0][1].value
    repeated = conceal(_last_key(taken.text, files), stated)
    name, wanted = next(((name, word) for name, word in taken.more.items() if name != EXACTLY), ("", ""))
    if not name:  # only the presence of a value was required
        return comparison_answer(where, repeated, "", is_as_wanted=True)
    from gitmem.document.sources import versions  # imports packaging

    if name == "at-least":
        return comparison_answer(
            where, repeated, f"at least {wanted}", is_as_wanted=versions.is_at_least(stated, wanted)
        )
    if name == "within":
        return comparison_answer(where, repeated, f"within {wanted}", is_as_wanted=versions.is_within(stated, wanted))
    return comparison_answer(where, repeated, wanted, is_as_wanted=versions.is_same(stated, wanted))


def _address(written: str, files: FoundFiles) -> Address:
    """Return the address that is meant: the first one whose file exists, since ``#`` may be in its name."""
    addresses = parse_addresses(written)
    return next(
        (address for address in addresses if any(is_same_name(path, address.path) for path in files.paths)),
        addresses[0],
    )


def _last_key(written: str, files: FoundFiles) -> str:
    return (_address(written, files).keys or ("",))[-1]


def agrees(taken: CheckArguments) -> Probe:
    """Return a search for the values of places; beside a fact of another repository, also for the hash of a file."""
    read = stated(taken)
    whole = [place for place in _here(taken) if "#" not in place] if len(_here(taken)) < len(taken.values) else []
    if not whole:
        return read

    def probe(path: str, content: bytes) -> Sequence[FileFinding]:
        from hashlib import sha256  # 3 ms (measured), only for such a check

        hashed = [FileFinding(0, sha256(content).hexdigest(), key=_HASH + place) for place in whole if place == path]
        return [*read(path, content), *hashed]

    return probe


def _agree_elsewhere(taken: CheckArguments, files: FoundFiles, written: str, reference: str) -> BuiltinAnswer:
    """Return the answer for a place here and a fact of another repository, whose value may be unknown."""
    known = files.elsewhere.get(reference)
    if known is None:
        return BuiltinAnswer(BLOCKED, f"{reference} of another repository is not known here")
    if known.problem:
        return BuiltinAnswer(BLOCKED, f"{reference} of another repository cannot be read now: {known.problem}")
    if not known.proven:
        why = f"it is {known.status} there" if known.value and known.status else "its check proves no value"
        return BuiltinAnswer(BLOCKED, f"{reference} of another repository gives no value: {why}")
    by_key = {finding.key: (path, finding) for path, finding in files.list_findings()}
    is_pinned = written in by_key and by_key[written][1].value == known.proven
    is_hash = SHA256.is_valid(known.proven) and not is_pinned and _HASH + written in by_key
    key = _HASH + written if is_hash else written
    if key not in by_key:
        return _missing(written, files)
    from gitmem.document.sources import versions  # imports packaging

    path, finding = by_key[key]
    last = _last_key(written, files)
    where, actual, other = place(path, finding), conceal(last, finding.value), conceal(last, known.proven)
    if versions.is_same(finding.value, known.proven):
        return BuiltinAnswer(HOLDS, f"{where} and {reference} state {shorten_value(actual)}", where, actual)
    message = f"{where} states {shorten_value(actual)}, and {reference} of another repository {shorten_value(other)}"
    return BuiltinAnswer(FAILS, message, where, actual)


def agree(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    """Conclude whether two places state the same value."""
    if references := [value for value in taken.values if parse_elsewhere(value)]:
        return _agree_elsewhere(taken, files, _here(taken)[0], references[0])
    by_key = {finding.key: (path, finding) for path, finding in files.list_findings()}
    for written in taken.values:
        if written not in by_key:
            return _missing(written, files)
    from gitmem.document.sources import versions  # imports packaging

    (one, first), (other, second) = (by_key[written] for written in taken.values)
    where, actual = place(one, first), conceal(_last_key(taken.values[0], files), first.value)
    others = conceal(_last_key(taken.values[1], files), second.value)
    if versions.is_same(first.value, second.value):
        message = f"{where} and {place(other, second)} state {shorten_value(actual)}"
        return BuiltinAnswer(HOLDS, message, where, actual)
    message = f"{where} states {shorten_value(actual)}, and {place(other, second)} {shorten_value(others)}"
    return BuiltinAnswer(FAILS, message, where, actual)
