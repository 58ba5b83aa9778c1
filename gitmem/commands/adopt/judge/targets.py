"""Judge whether scripts and targets are defined, and were when the line was written."""

from __future__ import annotations

import itertools
import posixpath
import re
from functools import lru_cache, partial

from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.documents import moved_to
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, JudgedClaim, Probe, Source
from gitmem.commands.adopt.judge.packages import list_packages
from gitmem.document.sources.scripts import read_scripts
from gitmem.document.sources.workspaces import read_links
from gitmem.errors import FormatError
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.commands.adopt.tree import Tree

# The files that define each runner's targets.
_FILES = {
    "script": ("package.json", "deno.json", "deno.jsonc"),
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
    "poe": ("pyproject.toml", "poe_tasks.toml"),
    "tox": ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg"),
    "nox": ("noxfile.py",),
    "mise": ("mise.toml", ".mise.toml", "tasks.toml", "config.toml"),
    "invoke": ("tasks.py",),
    "rake": ("Rakefile",),
    "deno": ("deno.json", "deno.jsonc", "package.json"),
    "turbo": ("turbo.json", "package.json"),
    "cargo": ("config.toml",),
    "composer": ("composer.json",),
    "mix": ("mix.exs",),
    "entry": ("pyproject.toml", "setup.cfg", "pixi.toml"),
    "nx": ("project.json", "package.json"),
    "pio": ("platformio.ini",),
}
_MORE = {"make": (".mk",), "just": (".just",), "rake": (".rake",)}
# Folders whose files are tasks of mise. Source: mise's manual, "File tasks".
_TASK_FILE = re.compile(r"^(?:\.?mise-tasks|\.?mise/tasks|\.config/mise/tasks)/([^.]+?)(?:/_default)?(?:\.\w+)?$")
_MIX_TASK = re.compile(r"(?:^|/)lib/mix/tasks/(?:.*/)?([\w.]+)\.ex$")
# What names the part of the targets that another file has, by the first part of their names; its path, if written; and
# where it is else. Sources: the manuals of just 1.43, "Modules", and Task 3.45, "Including other Taskfiles".
_PARTS = {
    "just": (
        r"^mod\??[ \t]+{}\b(?:[ \t]+[\"']([^\"'\n]+))?",
        ("{}.just", "{}/mod.just", "{}/justfile", "{}/.justfile"),
    ),
    "task": (
        r"^includes:[ \t]*\n(?:[ \t]+.*\n|[ \t]*\n)*?[ \t]+{}:(?:[ \t]*(?:\n[ \t]+taskfile:[ \t]*)?[\"']?([^\s\"']+))?",
        (),
    ),
}
# A rule of a template, whose name has the first argument in it: `test_$(1):`.
_TEMPLATE_RULE = re.compile(r"^([\w.-]*)\$[({]?\d[)}]?([\w.-]*)[ \t]*::?(?!=)", re.MULTILINE)
_PATTERN = re.compile(r"^([^\s#:=$%]*)%([^\s#:=$%]*)[^:=\n]*::?(?!=)", re.MULTILINE)


def judge_command(mention: Mention, head: Code, past: Past) -> JudgedClaim | None:
    """Judge the claim that a command can be run; None if it turns out not to be a claim."""
    claim = mention.claim
    if not _definitions(head, claim, mention.document):
        return None
    if (source := find_target(head, claim, mention.document)) is not None:
        # The script of another package proves nothing about this one.
        check = None if _is_of_other_package(head, claim, mention.document, source.path) else _check(claim, source)
        return JudgedClaim(mention, HOLDS, source, check=check)
    reasons = _takes_any, _has_unread_part, _has_unread_file, _has_foreign_tasks
    is_open = any(is_so(head, claim, mention.document) for is_so in reasons)
    if mention.is_past or "*" in claim.name or is_open:
        return None
    wrote, named = past.writer(mention)
    then = past.code(wrote)
    document = moved_to(mention.document, named)
    was = find_target(then, claim, document) if then is not None else None
    if then is None or was is None:
        if not claim.is_certain:
            return None
        held, probe = None if then is None else False, _probe_before(head, claim, mention.document)
        return JudgedClaim(mention, NEVER, held=held, wrote=wrote, probe=probe)
    if _is_of_other_package(then, claim, document, was.path):
        return None
    # A task that is a file of its own is there while it has a text.
    probe = _probe(head, then, claim, document, was)
    return JudgedClaim(mention, FALSE, was, held=True, wrote=wrote, probe=probe, check=_check(claim, was))


