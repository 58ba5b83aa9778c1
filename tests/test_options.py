"""Options of the Python API: a name that nobody reads is refused, with the nearest one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from support.syntax import parse

import gitmem
from gitmem.document.api_options import names_of
from gitmem.document.builtin_checks import CHECKS, iter_fields
from gitmem.document.memory_fields import CheckFields
from gitmem.errors import UsageError
from gitmem.memory import Memory
from gitmem.recall.query import Filters, Query

PACKAGE = Path(gitmem.__file__).parent

WRONG: dict[str, tuple[Callable[[Memory], object], str]] = {
    "remember": (lambda memory: memory.remember("Deploys need VPN", tag=["ops"]), "did you mean tags?"),
    "a second option": (
        lambda memory: memory.remember("Deploys need VPN", improtance="high"),
        "did you mean importance?",
    ),
    "fact": (lambda memory: memory.fact("There is a README", exsits="README.md"), "did you mean exists?"),
    "capture": (lambda memory: memory.capture("Deploys need VPN", path=["src"]), "did you mean paths?"),
    "edit": (lambda memory: memory.edit("vpn", fields={"tags": ["a"]}, unprovn=True), "did you mean unproven?"),
    "recall": (lambda memory: memory.recall("vpn", kind="gotcha"), "did you mean kinds?"),
    "list": (lambda memory: memory.list(collection="rules"), "did you mean collections?"),
    "tasks": (lambda memory: memory.tasks.add("Write it", prority=1), "did you mean priority?"),
    "workflow": (
        lambda memory: memory.learnings.inject("Use a clock", category="preference", titel="x"),
        "did you mean title?",
    ),
    "sources": (lambda memory: memory.sources.add("code", pathes=["src"]), "did you mean paths?"),
}

LISTS: dict[str, Callable[[Memory], object]] = {
    "tags": lambda memory: memory.remember("Deploys need VPN", tags="ops"),
    "requires": lambda memory: memory.fact("There is a README", exists="README.md", requires="ops"),
    "paths": lambda memory: memory.capture("Deploys need VPN", paths="ops"),
    "kinds": lambda memory: memory.list(kinds="ops"),
    "scopes": lambda memory: memory.recall("vpn", scopes="ops"),
}


@pytest.mark.parametrize("name", LISTS)
def test_text_for_a_list_is_refused_with_the_list(memory: Memory, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        LISTS[name](memory)

    assert caught.value.hint == f"{name}=['ops']"
    assert memory.list().hits == ()


@pytest.mark.parametrize("name", WRONG)
def test_misspelt_option_is_refused_with_the_nearest_one(memory: Memory, name: str) -> None:
    call, hint = WRONG[name]

    with pytest.raises(UsageError) as caught:
        call(memory)

    assert caught.value.hint == hint
    assert memory.list().hits == ()


def test_batch_refuses_a_misspelt_option(memory: Memory) -> None:
    with memory.bulk.batch() as batch, pytest.raises(UsageError, match="'tag'"):
        batch.remember("Deploys need VPN", tag=["ops"])  # type: ignore[call-arg]


def test_fields_of_your_own_have_a_name_of_their_own(memory: Memory) -> None:
    key = memory.remember("Deploys need VPN", more={"region": "eu"}).key

    assert "region: eu" in memory.repository.text_of(key)


def test_every_built_in_check_is_an_option_of_fact() -> None:
    assert {*CHECKS, *(field.keyword or field.name for field in iter_fields())} == set(names_of(CheckFields))


def test_filters_of_the_api_are_fields_of_a_query() -> None:
    assert set(names_of(Filters)) <= set(Query.__fields__)  # type: ignore[attr-defined]


@cache
def functions() -> list[tuple[str, str, ast.arguments]]:
    """Return the place, the name and the parameters of each function of the package."""
    return [
        (f"{path.relative_to(PACKAGE)}:{node.name}", node.name, node.args)
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def is_any(note: ast.expr | None) -> bool:
    return isinstance(note, ast.Name) and note.id == "Any"


def test_options_of_any_name_and_type_are_rare() -> None:
    """A copy of a frozen value, and what Whoosh passes to a subclass."""
    loose = [place for place, _, args in functions() if args.kwarg is not None and is_any(args.kwarg.annotation)]

    assert len(loose) <= 5, loose


def test_functions_have_few_parameters() -> None:
    """What belongs together is one argument: a new memory, a way of judging, the steps of a sync."""
    many = []
    for place, name, args in functions():
        names = [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        if len([one for one in names if one not in ("self", "cls")]) > 5 and name != "__init__":
            many.append(place)

    assert len(many) <= 60, many
