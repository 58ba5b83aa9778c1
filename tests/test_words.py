"""One word for one thing: what a parameter with a word of the house holds."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from support.syntax import parse

from tests.test_layers import MODULES

# The types of parameters with these names. A text is the name of one, as a person types it.
OPENED = {
    "repository": {"OpenRepository", "str"},
    "memory": {"Memory"},
    "store": {"OpenStore", "ListedStore", "str"},
}


def misnamed(module: str, source: str) -> list[str]:
    """Return the parameters whose name is that of another type, a line each."""
    functions = (node for node in ast.walk(parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [
        f"{module}:{one.lineno}: {one.arg}: {ast.unparse(one.annotation)}"
        for function in functions
        for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if one.arg in OPENED and one.annotation is not None
        if ast.unparse(one.annotation).removesuffix(" | None") not in OPENED[one.arg]
    ]


def test_a_repository_a_store_and_the_memory_have_one_name_each() -> None:
    assert [line for name, path in MODULES.items() for line in misnamed(name, path.read_text())] == []


@pytest.mark.parametrize("parameter", ["memory: OpenRepository", "store: Memory | None", "repository: Repository"])
def test_another_type_with_such_a_name_is_found(parameter: str) -> None:
    assert misnamed("gitmem.a", f"def f(x: int, *, {parameter}) -> None: ...") == [f"gitmem.a:1: {parameter}"]


def test_few_classes_share_a_name() -> None:
    """Two things with one name make a reader look twice; a private class is read where it stands."""
    places: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in ast.walk(parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module)
    shared = {name: modules for name, modules in places.items() if len(modules) > 1}

    assert len(shared) <= 26, shared


# Names that say little of what they hold, and in how many places they may be bound: `one` beside `other`, `found`
# where a search says by itself of what. Use the name of the thing; lower a number when you can.
VAGUE = {"found": 335, "one": 179, "done": 55, "said": 20, "beside": 19, "made": 11, "told": 0}


def bindings(source: str) -> list[str]:
    """Return the name of each parameter and variable that a module binds, once for each place."""
    return [
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(parse(source))
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]


def test_names_that_say_little_are_rare() -> None:
    counts = Counter(name for path in MODULES.values() for name in bindings(path.read_text()) if name in VAGUE)

    assert {name: count for name, count in counts.items() if count > VAGUE[name]} == {}