def _probe(head: Code, then: Code, claim: Claim, document: Document, was: Source) -> Probe:
    """Return how to decide in the past whether a target was defined where it was when its line was written."""
    path, name = was.path, claim.name if _is_whole(was, claim) else was.actual
    if name != claim.name and name in targets_in(path, head.text(path)):
        # The part still has it, but is no longer a part.
        every = then.texts(_definitions(then, claim, document))
        outer = next(text_name for text_name, text in every.items() if _part_in(text_name, text, claim) is not None)
        return Probe(outer, lambda text: _part_in(outer, text, claim) is not None)
    return Probe(path, lambda text: _line_in(path, text, claim, name) > 0 if was.line else bool(text))


def _probe_before(head: Code, claim: Claim, document: Document) -> Probe:
    """Return how to decide whether a target was defined before its line was written: in the nearest file that could."""
    path = min(_definitions(head, claim, document), key=partial(_distance, head, claim, document))
    return Probe(path, lambda text: _line_in(path, text, claim, claim.name) > 0)


def _check(claim: Claim, source: Source) -> Mapping[str, Any] | None:
    """Return the check that proves a target; None for one that a pattern makes."""
    if not source.line:
        return {"exists": source.path}
    return None if source.actual else {"script": claim.name, "in": escape(source.path)}


def _definitions(code: Code, claim: Claim, document: Document) -> Sequence[str]:
    """Return the files that may define a command, nearest to the root first.

    These are the ones of the package or folder that it is run in, if it names one that the code has.
    """
    files = _list_files(code.tree, claim.tool)
    if claim.places[1:]:
        own = [source.path for source in list_packages(code, claim.places[1], "nx" if claim.tool == "nx" else "npm")]
        return own or files
    return _in_folder(code, claim, document, files)


@lru_cache(maxsize=200)
def _list_files(tree: Tree, tool: str) -> Sequence[str]:
    """Return the files that may define targets of a runner, nearest to the root first."""
    files = tree.files_named(*_FILES[tool])
    if tool in _MORE:
        files += [path for path in tree.files if path.endswith(_MORE[tool])]
    if tool in ("cargo", "mise"):
        config = f"{tool}/config.toml"
        files = [path for path in files if path.endswith(config) or not path.endswith("config.toml")]
    return sorted((path for path in files if "node_modules/" not in path), key=lambda path: (path.count("/"), path))


def _in_folder(code: Code, claim: Claim, document: Document, paths: Sequence[str]) -> Sequence[str]:
    """Return the files that count for a command that is run in a folder: there, or in the nearest folder above."""
    stated = claim.places[0] if claim.places else ""
    bases = dict.fromkeys((document.folder, posixpath.dirname(document.path), "")) if stated else ()
    spots = [posixpath.normpath(posixpath.join(base, stated)) for base in bases]
    spot = next((spot for spot in spots if code.tree.has_folder(spot)), "")
    while spot:
        own = [path for path in paths if posixpath.dirname(path) == spot]
        if own:
            return [*own, *(path for path in _included(code, own) if path not in own)]
        spot = posixpath.dirname(spot) if claim.tool != "make" else ""
    return paths


def _included(code: Code, paths: list[str]) -> list[str]:
    """Return the files that others include; all that are made to be included, if their names are computed."""
    found = []
    for path, text in code.texts(paths).items():
        found += [link for link in _read_links(path, text) if link in code.files]
        if re.search(r"^[-s]?include\b.*\$", text, re.MULTILINE):
            found += [other for other in code.files if other.endswith(".mk")]
    return found


