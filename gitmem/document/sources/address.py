"""Addresses of values: ``PATH#KEY``, with a dotted key and quotes around parts that contain dots. Pure."""

from __future__ import annotations

from gitmem.errors import FormatError, suppress
from gitmem.frozen import frozen

# Deeper than any settings file nests.
PARTS_LIMIT = 32
# The most readings of one text, if ``#`` may be in the name of its file.
READINGS_AT_MOST = 8


@frozen
class Address:
    """The place of a value.

    Attributes:
        path: The file.
        keys: The parts of the key, in order; empty for a file that states one value, such as ``.nvmrc``.
    """

    path: str
    keys: tuple[str, ...]


def parse_address(text: str) -> Address:
    """Parse an address.

    ``package.json#engines.node``, ``setup.cfg#"tool:pytest".addopts``, ``ci.yml#jobs.test.strategy.matrix.python[0]``
    (``.0`` means the same), ``src/retry.py#RETRIES``, ``.nvmrc``.

    Raises:
        FormatError: ``bad-address``.
    """
    path, mark, key = text.partition("#")
    if not path or (mark and not key):
        raise _bad(text)
    keys = tuple(_parts(key, text)) if key else ()
    if len(keys) > PARTS_LIMIT:
        raise _bad(text)
    return Address(path, keys)


def parse_addresses(text: str) -> tuple[Address, ...]:
    """Parse what may be several addresses, since ``#`` may be in the name of a file; the shortest path first.

    Raises:
        FormatError: ``bad-address``.
    """
    addresses, end = [parse_address(text)], text.find("#")
    while (end := text.find("#", end + 1)) > 0 and len(addresses) < READINGS_AT_MOST:
        keys: tuple[str, ...] = ()
        with suppress(FormatError):
            keys = tuple(_parts(text[end + 1 :], text))
        addresses.append(Address(text[:end], keys))
    return tuple(address for address in addresses if address is addresses[0] or 0 < len(address.keys) <= PARTS_LIMIT)


def format_address(address: Address) -> str:
    """Format an address; ``parse_address`` undoes it."""
    if not address.keys:
        return address.path
    return f"{address.path}#{format_key(address.keys)}"


def format_key(keys: tuple[str, ...]) -> str:
    """Return the parts of a key, joined by dots, with quotes if a part needs them."""
    return ".".join(_quoted(part) for part in keys)


def _quoted(part: str) -> str:
    if part and not any(char in "'\".[]" for char in part):
        return part
    quote = "'" if '"' in part else '"'
    return f"{quote}{part}{quote}"


def _parts(key: str, text: str) -> list[str]:
    parts, at = list[str](), 0
    while at < len(key):
        if key[at] in "'\"":
            end = key.find(key[at], at + 1)
            if end < 0:
                raise _bad(text)
            parts.append(key[at + 1 : end])
            at = end + 1
        elif key[at] == "[":
            end = key.find("]", at)
            if end < 0 or not key[at + 1 : end].isdecimal():
                raise _bad(text)
            parts.append(key[at + 1 : end])
            at = end + 1
        else:
            end = next((i for i in range(at, len(key)) if key[i] in ".["), len(key))
            if end == at:
                raise _bad(text)
            parts.append(key[at:end])
            at = end
        if at < len(key) and key[at] == ".":
            at += 1
            if at == len(key):
                raise _bad(text)
        elif at < len(key) and key[at] != "[":
            raise _bad(text)
    return parts


def _bad(text: str) -> FormatError:
    return FormatError(f"{text!r} is not an address such as package.json#engines.node", code="bad-address")
