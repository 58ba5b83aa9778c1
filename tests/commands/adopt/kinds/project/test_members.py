"""Packages of the workspace that commands and lists name."""

from conftest import commit_files, git
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.kinds.project.members import member_claims
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
        ("- `cargo test -p core --package=app`, `cargo update -p serde`", [("cargo", "core"), ("cargo", "app")]),
        ("- `pnpm --filter @x/web... -F ^api build`", [("npm", "@x/web"), ("npm", "api")]),
        ("- `pnpm --filter './packages/*' build`, `pnpm --filter !web build`", []),
        ("- `npm run lint -w lib`, `yarn workspace ui build`", [("npm", "lib"), ("npm", "ui")]),
        ("- `uv run --package api pytest`, `turbo build --filter=web`", [("uv", "api"), ("npm", "web")]),
        ("- `nx run app:test`, `nx build shop`, `nx affected -t test`", [("nx", "app"), ("nx", "shop")]),
        ("- `cargo test -p <name>`, `cargo test -p my-crate`, `cargo test -p crate-name`", []),
        (
            "- `pip install 'kit[a]>=1' -r x.txt`, `npx @x/y@latest init`",
            [("uv", "kit"), ("npm", "@x/y")],
        ),
        ("- `pytest -p no:cacheprovider`, `mkdir -p out`", []),
        ("- `./gradlew :app:test :a:b:build check`", [("gradle", ":app"), ("gradle", ":a:b")]),
        ("- `./gradlew :module-name:test`, `./gradlew :your-module:build`", []),
        ("| Crate | Does |\n|---|---|\n| `core` | `x` |\n| **`app`** | all |", [("", "core"), ("", "app")]),
        ("| File | Does |\n|---|---|\n| `core` | `x` |", []),
        (
            "- **core-api** — all\n- `@x/web`: pages\n- **plain**: no\n- **core-api** is used\n- **Any-Name**",
            [("", "core-api"), ("", "@x/web")],
        ),
        ("## Packages\n\n- `ui`: parts\n- run `make`", [("", "ui")]),
    ],
)
def test_package_is_found_with_the_kind_of_its_manifest(text, names):
    assert [(one.tool, one.name) for one in found(member_claims, text)] == names


def test_installed_package_is_false_once_renamed_and_not_once_it_moved_to_another_repository(repo):
    manifests = {f"packages/{name}/package.json": f'{{"name": "@x/{name}"}}\n' for name in ("kit", "ui")}
    commit_files(repo, {"AGENTS.md": "- `npm install @x/kit`\n- `npm install @x/ui`\n", **manifests})
    git(repo, "rm", "-q", "packages/kit/package.json")
    commit_files(repo, {"packages/ui/package.json": '{"name": "@x/parts"}\n'}, "move one, rename the other")
    handle = Git(discover(repo))

    found = adopt(handle, handle.resolve("HEAD"), kinds={"package"}).of(FALSE)

    assert [one.claim.token for one in found] == ["@x/ui"]


def test_project_of_gradle_is_one_that_the_settings_include(repo):
    said = (
        "- The module `:core:mail` reads, the module `:core:post` sends.\n- The module `:made` is included by code.\n"
    )
    code = {"settings.gradle.kts": 'include(":core:mail")\n', "made/build.gradle.kts": "x\n"}
    commit_files(repo, {"AGENTS.md": said, **code, "lib/AGENTS.md": "- `:core:mail`, `:atom`\n"})
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"package"})

    assert {one.claim.token for one in adoption.of(HOLDS)} == {":core:mail"}
    assert [one.claim.token for one in adoption.of(NEVER)] == [":core:post"]


def test_atom_is_no_project_where_gradle_has_no_settings(repo):
    commit_files(repo, {"AGENTS.md": "- The module `:crypto` signs it.\n", "mix.exs": "x\n"})
    handle = Git(discover(repo))

    assert adopt(handle, handle.resolve("HEAD"), kinds={"package"}).findings == []
