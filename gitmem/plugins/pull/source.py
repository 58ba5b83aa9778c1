"""Sources: where a clone pulls knowledge from, and its data about each.

A source is a file in the clone's state folder, so pulled content cannot make a clone contact another server, and a
copied ``.git`` brings no sources along. Tokens are never part of it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from gitmem.document.api_options import TypedDict, refuse_wrong
from gitmem.document.fields import parse_ttl
from gitmem.document.times import parse_day
from gitmem.errors import FormatError, NotFoundError, RefusedError, UsageError, suppress
from gitmem.frozen import fields_of, frozen
from gitmem.policy.collections import ALIASES
from gitmem.store import layout
from gitmem.store.scopes import SOURCE_FOLDER, SOURCE_REFS
from gitmem.system import atomic_write, make_folder, read_regular
from gitmem.system.http import is_encrypted, is_site
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Unpack

    from gitmem.repository import OpenRepository

GITHUB, JIRA, CODE, DOCS = "github", "jira", "code", "docs"
# The parts of each kind of source; ``--include`` chooses among them.
PARTS: dict[str, tuple[str, ...]] = {
    GITHUB: ("issues", "comments", "pulls", "reviews", "diffs", "commits", "checks", "releases"),
    JIRA: ("issues", "comments"),
    CODE: (),
    DOCS: (),
}
GITHUB_API, GITHUB_HOST = "https://api.github.com", "github.com"
# The default interval, after which `gitmem sources status` reports the source as overdue.
EVERY = "1d"
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_PROJECT = re.compile("[A-Z][A-Z0-9_]{1,30}")
# ``git@github.com:acme/shop.git``, ``ssh://git@github.com/acme/shop``, ``https://github.com/acme/shop.git``.
_REMOTE = re.compile(r"(?:[a-z+]+://)?(?:[^@/\s]+@)?([A-Za-z0-9.-]+)(?::\d+)?[:/](.+?)(?:\.git)?/?")
# Settings of a source that are lists in its file.
_LISTS = ("include", "paths")


@frozen
class PullSource:
    """One source.

    Attributes:
        name: Its name here, also the last part of its ref.
        kind: ``github``, ``jira``, ``code`` or ``docs``.
        address: ``owner/name``, the address of a Jira site, or empty for files of this repository.
        api: The address of the API, without a slash at the end; empty for files.
        include: The pulled parts, of ``PARTS``.
        paths: For files, only those in these folders; for documents outside the repository, their folder, absolute.
        jql: For Jira, the selected issues.
        since: Only items changed since this day, ``2026-01-31``; or empty.
        every: The interval between pulls.
        collection: The collection for ``recall --collection``.
    """

    name: str
    kind: str
    address: str = ""
    api: str = ""
    include: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    jql: str = ""
    since: str = ""
    every: str = EVERY
    collection: str = ""

    @property
    def ref(self) -> str:
        """Return its full ref."""
        return f"{SOURCE_REFS}{self.name}"

    @property
    def every_s(self) -> int:
        """Return the interval between pulls in seconds."""
        return parse_ttl(self.every) or 0


class SourceOptions(TypedDict, total=False):
    """What describes a source besides its kind and address: fields of ``PullSource``; for Jira, a ``project``."""

    name: str
    api: str
    include: Sequence[str]
    paths: Sequence[str]
    jql: str
    project: str
    since: str
    every: str
    collection: str


def make_source(kind: str, address: str, *, remote: str = "", **options: Unpack[SourceOptions]) -> PullSource:
    """Return a source as described by a person.

    Args:
        kind: ``github``, ``jira``, ``code`` or ``docs``.
        address: ``owner/name`` or a URL of it; the address of a Jira site; empty for files, or for the repository of
            *remote*.
        remote: The URL of this repository's remote.
        **options: The fields of ``PullSource``; for Jira, ``project`` instead of ``jql``.

    Raises:
        UsageError: The description is invalid, or an option is.
    """
    refuse_wrong(options, SourceOptions, what="a source")
    fields: dict[str, Any] = {name: value for name, value in options.items() if value}
    if kind == GITHUB:
        fields = {**_github(address, remote, str(fields.pop("api", ""))), **fields}
    elif kind == JIRA:
        fields = {**_jira(address, str(fields.pop("project", ""))), **fields}
    elif address:
        raise UsageError(f"a source of {kind} has no address", hint="gitmem sources add code --path FOLDER")
    wrong = [part for part in fields.get("include", ()) if part not in PARTS[kind]]
    if wrong or (fields.get("include") and not PARTS[kind]):
        known = ", ".join(PARTS[kind]) or "nothing to choose from"
        raise UsageError(f"{kind} has no part {wrong[0]}", hint=f"choose from: {known}")
    all_fields: dict[str, Any] = {"name": kind, "include": PARTS[kind], "collection": kind, **fields, "kind": kind}
    lists: dict[str, Any] = {name: tuple(all_fields.pop(name, ())) for name in _LISTS}
    source = PullSource(**all_fields, **lists)
    _check(source)
    return source


def _check(source: PullSource) -> None:
    """Refuse a source with an invalid name, time or address.

    Raises:
        UsageError: Something in it is invalid.
    """
    if not layout.is_key(source.name) or source.name.endswith(".lock") or "." in source.name:
        hint = "use lower-case letters, digits, '_' and '-': --name tracker"
        raise UsageError(f"invalid name of a source: {display(source.name)!r}", hint=hint)
    try:
        is_time = (parse_ttl(source.every) or 0) > 0
    except FormatError:
        is_time = False
    if not is_time:
        raise UsageError(f"invalid length of time: {display(source.every)}", hint="--every 1d, 12h or 30m")
    try:
        if source.since:
            parse_day(source.since)
    except FormatError as err:
        raise UsageError(f"invalid day: {display(source.since)}", hint="--since 2026-01-31") from err


def _github(address: str, remote: str, api: str) -> dict[str, str]:
    """Return repository and API for a typed address, or for the repository's own remote."""
    text = address or remote
    match = _REMOTE.fullmatch(text)
    if _REPOSITORY.fullmatch(text):
        host, repository = GITHUB_HOST, text
    elif match is not None and _REPOSITORY.fullmatch(match[2]):
        host, repository = match[1].lower(), match[2]
    elif address:
        message = f"not a repository on GitHub: {display(address)}"
        raise UsageError(message, hint="gitmem sources add github OWNER/NAME")
    else:
        message = "the remote of this repository is not on GitHub"
        raise UsageError(message, hint="name a repository: gitmem sources add github OWNER/NAME")
    default_api = GITHUB_API if host in (GITHUB_HOST, "ssh.github.com") else f"https://{host}/api/v3"
    return {"address": repository, "api": _need_address(api or default_api, "--api https://github.example.com/api/v3")}