def find_target(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where a command is defined."""
    paths = _definitions(code, claim, document)
    for path, text in code.texts(sorted(paths, key=partial(_distance, code, claim, document))).items():
        line = _line_in(path, text, claim, claim.name)
        if line:
            return Source(path, line, "" if claim.name in targets_in(path, text) else text.split("\n")[line - 1])
        if source := _find_in_part(code, path, text, claim):
            return source
    return _find_file(code, claim)


def _distance(code: Code, claim: Claim, document: Document, path: str) -> tuple[bool, int]:
    """Return the order in which files are searched for a command: those of other packages last, the nearest first."""
    there = posixpath.dirname(path)
    is_above = bool(there) and document.path.startswith(f"{there}/")
    return _is_of_other_package(code, claim, document, path), -len(there) if is_above else 0


def _is_of_other_package(code: Code, claim: Claim, document: Document, path: str) -> bool:
    """Return whether a file has the scripts of another package than the document's, whose command names no folder."""
    folder = posixpath.dirname(document.path)
    if claim.tool != "script" or any(claim.places) or not _has_package(code, folder):
        return False
    there = posixpath.dirname(path)
    return bool(there) and not f"{folder}/".startswith(f"{there}/") and not there.startswith(f"{folder}/")


def _has_package(code: Code, folder: str) -> bool:
    """Return whether a folder, or one above it other than the root, is a package with scripts."""
    while folder and f"{folder}/package.json" not in code.files:
        folder = posixpath.dirname(folder)
    return bool(folder)


def _find_in_part(code: Code, path: str, text: str, claim: Claim) -> Source | None:
    """Return where the part of a file that another one has defines a target: of `web::build`, `build` in that of `web`.

    For a part without a target, it is where the file names it.
    """
    part = _part_in(path, text, claim)
    if part is None:
        return None
    line, name, places = part
    if not name:
        return Source(path, line, text.split("\n")[line - 1])
    for place, inside in code.texts(places).items():
        if found := targets_in(place, inside).get(name):
            return Source(place, found, name)
    return None


def _part_in(path: str, text: str, claim: Claim) -> tuple[int, str, list[str]] | None:
    """Return the line where a file names the part that a target is in, the target there, and the files it may be."""
    if claim.tool not in _PARTS:
        return None
    pattern, usual = _PARTS[claim.tool]
    module, _, name = claim.name.partition("::" if claim.tool == "just" else ":")
    match = re.search(pattern.format(re.escape(module)), text, re.MULTILINE)
    if match is None:
        return None
    folder = posixpath.dirname(path)
    files = [match[1], *(posixpath.join(match[1], file) for file in _FILES[claim.tool])] if match[1] else []
    spots = files or [form.format(module) for form in usual]
    start = text.count("\n", 0, match.start() + match[0].find(module)) + 1
    return start, name, [posixpath.normpath(posixpath.join(folder, spot)) for spot in spots]


def _has_unread_part(code: Code, claim: Claim, document: Document) -> bool:
    """Return whether a target is in a part whose file is not known."""
    every = code.texts(_definitions(code, claim, document)) if claim.tool in _PARTS else {}
    parts = [_part_in(path, text, claim) for path, text in every.items()]
    return any(part is not None and not code.texts(part[2]) for part in parts)


def _has_unread_file(code: Code, claim: Claim, document: Document) -> bool:
    """Return whether a file that may define a target cannot be read: it is broken, or in a newer form of its format."""
    paths = [path for path in _definitions(code, claim, document) if not is_aside(path)]
    return any(_read(path, text) is None for path, text in code.texts(paths).items())


def _is_whole(source: Source, claim: Claim) -> bool:
    """Return whether a source has a target by its whole name, not as one of a part."""
    return source.actual != re.split("::?", claim.name)[-1]


def _find_file(code: Code, claim: Claim) -> Source | None:
    """Return the file that is a target itself: a task of mise or mix."""
    pattern = {"mise": _TASK_FILE, "mix": _MIX_TASK}.get(claim.tool)
    if pattern is None:
        return None
    name = claim.name.replace(":", "/") if claim.tool == "mise" else claim.name
    usual = (path for path in sorted(code.files) if (hit := pattern.search(path)) and hit[1] == name)
    return next(map(Source, itertools.chain(usual, _included_tasks(code, name) if claim.tool == "mise" else ())), None)


def _included_tasks(code: Code, name: str) -> Iterator[str]:
    """Yield the files of a task of mise in the folders that its settings include."""
    for folder in _task_folders(code):
        place = posixpath.join(folder, name)
        beginnings = f"{place}.", f"{place}/_default"
        yield from (path for path in sorted(code.files) if path == place or path.startswith(beginnings))


def _task_folders(code: Code) -> list[str]:
    """Return what the settings of mise include besides TOML files: folders, and addresses of other repositories."""
    texts = code.texts(_list_files(code.tree, "mise"))
    return [link for path, text in texts.items() for link in _read_links(path, text) if not link.endswith(".toml")]


@lru_cache(maxsize=100)
def _read_links(path: str, text: str) -> tuple[str, ...]:
    """Return the globs of the files that a file includes; empty if the file is broken."""
    try:
        return read_links(path, text.encode("utf-8", "surrogateescape"))
    except FormatError:
        return ()


def _has_foreign_tasks(code: Code, claim: Claim, _document: Document) -> bool:
    """Return whether the settings of mise include tasks that are not in the repository."""
    return claim.tool == "mise" and not all(map(code.has, _task_folders(code)))


def _line_in(path: str, text: str, claim: Claim, name: str) -> int:
    """Return the line where a file defines a target, or makes one of this name by a pattern; 0 if it does not."""
    line = targets_in(path, text).get(name, 0) if _may_define(path, text, name) else 0
    if line:
        return line
    if (part := _part_in(path, text, claim)) is not None and not part[1]:
        return part[0]
    for match in _PATTERN.finditer(text) if claim.tool == "make" else ():
        before, after = match[1], match[2]
        fits = claim.name.startswith(before) and claim.name.endswith(after) and len(claim.name) > len(before + after)
        if fits and before + after:
            return text.count("\n", 0, match.start()) + 1
    return 0


def _may_define(path: str, text: str, name: str) -> bool:
    """Return whether a file may define a target: one of JSON has its name as it is, or escaped."""
    return not path.endswith((".json", ".jsonc")) or name in text or "\\u" in text or "\\/" in text


def _takes_any(code: Code, claim: Claim, document: Document) -> bool:
    """Return whether a makefile makes targets of every name."""
    if claim.tool != "make":
        return False
    paths = _definitions(code, claim, document)
    near = [path for path in paths if posixpath.dirname(path) in (document.folder, "")]
    texts = code.texts(paths if claim.places[0] else near or paths).values()
    return any(
        re.search(r"^(?:%|\.DEFAULT)\s*::?(?!=)", text, re.MULTILINE) or _makes(text, claim.name) for text in texts
    )


def _makes(text: str, name: str) -> bool:
    """Return whether a template of a makefile may define a target. Source: GNU make's manual, "The eval Function"."""
    rules = _TEMPLATE_RULE.finditer(text) if "$(eval" in text or "${eval" in text else ()
    return any(name.startswith(match[1]) and name.endswith(match[2]) for match in rules)


def targets_in(path: str, text: str) -> Mapping[str, int]:
    """Return the targets of a file by name, each with its line; none if the file cannot be read."""
    return _read(path, text) or {}


@lru_cache(maxsize=2000)
def _read(path: str, text: str) -> Mapping[str, int] | None:
    # A part of a Taskfile may have any name: `includes: {docs: build/docs.yml}`.
    path = "Taskfile.yml" if path.endswith((".yml", ".yaml")) else path
    try:
        return read_scripts(path, text.encode("utf-8", "surrogateescape"))
    except FormatError:
        return None
