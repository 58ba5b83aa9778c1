"""Choose the reader for a file by its name, and read the value at an address. Pure."""

from __future__ import annotations

from functools import lru_cache

from gitmem.document.sources import edn, jsonc, lines, toml, xml, yaml
from gitmem.document.sources.assignment import find_assignment
from gitmem.document.sources.node import Node, unreadable
from gitmem.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

    Reader = Callable[[str], Node]

# The largest file: lock files of large projects have a megabyte or two, and larger files are not written by hand.
SIZE_LIMIT = 8 * 1024 * 1024

_NAMES: dict[str, Reader] = {
    "go.mod": lines.read_go_mod,
    "go.work": lines.read_go_mod,
    ".tool-versions": lines.read_tool_versions,
    "Pipfile": toml.read,
    "Cargo.lock": toml.read,
    "poetry.lock": toml.read,
    "uv.lock": toml.read,
    "pdm.lock": toml.read,
    "Pipfile.lock": jsonc.read,
    "composer.lock": jsonc.read,
    "project.clj": edn.read,
    "yarn.lock": yaml.read,
    ".prettierrc": yaml.read,  # JSON is YAML
    ".babelrc": jsonc.read,
    ".eslintrc": yaml.read,
    ".clang-format": yaml.read,
    ".clang-tidy": yaml.read,
    ".editorconfig": lines.read_ini,
    ".flake8": lines.read_ini,
    ".pylintrc": lines.read_ini,
    ".npmrc": lines.read_ini,
    ".coveragerc": lines.read_ini,
    ".gitconfig": lines.read_ini,
    ".sdkmanrc": lines.read_ini,
    **dict.fromkeys(
        tuple(
            """
            .nvmrc .node-version .python-version .ruby-version .java-version .go-version .terraform-version .bun-version
            .deno-version .php-version .bazelversion VERSION rust-toolchain version.txt VERSION.txt
            """.split()
        ),
        lines.read_single,
    ),
}
_EXTENSIONS: dict[str, Reader] = {
    "toml": toml.read,
    "edn": edn.read,
    **dict.fromkeys(("json", "jsonc", "json5", "code-workspace", "webmanifest"), jsonc.read),
    **dict.fromkeys(("yaml", "yml"), yaml.read),
    **dict.fromkeys(("ini", "cfg", "conf", "properties", "env"), lines.read_ini),
    **dict.fromkeys(("xml", "csproj", "fsproj", "vbproj", "props", "targets", "nuspec"), xml.read),
}


# The characters of a file whose nodes are kept longer.
_SMALL = 64 * 1024


def read_value(path: str, content: bytes, keys: Sequence[str]) -> Node | None:
    """Return the value at a key in a file, or None.

    Raises:
        FormatError: The file's content does not match its name, it is too large, or it is not text.
    """
    text = decode(content)
    reader = find_reader(path)
    if reader is not None:
        node = _parsed(reader, text).find(keys)
        return None if node is None or (not keys and node.text is None) else node
    if not keys:
        node = lines.read_single(text)
        return node if node.text is not None else None
    return find_assignment(text, keys, _extension(path))


def spell_key(path: str, content: bytes, keys: Sequence[str]) -> tuple[str, ...]:
    """Return a key whose names have the dots that they have in a file: `server.port` of a properties file is one name.

    It is empty if the file has no such names, or cannot be read.
    """
    try:
        return read_source(path, content).spell(keys)
    except FormatError:
        return ()


def read_source(path: str, content: bytes) -> Node:
    """Return the content of a structured file; an empty mapping for an unknown format.

    Raises:
        FormatError: As for ``read_value``.
    """
    reader = find_reader(path)
    return _parsed(reader, decode(content)) if reader is not None else Node(1, members={})


def find_reader(path: str) -> Reader | None:
    """Return the reader that parses a file of this name into nodes, or None for source code and other text."""
    name = path.rpartition("/")[2]
    if name in _NAMES:
        return _NAMES[name]
    if "Dockerfile" in name or "Containerfile" in name:
        return lines.read_dockerfile
    if name == ".env" or name.startswith(".env."):
        return lines.read_ini
    return _EXTENSIONS.get(_extension(path))


def decode(content: bytes) -> str:
    """Return a file's text with line feeds only.

    Raises:
        FormatError: It is too large, or not text.
    """
    if len(content) > SIZE_LIMIT:
        raise unreadable(f"it is larger than {SIZE_LIMIT // 1024 // 1024} MiB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise unreadable("it is not UTF-8") from err
    return text.replace("\r\n", "\n")


def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    if name in ("Makefile", "makefile", "GNUmakefile"):
        return "make"
    if name.lower() in ("justfile", ".justfile"):
        return "just"
    return name.rpartition(".")[2].lower()


def iter_matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each match with its line number, counting lines once over the whole text."""
    line, at = 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield match, line


def _parsed(reader: Reader, text: str) -> Node:
    return (_parsed_small if len(text) < _SMALL else _parsed_large)(reader, text)


# Often several checks read the same file; nodes take much more memory than their text.
@lru_cache(maxsize=64)
def _parsed_small(reader: Reader, text: str) -> Node:
    return reader(text)


@lru_cache(maxsize=8)
def _parsed_large(reader: Reader, text: str) -> Node:
    return reader(text)
