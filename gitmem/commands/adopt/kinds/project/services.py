"""Services of compose files: ``docker compose up redis``."""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.claims.commands import list_commands
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.statements import CODE, HEADING
from gitmem.document.sources.formats import read_source
from gitmem.errors import FormatError
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

SERVICE = "service"
_NAME = re.compile(r"^[A-Za-z][\w-]*$")
_SAID = re.compile(
    r"`(?P<before>[a-z][\w-]*)` service\b(?! (?:files?|units?|accounts?|class|layer)\b)"
    r"|\bservice (?:called |named )?`(?P<after>[a-z][\w-]*)`"
)
# Words before one that is still to be written; what separates it from a file that is about something else.
_TO_ADD = re.compile(r"\b(?:add|create|define|declare)(?:ing)? (?:an?|the|your|another) $", re.I)
_OTHER_CLAUSE = re.compile(r"[;.:] ")
_FILE = re.compile(r"(?:^|/)[\w.-]*compose[\w.-]*\.ya?ml$", re.I)
# The files that compose reads without `-f`. Source: the Compose specification, "The Compose file".
_USUAL = frozenset({"compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"})
# Commands whose arguments are services; of the second ones, only the first argument is.
# Source: `docker compose --help`, 2.40.
_MANY = frozenset({"up", "start", "stop", "restart", "build", "logs", "ps", "pull", "rm", "kill", "create", "watch"})
_ONE = frozenset({"run", "exec"})
# Options whose value is the next word.
_TAKES = frozenset({
    "-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory", "--parallel", "--ansi",
    "--scale", "-e", "--env", "-u", "--user", "-w", "--workdir", "--index", "--timeout", "-n", "--tail",
    "--since", "--until", "--name", "-v", "--volume", "--publish", "--entrypoint", "--pull", "--wait-timeout",
    "--attach", "-s", "--signal", "--format", "--build-arg", "--exit-code-from", "-l", "--label", "--status",
    "--filter", "--progress",
})  # fmt: skip


def service_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the services that a statement's commands name."""
    for command in list_commands(statement):
        words = command.words
        if words[0] == "docker-compose":
            words = words[1:]
        elif words[:2] in (("docker", "compose"), ("podman", "compose")):
            words = words[2:]
        else:
            continue
        files, rest = _read(words)
        names = rest[1:] if rest[:1] and rest[0] in _MANY else rest[1:2] if rest[:1] and rest[0] in _ONE else []
        places = tuple(posixpath.normpath(posixpath.join(command.folder, path)) for path in files)
        for name in names:
            if _NAME.match(name):
                yield Claim(SERVICE, command.line, f"{rest[0]} {name}", name, places=places)
    yield from _in_sentence(statement)


def _in_sentence(statement: Statement) -> Iterator[Claim]:
    """Yield the services that a sentence says are in the one compose file that it names."""
    files = {span.text for span in statement.spans if span.kind in ("code", "link") and _FILE.search(span.text)}
    if statement.kind in (CODE, HEADING) or len(files) != 1:
        return
    places = tuple(map(posixpath.normpath, files))
    for number, line in enumerate(statement.lines, statement.line):
        for match in _SAID.finditer(line):
            name, file = match["before"] or match["after"], line.find(next(iter(files)))
            between = line[match.end() : file] if file >= 0 else ""
            if _OTHER_CLAUSE.search(between) or _TO_ADD.search(line[: match.start()]):
                continue
            yield Claim(SERVICE, number, name, name, places=places)


def _read(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the files of ``-f``, and the words that are neither options nor their values."""
    files: list[str] = []
    rest: list[str] = []
    at = 0
    while at < len(words) and words[at] not in (">", "2>", "&"):
        if words[at] in _TAKES and not (rest and words[at] == "-f"):  # `logs -f` follows
            files += words[at + 1 : at + 2] if words[at] in ("-f", "--file") and not rest else []
            at += 2
        else:
            rest += [] if words[at].startswith("-") else [words[at]]
            at += 1
    return files, rest


def find_service(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where a compose file defines a service: the named files, or if the code has none of them, all."""
    folders = dict.fromkeys((document.folder, posixpath.dirname(document.path), ""))
    every = sorted((path for path in code.files if _FILE.search(path)), key=lambda path: _rank(path, document))
    wanted = {posixpath.normpath(posixpath.join(folder, place)) for folder in folders for place in claim.places}
    named = [path for path in wanted if path in code.files]
    for path, text in code.texts(named or every).items():
        if claim.name in text and (line := services_in(path, text).get(claim.name, 0)):
            return Source(path, line)
    return None


def _rank(path: str, document: Document) -> tuple[bool, int, bool, str]:
    """Return the rank of a compose file for a document: those beside it first, then those that compose itself reads."""
    folder, _, name = path.rpartition("/")
    return folder != posixpath.dirname(document.path), path.count("/"), name not in _USUAL, path


def services_in(path: str, text: str) -> dict[str, int]:
    """Return the services of a compose file by name, each with its line; none if the file cannot be read."""
    try:
        node = read_source(path, text.encode("utf-8", "surrogateescape")).at("services")
    except FormatError:
        return {}
    return {name: member.line for name, member in node.iter_members()}


def service_check(claim: Claim, source: Source) -> Mapping[str, Any]:
    """Return the check that the file defines the service."""
    return {"matches": rf"^\s+[\"']?{re.escape(claim.name)}[\"']?:", "in": escape(source.path)}
