"""A generated code repository: Python files of a web service, and facts about them that gitmem can check itself."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from random import Random

from benchmarks import vocabulary as words

# Of all facts, those whose check does not hold: a store in use always has a few.
BROKEN_SHARE = 0.005


@dataclass(frozen=True)
class CodeFile:
    """One file of the generated code.

    Attributes:
        path: ``src/<area>/<part>_<role>.py``.
        area: The folder under ``src/``.
        text: The source, about 1.5 KB.
        functions: The names of its functions.
        class_name: The name of its one class.
        limit: The name of its one constant.
    """

    path: str
    area: str
    text: str
    functions: tuple[str, ...]
    class_name: str
    limit: str


def code_path(number: int) -> tuple[str, str]:
    """Return the path and the area of the file of this number (>= 0); numbers next to each other differ in area."""
    number, area = divmod(number, len(words.AREAS))
    number, part = divmod(number, len(words.PARTS))
    number, role = divmod(number, len(words.ROLES))
    suffix = f"_{number}" if number else ""
    name = f"{words.PARTS[part]}_{words.ROLES[role]}{suffix}"
    return f"src/{words.AREAS[area]}/{name}.py", words.AREAS[area]


def path_in(area: str, rng: Random, count: int) -> str:
    """Return the path of one of the *count* files that lies in this area (the first of it where there is none)."""
    step = len(words.AREAS)
    first = words.AREAS.index(area)
    return code_path(first + step * int(rng.random() * max(1, (count - first + step - 1) // step)))[0]


def code_files(count: int, seed: int) -> list[CodeFile]:
    """Return the files of a repository of *count* files."""
    return [_code_file(number, seed) for number in range(count)]


def _code_file(number: int, seed: int) -> CodeFile:
    rng = Random(f"{seed}/{number}")
    path, area = code_path(number)
    part, role = path.rsplit("/", 1)[1].removesuffix(".py").split("_", 1)
    verbs = rng.sample(words.VERBS, 4)
    functions = tuple(f"{verb}_{part}" for verb in verbs)
    class_name = part.capitalize() + "".join(piece.capitalize() for piece in role.split("_"))
    limit = f"{part.upper()}_{rng.choice(('TIMEOUT_S', 'LIMIT', 'RETRIES', 'BATCH_SIZE'))}"
    head = (
        f'"""The {role} of {part}s in {area}."""\n\nfrom __future__ import annotations\n\nimport logging\n\n'
        f"from src.{area} import settings\n\nLOG = logging.getLogger(__name__)\n{limit} = {rng.randrange(1, 600)}\n"
    )
    body = "".join(_function(rng, name, part, limit) for name in functions)
    methods = "".join(
        f"\n    def {verb}(self, {part}_id: str) -> None:\n"
        f'        """{verb.capitalize()} the {rng.choice(words.NOUNS)} of one {part}."""\n'
        f"        self.{rng.choice(words.NOUNS)} = {verb}_{part}({part}_id)\n"
        for verb in verbs[:3]
    )
    tail = f'\n\nclass {class_name}:\n    """Holds {part}s for {area}."""\n{methods}'
    return CodeFile(path, area, head + body + tail, functions, class_name, limit)


def _function(rng: Random, name: str, part: str, limit: str) -> str:
    noun, other = rng.sample(words.NOUNS, 2)
    return (
        f"\n\ndef {name}({part}_id: str, *, {noun}: int = {rng.randrange(100)}) -> dict[str, int]:\n"
        f'    """Return the {noun} of a {part} by {other}."""\n'
        f"    if {noun} > {limit}:\n"
        f'        LOG.warning("%s: {noun} passes the {other}", {part}_id)\n'
        f'    return {{"{noun}": {noun}, "{other}": settings.get("{other}", {rng.randrange(1000)})}}\n'
    )


@dataclass(frozen=True)
class Claim:
    """What a fact says about the code.

    Attributes:
        title: The fact's title.
        area: The area of the code it is about.
        check: The mapping of its built-in check.
        paths: The code it is about.
    """

    title: str
    area: str
    check: dict[str, str]
    paths: tuple[str, ...]


def claim(rng: Random, files: list[CodeFile]) -> Claim:
    """Return a fact about one of *files*; of many, ``BROKEN_SHARE`` do not hold."""
    file = files[int(rng.random() * len(files))]
    function = file.functions[int(rng.random() * len(file.functions))]
    if rng.random() < BROKEN_SHARE:
        function = f"{function}_once"
        title, check = f"{function} is in {file.path}", {"contains": f"def {function}(", "in": file.path}
    else:
        title, check = _true_claim(rng.random(), file, function)
    return Claim(title, file.area, check, (check.get("in") or check.get("exists") or check["absent"],))


def _true_claim(which: float, file: CodeFile, function: str) -> tuple[str, dict[str, str]]:
    """Return the title and check of a fact that holds.

    The forms are mixed as facts about code are: mostly of one file, some of a folder, very few of everything.
    """
    path, area, folder = file.path, file.area, f"src/{file.area}"
    if which < 0.30:
        return f"{function} is in {path}", {"contains": f"def {function}(", "in": path}
    if which < 0.42:
        return f"{file.class_name} of {area} has its file", {"exists": path}
    if which < 0.58:
        return f"{file.limit} is a plain number in {area}", {"matches": rf"{file.limit} = [0-9]+", "in": path}
    if which < 0.72:
        return f"No eval in {area} beside {function}", {"lacks": "eval(", "in": f"{folder}/*.py"}
    if which < 0.84:
        return f"{area} has one {file.class_name}", {"contains": f"class {file.class_name}:", "in": f"{folder}/**"}
    if which < 0.93:
        return f"The old {file.class_name} of {area} is gone", {"absent": path.replace(".py", "_legacy.py")}
    if which < 0.995:
        return f"{path} is as reviewed", {"same": sha256(file.text.encode()).hexdigest(), "in": path}
    return f"Nothing prints in src, as {function} once did", {"lacks": "print(", "in": "src/**"}
