"""Which packages commands and edits add or change, and which memories restrain one."""

from __future__ import annotations

import time

from support.each import each

from gitmem.agents.event import Edit
from gitmem.agents.moments.packages import (
    changed_packages,
    forbids_import,
    names_other_packages,
    prefers_another,
    restrains,
)
from gitmem.agents.moments.risk import find_risk, warns


@each(
    ("path", "before", "after", "text", "names"),
    [
        ("package.json", '"lodash": "4.17.15"', '"lodash": "4.17.21"', "", ["lodash"]),
        ("web/package.json", "4.17.15", "4.17.21", '{\n "a": "1",\n "lodash": "4.17.21"\n}', ["lodash"]),
        (
            "pyproject.toml",
            "['django==5.0', 'psycopg==3.1']",
            "['django==5.0', 'psycopg[binary]>=3.2']",
            "",
            ["psycopg"],
        ),
        ("Cargo.toml", "", 'clap = { version = "5", features = ["derive"] }', "", ["clap"]),
        ("go.mod", "", "require github.com/acme/queue v1.2.0", "", ["queue"]),
        ("build.gradle", "", "implementation 'org.acme:mapper-core:1.5.3'", "", ["mapper-core"]),
        ("mix.exs", '{:oban, "~> 2.16"}', '{:oban, "~> 2.18"}', '[\n {:oban, "~> 2.18"}\n]', ["oban"]),
        ("Gemfile", "", "gem 'rails', '~> 7.1'", "", ["rails"]),
        ("requirements-dev.txt", "moto==4", "moto==5", "", ["moto"]),
        ("Dockerfile", "FROM ruby:3.3", "FROM ruby:3.4", "", ["ruby"]),
        ("package.json", '"vite": "5"', '"@vitejs/plugin-react": "^4"', "", ["plugin-react"]),
        ("package.json", "", "}\n{", '{ "zod": "1" }', []),
        ("src/package.ts", "", "lodash==4", "", []),
    ],
)
def test_edit_of_a_manifest_names_its_packages(path: str, before: str, after: str, text: str, names: list[str]) -> None:
    assert changed_packages(Edit(path, before, after), text) == names


def test_edit_of_many_versions_is_read_in_bounded_time() -> None:
    versions = "\n".join(f"{number}.0" for number in range(30_000))
    begun = time.process_time()

    assert changed_packages(Edit("requirements.txt", "", versions), versions) == []
    assert time.process_time() - begun < 2  # 0.1 s; minutes if each version were compared with each line


RESTRAINED = [
    ("lodash", "Don't bump lodash: the patch only applies to that version."),
    ("psycopg", "psycopg stays at 3.1. With 3.2 prepared statements break."),
    ("fancy-regex", "No fancy-regex: backtracking hung the daemon."),
    ("moment", "Use date-fns instead of moment."),
    ("pandas", "The exporter needs pandas 1.5, later ones lose the index."),
    ("left-pad", "Never add left-pad again."),
    ("serde_yaml", "serde_yaml is unmaintained."),
    ("alpinejs", "alpinejs and its plugins are raised together, or the focus is lost."),
]
FREE = [
    ("date-fns", "Use date-fns instead of moment."),
    ("celery", "celery tasks must take ids, never instances."),
    ("lodash-es", "Don't bump lodash."),
    ("react", "Hooks of react only run in components."),
]


@each(("name", "memory"), RESTRAINED)
def test_memory_restrains_a_package(name: str, memory: str) -> None:
    assert restrains(memory, name)
    assert warns(memory, find_risk(f"cd web && npm install --save {name}@2 zod"))


@each(("name", "memory"), FREE)
def test_memory_that_only_names_a_package_does_not(name: str, memory: str) -> None:
    assert not restrains(memory, name)


@each(
    ("memory", "manager", "is_another"),
    [
        ("Use pnpm in this repository. npm leaves a second copy behind.", "npm", True),
        ("We use uv here.", "pip", True),
        ("Use pnpm in this repository.", "pnpm", False),
        ("Use pnpm in this repository.", "cargo", False),
        ("The docs are built with yarn.", "npm", False),
    ],
)
def test_memory_asks_for_another_package_manager(memory: str, manager: str, is_another: bool) -> None:
    assert prefers_another(memory, [manager]) == is_another


@each(
    ("memory", "is_against"),
    [
        ("Days off come from data/holidays.csv and not from the holidays package.", True),
        ("Do not use holidays: it lacks the city's days.", True),
        ("holidays is deprecated.", True),
        ("Never run the tests without holidays.", False),
        ("holidays stays at 0.40.", False),
    ],
)
def test_memory_forbids_the_import_of_a_package(memory: str, is_against: bool) -> None:
    assert forbids_import(memory, "holidays") is is_against


@each(
    ("after", "is_about_others"),
    [
        ("torch.", True),
        ("torch: it is huge.", True),
        ("torch and tensorflow.", True),
        ("torch, jax or tensorflow", True),
        ("torch` on laptops", True),
        ("torch, flask", False),
        ("system-wide", False),
        ("unpinned versions", False),
        ("third-party code.", False),
        ("during a release", False),
        ("behind the VPN", False),
        ("twice", False),
        ("pre-releases", False),
        ("globally.", False),
        ("torch or anything else", False),
    ],
)
def test_memory_about_other_packages_names_them(after: str, is_about_others: bool) -> None:
    assert names_other_packages(["Never", "pip"], after.split(), "install", ["flask"]) is is_about_others
