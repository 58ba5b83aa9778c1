"""Read files with one statement per line: INI, .env, go.mod, Dockerfile, .tool-versions, .nvmrc and similar. Pure.

Source: configparser without interpolation (Python), and what dotenv files add: ``export``, quotes; go.dev/ref/mod;
docs.docker.com/reference/dockerfile, asdf-vm.com/manage/configuration.
"""

from __future__ import annotations

import re

from gitmem.document.sources.node import Node

_GO_REQUIRE = re.compile(r"(?<!\S)(\S+)\s+(v\S+)")
_FROM = re.compile(r"FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)
_ARG = re.compile(r"(ARG|ENV)\s+([A-Za-z_]\w*)(?:\s*=\s*|\s+|$)(.*)", re.IGNORECASE)
_PAIR = re.compile(r"([A-Za-z_]\w{0,200})=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S*)")
_OTHER = re.compile(r"(EXPOSE|WORKDIR|USER|ENTRYPOINT|CMD|STOPSIGNAL)\s+(.*)", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?-([^}$]*))?\}|(\w+))")


def read_single(text: str) -> Node:
    """Return the single value of a file such as ``.nvmrc``: its first line that is not a comment."""
    for line, written in enumerate(text.split("\n"), start=1):
        value = written.split("#")[0].strip()
        if value:
            return Node(line, value)
    return Node(1)


def read_tool_versions(text: str) -> Node:
    """Return the tools in ``.tool-versions`` with their first version."""
    members: dict[str, Node] = {}
    for line, written in enumerate(text.split("\n"), start=1):
        words = written.split("#")[0].split()
        if len(words) > 1:
            members.setdefault(words[0], Node(line, words[1]))
    return Node(1, members=members)


def read_go_mod(text: str) -> Node:
    """Return the directives in ``go.mod`` or ``go.work``: ``require`` maps modules to versions, ``use`` is a list."""
    members: dict[str, Node] = {}
    required: dict[str, Node] = {}
    used: list[Node] = []
    block = ""
    for line, written in enumerate(text.split("\n"), start=1):
        words = written.split("//")[0].split()
        if not words:
            continue
        if block and words == [")"]:
            block = ""
        elif words[1:] == ["("]:
            block = words[0]
        elif (block or words[0]) == "require":
            match = _GO_REQUIRE.search(" ".join(words if block else words[1:]))
            if match:
                required[match[1].strip('"')] = Node(line, match[2])
        elif (block or words[0]) == "use":
            used.append(Node(line, words[-1]))
        elif not block and len(words) > 1:
            members.setdefault(words[0], Node(line, " ".join(words[1:])))
    first = min((node.line for node in required.values()), default=1)
    if used:
        members["use"] = Node(used[0].line, items=used)
    return Node(1, members={**members, "require": Node(first, members=required)})


def read_dockerfile(text: str) -> Node:
    """Return the values in a Dockerfile.

    ``FROM`` is the image of the last stage and, by name, the tags of all images; ``ARG`` and ``ENV`` are mappings, and
    their names are also members themselves. Variables with known defaults are replaced.
    """
    members: dict[str, Node] = {}
    images: dict[str, Node] = {}
    variables: dict[str, dict[str, Node]] = {"ARG": {}, "ENV": {}}
    last, stages = Node(1), set[str]()
    for line, written in _instructions(text):
        known = {**variables["ARG"], **variables["ENV"]}
        match, other = _FROM.match(written), _OTHER.match(written)
        if match:
            if match[1] not in stages:
                last = Node(line, _replaced(match[1], known))
                for name, tag in _image(last.text or ""):
                    images.setdefault(name, Node(line, tag))
            if match[2]:
                stages.add(match[2])
        elif argument := _ARG.match(written):
            kind = argument[1].upper()
            pairs = _PAIR.findall(written) if "=" in written else [(argument[2], argument[3])]
            for name, value in pairs:
                node = Node(line, _replaced(value.strip("'\""), known))
                if value or name not in variables[kind]:
                    variables[kind][name] = node
                    members.setdefault(name, node)
        elif other:
            members[other[1].upper()] = Node(line, other[2].strip())
    members |= {kind: Node(1, members=found) for kind, found in variables.items()}
    members["FROM"] = Node(last.line, last.text, members=images)
    return Node(1, members=members)


def _instructions(text: str) -> list[tuple[int, str]]:
    """Return the instructions, each with its first line; a backslash continues a line."""
    instructions: list[tuple[int, str]] = []
    held, begun = "", 0
    for line, written in enumerate(text.split("\n"), start=1):
        stripped = written.strip()
        if not stripped or stripped[0] == "#":
            continue
        begun = begun or line
        if stripped.endswith("\\"):
            held += stripped[:-1] + " "
            continue
        instructions.append((begun, held + stripped))
        held, begun = "", 0
    return instructions


def _replaced(text: str, known: dict[str, Node]) -> str:
    def value(match: re.Match[str]) -> str:
        node = known.get(match[1] or match[3])
        if node is not None and node.text:
            return node.text
        return match[2] if match[2] is not None else match[0]

    return _VARIABLE.sub(value, text)


def _image(reference: str) -> list[tuple[str, str]]:
    """Return the names of an image (the full one, and its last part), each with its tag."""
    name, _, digest = reference.partition("@")
    path, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        path, tag = name, digest or "latest"
    return [(path, tag), (path.rpartition("/")[2], tag)]


def read_ini(text: str) -> Node:
    """Return the sections of an INI file as mappings of names to texts; entries before any section are at the top.

    Other lines are left out: editors and tools disagree about the format.
    """
    top: dict[str, Node] = {}
    section, last = top, ""
    for line, written in enumerate(text.split("\n"), start=1):
        stripped = written.strip()
        if not stripped or stripped[0] in "#;!":
            continue
        if stripped[0] == "[" and stripped[-1] == "]":
            section, last = {}, ""
            name = stripped[1:-1].strip()
            before = top.get(name)
            section = dict(before.members or {}) if before is not None else {}
            top[name] = Node(before.line if before is not None else line, members=section)
        elif written[0] in " \t" and last:
            held = section[last]
            section[last] = Node(held.line, f"{held.text}\n{stripped}")
        else:
            last = _add(section, stripped, line)
    return Node(1, members=top)


def _add(section: dict[str, Node], stripped: str, line: int) -> str:
    """Add a name with its value; return the name, or an empty string if there is none."""
    at = min((stripped.index(mark) for mark in "=:" if mark in stripped), default=-1)
    if at <= 0:
        return ""
    name = stripped[:at].strip().removeprefix("export ").strip()
    value = stripped[at + 1 :].strip()
    quote = value[:1]
    if quote and quote in "'\"" and value.find(quote, 1) > 0:
        value = value[1 : value.index(quote, 1)]
    else:
        value = value.split(" #")[0].split(" ;")[0].rstrip()
    section[name] = Node(line, value)
    return name
