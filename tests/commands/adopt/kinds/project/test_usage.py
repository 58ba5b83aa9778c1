"""Packages that a sentence says are used, or not used."""

import pytest
from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.kinds.project.usage import USED, absence_claims, package_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover

ROOT = Document("AGENTS.md", "instructions", "")


def found(find, text):
    return [claim for statement in split(text) for claim in find(statement, ROOT)]


@each(
    ("text", "names"),
    [
        ("- Dates: uses moment", ["moment"]),
        ("- HTTP is done with `requests` and **httpx**", ["requests", "httpx"]),
        ("Built with Vite, React and Zod.", ["Vite", "React", "Zod"]),
        ("# Tech stack\n\n- **Hono** for routes", ["Hono"]),
        ("- `chalk` colours", []),
        ("- Do not use `axios`, it never uses `got`; use Ky instead of using `ofetch`", ["Ky"]),
        ("- it uses rich text, uses moment for dates", ["moment"]),
        ("- We used to build with `gulp`; if you use `yarn`, stop", []),
    ],
)
def test_used_package_is_marked(text, names):
    marked = [one.name for one in found(package_claims, text) if one.tool == USED]

    assert sorted(marked) == sorted(names)


@each(
    ("text", "names"),
    [
        ("- There is no React here.", ["React"]),
        ("Vanilla, without jQuery and no `lodash`", ["lodash"]),
        ("- There is no TypeScript.", ["TypeScript"]),
        ("- No Python here; no Rust, no JSON, works without Java", ["Python", "JSON"]),
        ("- no React imports, no Docker Compose needed, without React hooks", []),
        ("- If there is no Express, stop", []),
        (
            "We never use Jest; we do not use `pip`. The core has no dependency on requests.",
            ["Jest", "pip", "requests"],
        ),
        ("We do not use Jest for the browser, and never use mocks", []),
        ("## Server\n\n- no React", []),
        ("- `src/core/` has no React", []),
    ],
)
def test_package_that_the_project_does_without_is_found_unless_more_is_said(text, names):
    assert [one.name for one in found(absence_claims, text)] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("- `None` means off, in the `BUILD` file", []),
        ("- `build`, `jinja2`, `MinVer` and `React`", ["build", "jinja2", "MinVer", "React"]),
    ],
)
def test_word_of_code_in_capitals_is_no_package_of_the_name_in_small_letters(repo, text, names):
    listed = '<PackageReference Include="MinVer" Version="7.0" />'
    project = f"<Project>\n  <ItemGroup>\n    {listed}\n  </ItemGroup>\n</Project>\n"
    files = {"requirements.txt": "build==1.0\njinja2\nnone\n", "a.csproj": project}
    commit_files(repo, {**files, "package.json": '{"dependencies": {"react": "19"}}\n', "AGENTS.md": f"{text}\n"})
    handle = Git(discover(repo))

    assert [one.claim.name for one in adopt(handle, handle.resolve("HEAD"), kinds={"dependency"}).of(HOLDS)] == names


def test_module_that_the_project_did_without_and_imports_now_makes_the_sentence_false(repo):
    commit_files(repo, {"AGENTS.md": "- AppKit only, no SwiftUI.\n", "Sources/A.swift": "import AppKit\n"})
    culprit = commit_files(repo, {"Sources/A.swift": "import AppKit\nimport SwiftUI\n"}, "use SwiftUI")
    handle = Git(discover(repo))

    (finding,) = adopt(handle, handle.resolve("HEAD"), kinds={"absence"}).of(FALSE)

    assert (finding.source.where, finding.culprit.commit) == ("Sources/A.swift:2", culprit)


def test_package_that_a_manifest_lists_is_quietly_said_to_be_used(repo):
    sentences = "- We never use Jest.\n- We do not use globals.\n- no Vitest\n"
    listed = '{"devDependencies": {"jest": "1", "vitest": "1"}}\n'
    commit_files(repo, {"AGENTS.md": sentences, "package.json": listed, "a.js": "import globals from 'x'\n"})
    git = Git(discover(repo))

    adoption = adopt(git, git.resolve("HEAD"), kinds={"absence"})

    assert [(one.verdict, one.claim.token) for one in adoption.findings] == [(NEVER, "no Jest")]


def test_package_in_an_item_below_another_may_be_what_that_one_needs(repo):
    text = "# Dependencies\n\n- `httpcore` sends\n  - `h11` speaks HTTP\n- `sniffio` finds the loop\n"
    commit_files(repo, {"AGENTS.md": text, "requirements.txt": "httpcore\nh11\nsniffio\n"})
    commit_files(repo, {"requirements.txt": "httpcore\n"})
    handle = Git(discover(repo))

    found = adopt(handle, handle.resolve("HEAD"), ["AGENTS.md"]).of(FALSE)
    assert [one.claim.name for one in found] == ["sniffio"]


def test_package_that_the_build_still_names_may_still_be_used(repo):
    sentences = "- Pages are built with `sphinx`.\n- Cells are rendered with `jinja2`.\n"
    commit_files(repo, {"AGENTS.md": sentences, "requirements.txt": "sphinx\njinja2\n"})
    commit_files(repo, {"requirements.txt": "sphinx_theme\n", "tox.ini": "commands =\n    sphinx-build docs out\n"})
    handle = Git(discover(repo))

    assert [one.claim.name for one in adopt(handle, handle.resolve("HEAD"), ["AGENTS.md"]).of(FALSE)] == ["jinja2"]
