"""Every pattern reads hostile text in linear time: documents, code and outputs come from other people."""

import ast
import importlib
import inspect
import math
import pkgutil
import re
import time
from collections import deque
from re import _parser as sre_parser

import pytest
from support.syntax import parse

PACKAGES = (
    *("gitmem.commands.adopt", "gitmem.plugins.import_", "gitmem.plugins.pull"),
    *("gitmem.document", "gitmem.index", "gitmem.recall", "gitmem.text", "gitmem.verify"),
)
# What is repeated: letters, marks, and starts of what patterns look for.
SEEDS = (
    *("a", "1", "é", " ", "\n", "-", ".", "/", "\\", "(", "[", "{", "<", "=", ":", '"', "'", "`", "*", "#", "|", "$"),
    *(
        "a.",
        "a_",
        "a ",
        "a,",
        "a(",
        "a:",
        "a=",
        "a/",
        "a-",
        "A_",
        "- ",
        "1,",
        "1.",
        "a, ",
        "[a](",
        "](",
        "`a` ",
        '"a" ',
    ),
    *("--a ", "#[a]\n", "@a\n", "a\n", " \n", "${", "const ", "def a(", "a::"),
)
# What is repeated behind each text that a pattern looks for.
BEHIND = (" ", "a", "  a\n")
SMALLEST, SMALL, LARGE = 48, 128, 2048
# Below this CPU time in seconds nothing is compared: for the larger text, a quadratic pattern takes more.
FLOOR_S = 0.0015
METHODS = frozenset({"match", "fullmatch", "search", "finditer", "findall", "sub", "split"})


def used_patterns():
    """Return each pattern with its place and the methods by which its module uses it."""
    found = {}
    for package in PACKAGES:
        root = importlib.import_module(package)
        names = [package, *(one.name for one in pkgutil.walk_packages(root.__path__, f"{package}."))]
        for module in map(importlib.import_module, names):
            source = inspect.getsource(module)
            calls = set(re.findall(r"\b(\w+)\.(\w+)\b", source))
            every = METHODS.intersection(re.findall(r"\.(\w+)\b", source)) - {"split", "sub"}  # those are of texts
            for name, value in vars(module).items():
                for pattern, method in patterns_in(value):
                    used = found.setdefault(pattern, (f"{module.__name__}.{name}", set()))[1]
                    methods = {of for owner, of in calls if owner == name and of in METHODS} or every
                    used.update([method] if method else methods)
            for pattern, line, method in literals_in(source):
                found.setdefault(pattern, (f"{module.__name__}:{line}", set()))[1].add(method)
    return [(pattern, place, methods) for pattern, (place, methods) in found.items()]


def literals_in(source):
    """Yield the patterns that a module gives to a function of `re`, with their line and the function."""
    for node in ast.walk(parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=str(text)), *_]
            ) if method in METHODS:
                yield re.compile(text), node.lineno, method


def patterns_in(value):
    """Yield the patterns in a value, a table or an object of the project; with a method, if it is a bound one."""
    if isinstance(value, re.Pattern):
        yield value, ""
    elif isinstance(value, (tuple, list, set, frozenset)):
        for one in value:
            yield from patterns_in(one)
    elif isinstance(value, dict):
        yield from patterns_in(tuple(value.values()))
    elif isinstance(getattr(value, "__self__", None), re.Pattern):
        yield value.__self__, value.__name__
    elif hasattr(value, "__fields__") and not isinstance(value, type):
        yield from patterns_in(tuple(getattr(value, name) for name in value.__fields__))


def uses_of(pattern, methods):
    """Return the functions that read a text as the code does."""
    is_bytes = isinstance(pattern.pattern, bytes)
    at_once = {"match": pattern.match, "fullmatch": pattern.fullmatch, "search": pattern.search}
    uses = [at_once[name] for name in methods if name in at_once]
    if len(uses) < len(methods) or not methods:
        uses.append(lambda text: deque(pattern.finditer(text), 0))
    return [(lambda text, use=use: use(text.encode("utf-8"))) if is_bytes else use for use in uses]


def literals_of(pattern):
    """Return the texts of two or more letters, and the single marks, that a pattern looks for, with ends of lines."""
    is_bytes = isinstance(pattern.pattern, bytes)
    parsed = sre_parser.parse(pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern, pattern.flags)
    runs = dict.fromkeys(run for run in runs_in(parsed) if len(run) > 1 or not run.isalnum())
    return [text for run in list(runs)[:6] for text in (run, f"{run}\n")]


def runs_in(parsed):
    """Yield the literal texts of a parsed pattern."""
    run = ""
    for operation, value in parsed:
        if str(operation) == "LITERAL":
            run += chr(value)
            continue
        if run:
            yield run
        run = ""
        for part in value if isinstance(value, (tuple, list)) else ():
            for one in part if isinstance(part, list) else [part]:
                if isinstance(one, sre_parser.SubPattern):
                    yield from runs_in(one)
    if run:
        yield run


def cpu_s(use, seed, size, before=""):
    """Return the CPU time for a text that repeats something, in seconds; the least of three if it is long."""
    text = before + seed * (size // len(seed)) + "!\x01"
    least = math.inf
    for _ in range(3):
        start = time.process_time()
        use(text)
        least = min(least, time.process_time() - start)
        if not FLOOR_S <= least <= 10 * FLOOR_S:
            break  # too short to compare, or so long that other processes hardly matter
    return least


def is_quadratic(use, seed, size, before):
    """Return whether four times as much text takes eight times as long, also where no bound of a repetition reaches."""
    growth = cpu_s(use, seed, 4 * size, before) / cpu_s(use, seed, size, before)
    if not 8 < growth < 32:  # a cubic one takes 64 times as long, and hours for the text below
        return growth > 8
    return cpu_s(use, seed, 8 * LARGE, before) > 8 * cpu_s(use, seed, 2 * LARGE, before)


def slow_seeds(pattern, methods):
    """Return the first text that makes a pattern slow, if there is one: what it begins with, and what is repeated."""
    alone = [("", seed, (SMALL, LARGE)) for seed in SEEDS]
    behind = [(text, seed, (SMALLEST, 2 * SMALL)) for text in literals_of(pattern) for seed in BEHIND]
    for use in uses_of(pattern, methods):
        for before, seed, sizes in alone + behind:
            for size in sizes:
                took = cpu_s(use, seed, size, before)
                if took > FLOOR_S:
                    is_exponential = size < LARGE and took > 10 * FLOOR_S  # more text would take forever
                    if is_exponential or is_quadratic(use, seed, size, before):
                        return [before, seed]
                    break
    return []


def test_every_pattern_reads_hostile_text_in_linear_time():
    every = used_patterns()

    slow = {place: seeds for pattern, place, methods in every if (seeds := slow_seeds(pattern, methods))}

    assert slow == {}
    assert len(every) > 300, "patterns of modules, tables and objects are found"


@pytest.mark.parametrize(
    "pattern", [r"\s*x", r"\w*Var", r"(?m)^\s*x", r"^\[+\s*([\w ]+?)\s*\]", r"at: *\n(?: +(?!at)[^\n]*\n){0,20} +at"]
)
def test_slow_pattern_is_found(pattern):
    assert slow_seeds(re.compile(pattern), {"search"})