def _jira(address: str, project: str) -> dict[str, str]:
    hint = "gitmem sources add jira https://acme.atlassian.net --project SHOP"
    if project and not _PROJECT.fullmatch(project):
        raise UsageError(f"invalid key of a Jira project: {display(project)}", hint=hint)
    site = _need_address(address, hint)
    return {"address": site, "api": f"{site}/rest/api/3", "jql": f"project = {project}" if project else ""}


def _need_address(text: str, hint: str) -> str:
    """Return an address without a trailing slash, to which a token may be sent.

    Raises:
        UsageError: It is not an address, contains a password, or is not encrypted.
    """
    if not is_site(text):
        raise UsageError("not an address of a server, or one with a password", hint=hint)
    if not is_encrypted(text):
        raise UsageError("the address is not encrypted, so it would expose the token", hint="use an https address")
    return text.rstrip("/")


def list_sources(repository: OpenRepository) -> list[PullSource]:
    """Return the sources of this clone by name; a damaged file is left out with a notice."""
    sources = []
    folder = _folder(repository)
    for path in sorted(folder.glob("*.json")):
        try:
            sources.append(_read(path))
        except (OSError, ValueError, TypeError, RecursionError, UsageError):
            repository.notices.append(
                f"the settings of the source {display(path.stem)} are damaged; add it again: gitmem sources add"
            )
    return sources


