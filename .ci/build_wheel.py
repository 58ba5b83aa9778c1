"""The build back end: flit's, and a wheel has the byte code of what `recall` and the hooks load in one file.

Finding 70 to 100 modules one by one is an eighth of what a `recall` costs. `gitmem/__main__.py` reads the file. It
imports the usual way what is not in it or has changed since, and everything if another Python built the wheel.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import marshal
import sys
import zipfile
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from flit_core import buildapi
from flit_core.buildapi import (  # noqa: F401 - the other hooks of PEP 517 and 660
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

# What a program starts with, and what it imports inside functions; each client's module is one too. Their own imports
# are followed.
ROOTS = """
    gitmem.cli.recall gitmem.cli.client_hook gitmem.cli.terminal gitmem.memory.memory gitmem.agents.on_event
    gitmem.agents.clients_without_hooks gitmem.agents.payload gitmem.agents.transcripts.turns
    gitmem.commands.install.agents gitmem.document.api_options gitmem.recall.other_forms gitmem.recall.searched_store
    gitmem.recall.when gitmem.repository.open_repository gitmem.store.state.foreign_files
    gitmem.store.state.registration gitmem.store.universal
""".split()


# Where functions keep their docstrings, for `help()`: elsewhere they are a tenth of the byte code.
DOCUMENTED = ("gitmem.memory", "gitmem.recall.query", "gitmem.errors", "gitmem.model")


def build_wheel(
    wheel_directory: str, config_settings: dict[str, object] | None = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel as flit does, and add the merged byte code; return the file's name."""
    name: str = buildapi.build_wheel(wheel_directory, config_settings, metadata_directory)
    add_byte_code(Path(wheel_directory) / name)
    return name


def add_byte_code(wheel: Path) -> None:
    """Write *wheel* again with the byte code of this Python in it, listed in its RECORD."""
    with zipfile.ZipFile(wheel) as old:
        files = [(entry, old.read(entry)) for entry in old.infolist()]
    code = merged({entry.filename: text for entry, text in files})
    path = f"gitmem/start.{sys.implementation.cache_tag}.bin"
    digest = base64.urlsafe_b64encode(hashlib.sha256(code).digest()).rstrip(b"=").decode()
    record = f"{path},sha256={digest},{len(code)}\n".encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as new:
        for entry, text in files:
            if entry.filename.endswith(".dist-info/RECORD"):
                added = zipfile.ZipInfo(path, max(other.date_time for other, _ in files))
                added.external_attr = 0o644 << 16
                new.writestr(added, code, zipfile.ZIP_DEFLATED, 9)
                new.writestr(entry, record + text, zipfile.ZIP_DEFLATED, 9)
            else:
                new.writestr(entry, text, zipfile.ZIP_DEFLATED, 9)


def merged(files: dict[str, bytes]) -> bytes:
    """Return Python's magic number, the length of an index, the index, and the code that it points into."""
    index, codes, start = {}, [], 0
    for name, path in sorted(reached(files)):
        tree = ast.parse(files[path])
        if not name.startswith(DOCUMENTED):
            remove_docstrings(tree)
        flags = remove_future(tree)
        code = marshal.dumps(compile(tree, path, "exec", flags, dont_inherit=True, optimize=0))
        index[name] = (path.removeprefix("gitmem/"), len(files[path]), start, len(code))
        codes.append(code)
        start += len(code)
    head = marshal.dumps(index)
    return b"".join((MAGIC_NUMBER, len(head).to_bytes(4, "little"), head, *codes))


def remove_future(tree: ast.Module) -> int:
    """Remove `from __future__ import annotations`, and return the compiler's flag for it: its module need not load."""
    before = len(tree.body)
    tree.body = [one for one in tree.body if not (isinstance(one, ast.ImportFrom) and one.module == "__future__")]
    return annotations.compiler_flag if len(tree.body) < before else 0


def remove_docstrings(tree: ast.Module) -> None:
    """Remove the docstrings of the functions of a module; those of the module and its classes stay."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:] or [ast.copy_location(ast.Pass(), node.body[0])]


def reached(files: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield the modules that ROOTS load with their files, those left out that run before the merged code is read."""
    clients = [path[:-3].replace("/", ".") for path in files if path.startswith("gitmem/agents/clients/")]
    todo, seen = [*ROOTS, *clients], {"gitmem", "gitmem.__main__"}
    while todo:
        name = todo.pop()
        base = name.replace(".", "/")
        path = next((each for each in (f"{base}/__init__.py", f"{base}.py") if each in files), None)
        if path is None and name in ROOTS:
            raise FileNotFoundError(f"ROOTS names {name}, which is not in the wheel")
        if name in seen or path is None:
            continue
        seen.add(name)
        yield name, path
        todo += [name.rpartition(".")[0], *imports(ast.parse(files[path]).body)]


def imports(body: list[ast.stmt]) -> Iterator[str]:
    """Yield what the statements of a module import as it loads, names of functions and classes included."""
    for statement in body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            yield statement.module
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)
        elif isinstance(statement, ast.If):
            if ast.unparse(statement.test) != "TYPE_CHECKING":
                yield from imports(statement.body)
            yield from imports(statement.orelse)
        elif isinstance(statement, ast.Try):
            yield from imports(statement.body)
