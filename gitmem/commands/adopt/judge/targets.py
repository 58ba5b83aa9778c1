"""Judge whether scripts and targets are defined, and were when the line was written."""

from __future__ import annotations

from functools import lru_cache

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, JudgedClaim, Probe, Source
from gitmem.document.sources.scripts import read_scripts
from gitmem.errors import FormatError
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.past import Past

# The files that define each runner's targets.
_FILES = {
    "script": ("package.json", "deno.json", "deno.jsonc"),
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
    "poe": ("pyproject.toml", "poe_tasks.toml"),
    "tox": ("tox.ini", "pyproject.toml", "setup.cfg"),
    "nox": ("noxfile.py",),
    "mise": ("mise.toml", ".mise.toml"),
    "invoke": ("tasks.py",),
    "rake": ("Rakefile",),
    "deno": ("deno.json", "deno.jsonc", "package.json"),
}
_MORE = {"make": (".mk",), "just": (".just",), "rake": (".rake",)}


def judge_command(mention: Mention, head: Code, past: Past) -> JudgedClaim | None:
    """Judge the claim that a command can be run; None if it turns out not to be a claim."""
    claim = mention.claim
    if not _definitions(head, claim.tool):
        return None
    if (source := _find(head, claim)) is not None:
        return JudgedClaim(mention, HOLDS, source, check={"script": claim.name, "in": escape(source.path)})
    if not claim.is_certain or mention.is_past or "*" in claim.name:
        return None
    wrote, _ = past.writer(mention)
    then = past.code(wrote)
    was = _find(then, claim) if then is not None else None
    if was is None:
        return JudgedClaim(mention, NEVER, held=None if then is None else False, wrote=wrote)
    probe = Probe(was.path, lambda text: claim.name in targets_in(was.path, text))
    return JudgedClaim(
        mention, FALSE, was, held=True, wrote=wrote, probe=probe, check={"script": claim.name, "in": escape(was.path)}
    )


def _definitions(code: Code, tool: str) -> list[str]:
    """Return the files that may define a command, nearest to the root first."""
    found = [path for name in _FILES[tool] for path in code.by_name.get(name, ()) if path in code.files]
    for ending in _MORE.get(tool, ()):
        found += [path for path in code.files if path.endswith(ending)]
    return sorted((path for path in found if "node_modules/" not in path), key=lambda path: (path.count("/"), path))


def _find(code: Code, claim: Claim) -> Source | None:
    """Return where a command is defined."""
    paths = _definitions(code, claim.tool)
    for path, text in code.texts(paths).items():
        line = targets_in(path, text).get(claim.name, 0)
        if line:
            return Source(path, line)
    return None


@lru_cache(maxsize=2000)
def targets_in(path: str, text: str) -> Mapping[str, int]:
    """Return the targets of a file by name, each with its line; none if the file cannot be read."""
    try:
        return read_scripts(path, text.encode("utf-8", "surrogateescape"))
    except FormatError:
        return {}