def get_source(repository: OpenRepository, name: str) -> PullSource:
    """Return one source.

    Raises:
        NotFoundError: There is no source with this name.
    """
    by_name = {source.name: source for source in list_sources(repository)}
    if name not in by_name:
        known = f"choose one of {', '.join(by_name)}" if by_name else "add one: gitmem sources add github"
        raise NotFoundError(f"there is no source {display(name)}", hint=known)
    return by_name[name]


def list_pulled(repository: OpenRepository, collections: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the pulled sources of some collections; empty if a collection has none."""
    wanted = {ALIASES.get(name, name) for name in collections}
    by_source = {
        source.name: ALIASES.get(source.collection, source.collection)
        for source in list_sources(repository)
        if repository.git.read_ref(source.ref)
    }
    return tuple(name for name, own in by_source.items() if own in wanted) if wanted <= {*by_source.values()} else ()


def add_source(repository: OpenRepository, source: PullSource) -> None:
    """Store a source.

    Raises:
        RefusedError: Its name is in use.
    """
    if any(pull_source.name == source.name for pull_source in list_sources(repository)):
        hint = f"use --name NAME, or remove it first: gitmem sources remove {source.name}"
        raise RefusedError(f"there is a source {source.name} already", hint=hint)
    folder = _folder(repository)
    make_folder(folder)
    text = json.dumps({name: getattr(source, name) for name in fields_of(source)}, indent=1)
    atomic_write.write(folder / f"{source.name}.json", text.encode() + b"\n", mode=0o600)


def forget_source(repository: OpenRepository, source: PullSource) -> None:
    """Delete a source's ref, index and settings."""
    from shutil import rmtree

    tip = repository.git.read_ref(source.ref)
    if tip is not None:
        repository.git.run("update-ref", "-d", source.ref, tip)
    folder = _folder(repository)
    rmtree(folder / source.name, ignore_errors=True)
    for name in (f"{source.name}.pulled", f"{source.name}.json"):
        with suppress(FileNotFoundError):
            (folder / name).unlink()


def read_local(repository: OpenRepository, source: PullSource) -> dict[str, Any]:
    """Return the data about the last pull in this clone: ``at``, ``error``, ``etags``; may be empty."""
    try:
        table = json.loads(read_regular(_folder(repository) / f"{source.name}.pulled"))
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def write_local(repository: OpenRepository, source: PullSource, note: dict[str, Any]) -> None:
    """Record a pull; the data only affects how much the next one requests."""
    with suppress(OSError):
        atomic_write.write(_folder(repository) / f"{source.name}.pulled", json.dumps(note).encode(), mode=0o600)


def lock_path(repository: OpenRepository, source: PullSource) -> Path:
    """Return the lock file for pulling a source."""
    return _folder(repository) / f"{source.name}.lock"


def _folder(repository: OpenRepository) -> Path:
    return Path(repository.usable(repository.git.repository.state)) / SOURCE_FOLDER


def _read(path: Path) -> PullSource:
    table: Any = json.loads(read_regular(path))
    if not isinstance(table, dict) or table.get("name") != path.stem:
        raise ValueError("it belongs to another source")
    lists: dict[str, Any] = {name: tuple(table.pop(name, ())) for name in _LISTS}
    words = [*table.values(), *(word for words in lists.values() for word in words)]
    if not all(isinstance(word, str) for word in words) or table.get("kind") not in PARTS:
        raise ValueError("it has a value of another kind")
    source = PullSource(**table, **lists)
    _check(source)
    return source
