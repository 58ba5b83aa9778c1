"""Targets of every tool: their names and lines."""

from __future__ import annotations

import tracemalloc

from support.each import each

from gitmem.document.sources.scripts import read_scripts


@each(
    ("path", "text", "targets"),
    [
        ("Makefile", "X := 1\nall test: dep\n\techo\n.PHONY: all\nout/%.o: a\n", {"all": 2, "test": 2}),
        (
            "Makefile",
            "A := x \\\n  y\nB = $(A) z\n$(B): ; @go\nbuild-${A}:: dep\nnot-$(C):\n$(shell ls):\n\t$(A): no\n",
            {"x": 4, "y": 4, "z": 4, "build-x": 5, "build-y": 5},
        ),
        ("deps.edn", "{:aliases {:dev {}\n:test {}}}", {"dev": 1, "test": 2}),
        ("web/project.json", '{"targets": {"build": {},\n"lint": {}}}', {"build": 1, "lint": 2}),
        ("package.json", '{"scripts": {\n"build": "tsc",\n"test:unit": "x"}}', {"build": 2, "test:unit": 3}),
        (
            "justfile",
            "x := '1'\n@build target='a':\n  echo\ntest: build\nalias b := build\n",
            {"build": 2, "test": 4, "b": 5},
        ),
        ("Taskfile.yml", "version: 3\ntasks:\n  lint:\n    aliases: [l]\n    cmds: [x]\n", {"lint": 3, "l": 4}),
        ("mise.toml", '[tasks.build]\nrun = "x"\n[tasks]\ntest = "y"\n', {"build": 1, "test": 4}),
        (".config/mise/config.toml", '[tasks.build]\nalias = "b"\nrun = "x"\n', {"build": 1, "b": 2}),
        ("tasks.toml", '[build]\nrun = "x"\n["docs:site"]\nalias = ["d"]\n', {"build": 1, "docs:site": 3, "d": 4}),
        (
            "tox.ini",
            "[tox]\nenvlist = py{311,312}, lint\n[testenv:docs]\n",
            {"docs": 3, "py311": 2, "py312": 2, "lint": 2},
        ),
        (
            "noxfile.py",
            "import nox\n\n@nox.session\ndef tests(s):\n    pass\n\n"
            '@nox.session(\n    name="lint-all",\n)\ndef lint(s):\n    pass\n',
            {"tests": 4, "lint-all": 10, "lint": 10},
        ),
        (
            "pyproject.toml",
            '[project.scripts]\nfoo = "a:b"\n[tool.poe.tasks]\nlint = "x"\n[tool.pdm.scripts]\nt = "x"\n'
            '[tool.hatch.envs.dev.scripts]\ncov = "x"\n',
            {"foo": 2, "lint": 4, "t": 6, "cov": 8, "dev:cov": 8},
        ),
        (
            "pixi.toml",
            '[tasks]\na = "x"\n[environments.ci.tasks]\nb = "x"\n[target.win.tasks]\nc = "x"\n',
            {"a": 2, "b": 4, "c": 6},
        ),
        ("pyproject.toml", '[tool.pixi.environments.ci.tasks]\nb = "x"\n', {"b": 2}),
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n  foo = a:b\n  bar = c:d\n", {"foo": 3, "bar": 4}),
        ("composer.json", '{"scripts": {"test": "phpunit"}}', {"test": 1}),
        ("tasks.py", "@task\ndef build_docs(c):\n    pass\n", {"build_docs": 2, "build-docs": 2}),
        ("Rakefile", "task :spec do\nend\ntask build: [:x]\n", {"spec": 1, "build": 3}),
        ("src/a.py", "x = 1", {}),
    ],
)
def test_targets_of_a_file_have_their_lines(path: str, text: str, targets: dict[str, int]) -> None:
    assert read_scripts(path, text.encode()) == targets


def test_matrix_of_tox_cannot_become_endless() -> None:
    text = "[tox]\nenvlist = " + "{a,b,c,d,e,f,g,h}" * 40

    assert len(read_scripts("tox.ini", text.encode())) <= 500


def test_variables_of_make_in_one_another_do_not_become_millions_of_targets() -> None:
    text = "A0 = a b\n" + "".join(f"A{n} = $(A{n - 1})1 $(A{n - 1})2\n" for n in range(1, 40)) + "$(A39) $(A8): x\n"

    assert len(read_scripts("Makefile", text.encode())) <= 1000


def test_targets_of_long_variables_in_one_another_take_little_memory() -> None:
    makefile = f"A := {'a ' * 3000}\n$(A)$(A): ; true\n".encode()
    tracemalloc.start()
    try:
        read_scripts("Makefile", makefile)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
