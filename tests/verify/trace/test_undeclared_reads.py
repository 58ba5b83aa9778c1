"""What a check reads although its memory's paths do not name it."""

from __future__ import annotations

from support.each import each

from gitmem.verify.trace.reads import Places
from gitmem.verify.trace.undeclared_reads import LIMIT, advice, list_undeclared, parse_paths

FILES = ("README.md", "docs/a.md", "setup.cfg", "src/a.py", "src/sub/b.py")
PLACES = Places([("100644", path, path) for path in FILES], FILES)


@each(
    ("reads", "paths", "found"),
    [
        (["=src/a.py", "=setup.cfg"], ["src/**"], ["setup.cfg"]),
        (["=src/a.py", "/src", "/src/sub"], ["src/**"], []),
        (["/src", "=src/a.py"], ["src/*.py"], []),
        (["/src/sub"], ["src/a.py"], ["src/sub/"]),
        (["=new.cfg"], ["README.md"], ["new.cfg"]),
        (["=a.so", "=setup.cfg", "=README.md"], ["src/**"], ["README.md", "setup.cfg", "a.so"]),
        (["=new.cfg"], ["new.cfg"], []),
        (["~docs"], ["src/**"], ["docs/**"]),
        (["~docs"], ["docs/**"], []),
        (["~"], ["src/**"], ["**"]),
        (["/", "=src", "=.gitignore", "=src/__pycache__", "=pyvenv.cfg", "/build"], ["src/a.py"], []),
        (["=setup.cfg"], [], []),
    ],
)
def test_only_what_someone_would_declare_is_reported(reads, paths, found):
    assert parse_paths(list_undeclared(reads, PLACES, paths)) == found


def test_few_are_kept_and_fewer_are_reported():
    many = list_undeclared([f"=f{n:02}" for n in range(50)], PLACES, ["src/**"])
    long = list_undeclared([f"={n:02}{'x' * 400}" for n in range(9)], PLACES, ["src/**"])

    assert len(parse_paths(many)) == 20
    assert len(long) <= LIMIT
    assert "f04 and 15 more" in advice("k", many) and "gitmem edit k --path" in advice("k", many)
    assert advice("k", "") == ""


def test_hidden_characters_of_a_name_do_not_reach_a_terminal():
    assert "\x1b" not in advice("k", "\x1b[2J") and "\u202e" not in advice("k", "a\u202eb")
