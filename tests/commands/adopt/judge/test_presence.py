"""Paths that are gone, and words that are none."""

import pytest
from conftest import commit_files, git

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def paths(repo, verdict, document="AGENTS.md"):
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), [document], kinds={"path"})
    return [one.claim.token for one in adoption.of(verdict)]


def test_end_of_a_path_that_only_one_file_had_is_false_once_it_is_gone(repo):
    files = {"app/src/capture/camera.py": "x = 1\n", "app/src/views/a.py": "x = 1\n", "app/keep.py": "x = 2\n"}
    commit_files(repo, {"AGENTS.md": "## capture/camera.py\n\n- `views/`: all\n- `views/none.py`\n", **files})
    git(repo, "rm", "-rq", "app/src")
    commit_files(repo, {}, "remove them")

    assert paths(repo, FALSE) == ["capture/camera.py", "views/"]


def test_folders_in_the_remark_of_an_entry_are_in_it(repo):
    tree = "```\nsrc/\n├── flows/   # Engine (core/, hooks/)\n└── a.py\n```\n"
    commit_files(
        repo, {"AGENTS.md": tree, "src/a.py": "x\n", "src/flows/core/a.py": "1\n", "src/flows/hooks/b.py": "2\n"}
    )
    git(repo, "mv", "src/flows/core", "src/flows/state")
    commit_files(repo, {}, "rename core")

    assert paths(repo, FALSE) == ["core/"]


def test_tree_below_a_folder_of_the_same_name_is_read_as_it_is_drawn(repo):
    tree = "```\n.\n├── app\n│   ├── Dockerfile\n│   └── src\n└── compose.yaml\n```\n"
    files = {"app/Dockerfile": "FROM node\n", "app/src/a.js": "1\n", "app/compose.yaml": "services: {}\n"}
    commit_files(repo, {"app/README.md": tree, **files})
    (repo / "app/app").mkdir()
    git(repo, "mv", "app/Dockerfile", "app/src", "app/app/")
    commit_files(repo, {}, "Move the program into a folder of its own")

    assert paths(repo, FALSE, "app/README.md") == []
    git(repo, "rm", "-rq", "app/app/src")
    commit_files(repo, {}, "Remove the sources")
    assert paths(repo, FALSE, "app/README.md") == ["src"]


def test_folder_of_any_name_never_was_if_the_one_above_is_there(repo):
    text = "- Implement `src/providers/<name>/client.py`\n- Run `made/by/<build>/x.py`\n"
    commit_files(repo, {"AGENTS.md": text, "src/a.py": "x\n"})

    assert paths(repo, NEVER) == ["src/providers/"]


def test_one_of_two_names_to_choose_from_is_no_path_unless_both_were_there(repo):
    text = "- A name (e.g., `RULES.md` or `docs/LLMs.md`)\n- In `test_all.go` or `all.go`\n- `a.go` or `b.go`\n"
    commit_files(repo, {"AGENTS.md": text, **dict.fromkeys(("RULES.md", "all.go", "a.go", "b.go"), "x\n")})
    git(repo, "rm", "-q", "RULES.md", "all.go", "a.go")
    commit_files(repo, {})

    assert paths(repo, FALSE) == ["a.go"]


@pytest.mark.parametrize(
    "text",
    [
        "- Name the branch `feature/login`\n",
        "- Merged from the `phase4/masks` branch\n",
        "```\nStoreBase\n├── DiskStore\n└── NetStore\n```\n",
        "```\nStoreBase\n├── DiskStore (one a disk)\n│   ├── FileStore\n│   └── ...\n└── NetStore\n```\n",
        "```\n list.txt\n    |\n    v\n  +------+\n  | pick | --->\n  +------+\n```\n",
        "- `lib/main.js` loads the rest of `lib/`\n",
        "Branches are prefixed with one of:\n\n- `fix/` for mistakes\n- `docs/`\n  and more\n\n- `site/` for pages\n",
        "- `text/csv` or `application/vnd.app+json`, `bg-white/80`, `linux/amd64`, `dd/MM/yyyy`, `left/right`\n",
        "- `owner/image:vX.Y.Z`, `localhost:4000/api`, `:4000/api/docs`, `plugin:react/recommended`, `npm:pkg/sub/`\n",
        "- `App\\Http\\Runner`, `embed.FS`, `docs/NNNN-name.md`, `src/vX.Y.Z.md`, `some/path/to/a.py`\n",
        "- Use the parts of `src/parts/button`, and `config.env`\n",
    ],
)
def test_branches_types_and_other_names_are_no_paths(repo, text):
    ignored = {"packages/a/.gitignore": "", ".gitignore": "packages/*/lib/\n!packages/*/src/\n"}
    commit_files(repo, {"AGENTS.md": text, "a.py": "x\n", "src/parts/button.tsx": "x\n", **ignored})

    assert paths(repo, NEVER) == []


def test_path_below_a_usual_folder_counts_also_where_the_folder_is_not_there(repo):
    commit_files(repo, {"AGENTS.md": "- The client is in `packages/typescript`, not `left/right`\n", "a.py": "x\n"})

    assert paths(repo, NEVER) == ["packages/typescript"]


def test_word_in_code_is_proved_by_the_file_that_it_means_and_by_no_other(repo):
    text = (
        "- `Domain/Order.cs`, `shop.assets/a.yaml`, `api/` serves it\n"
        "- If `docker` is absent, mount `/data`; ~~see `old/b.py`~~\n"
        "- Page: [A](/guide/start.html)\n"
    )
    files = ("src/Shop.Domain/Order.cs", "src/shop/assets/a.yaml", "src/shop/api/a.py", "docs/src/api/b.md")
    more = ("docker/a", "data/b", "old/b.py", "docs/guide/start.md")
    commit_files(repo, {"AGENTS.md": text, **dict.fromkeys((*files, *more), "x\n")})
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), ["AGENTS.md"], kinds={"path"})

    assert [one.source.path for one in adoption.of(HOLDS)] == [*files[:2], "src/shop/api"]
    assert not adoption.of(NEVER)


@pytest.mark.parametrize(
    ("text", "held", "never"),
    [
        ("- It syncs into the tool/ remote; push to `tool/` remote", [], []),
        ("- The remote called `tool/`, the `tool/` namespace", [], []),
        ("- The program is in `tool/`", ["tool/"], []),
        ("- `.exp.json` and `_test.go` are the ends of names", [], []),
        ("- See `.none.json` and `_none.go`", [], [".none.json", "_none.go"]),
        ("- `System.Text.Json` is used", [], []),
    ],
)
def test_remotes_ends_of_names_and_types_are_no_paths(repo, text, held, never):
    files = dict.fromkeys(("cmd/tool/main.go", "a/b.exp.json", "a/c_test.go"), "x\n")
    commit_files(repo, {"AGENTS.md": f"{text}\n", **files})

    assert (paths(repo, HOLDS), paths(repo, NEVER)) == (held, never)


def test_one_of_several_files_of_a_name_proves_nothing(repo):
    commit_files(
        repo, {"AGENTS.md": "- Uses `setup.py` and `one.py`\n", "a/setup.py": "", "b/setup.py": "", "a/one.py": ""}
    )
    handle = Git(discover(repo))

    findings = adopt(handle, handle.resolve("HEAD"), kinds={"path"}).of(HOLDS)

    assert [(one.claim.token, one.check) for one in findings] == [
        ("setup.py", None),
        ("one.py", {"exists": "a/one.py"}),
    ]


def test_path_that_a_submodule_may_have_is_not_said_to_have_never_been(repo):
    commit_files(repo, {"AGENTS.md": "- `apps/server/main.ex`\n- `src/none.py`\n- `reviews/`\n", "src/a.py": "x\n"})
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'HEAD')},engine")
    git(repo, "commit", "-qm", "a submodule")

    assert paths(repo, NEVER) == ["src/none.py", "reviews/"]


def test_program_that_a_build_makes_is_no_file_of_the_repository(repo):
    text = (
        "2. Execute the build output with `./server`.\n3. Start the resulting binary, `./server`.\n4. Run `./tool`.\n"
    )
    commit_files(repo, {"AGENTS.md": text, "server": "#!/bin/sh\n", "tool": "#!/bin/sh\n"})
    git(repo, "rm", "-q", "server", "tool")
    commit_files(repo, {}, "remove them")

    assert paths(repo, FALSE) == ["./tool"]


def test_link_leads_to_one_place_where_a_name_may_mean_any_file(repo):
    said = "- [The design](DESIGN.md), [the plan](plan.md)\n- The rules are in `RULES.md`.\n"
    commit_files(repo, {"AGENTS.md": said, "DESIGN.md": "1\n", "docs/plan.md": "2\n", "docs/RULES.md": "3\n"})
    git(repo, "mv", "DESIGN.md", "docs/DESIGN.md")
    commit_files(repo, {}, "move the design")

    assert [paths(repo, one) for one in (FALSE, NEVER, HOLDS)] == [["DESIGN.md"], ["plan.md"], ["RULES.md"]]


def test_link_right_only_from_the_root_proves_nothing_and_one_to_the_forge_is_no_path(repo):
    said = "- [A](docs/b.md), [up](../AGENTS.md), [out](../../c.md), [CI](../../../actions/workflows/ci.yml)\n"
    commit_files(repo, {"docs/tour.md": said, "docs/b.md": "", "AGENTS.md": ""})

    found = [paths(repo, one, "docs/tour.md") for one in (FALSE, NEVER, HOLDS)]

    assert found == [[], ["../../c.md"], ["../AGENTS.md"]]


def test_file_of_another_site_or_that_a_program_writes_is_not_missing(repo):
    text = "- See [`a.c`](https://forge.example/x/y/blob/main/a.c), [`b.c`](https://forge.example/x/y/blob/main/b.c).\n"
    made = "- With `--dest`, it stores the sources, and the page (as `Page.md`).\n"
    commit_files(repo, {"AGENTS.md": text + made, "a.c": "1\n", "b.c": "2\n", "docs/Page.md": "x\n"})
    git(repo, "rm", "-q", "a.c", "docs/Page.md")
    commit_files(repo, {}, "remove them")

    assert (paths(repo, FALSE), paths(repo, HOLDS)) == ([], ["b.c"])


def test_file_that_must_not_be_added_is_not_missing(repo):
    text = "- Do not add a `style.config.js` that nothing loads.\n- Never edit `old.config.js` by hand.\n"
    commit_files(repo, {"AGENTS.md": text, "style.config.js": "1\n", "old.config.js": "2\n", "a.py": "3\n"})
    git(repo, "rm", "-q", "style.config.js", "old.config.js")
    commit_files(repo, {}, "remove them")

    assert paths(repo, FALSE) == ["old.config.js"]


def test_folder_that_only_fixtures_had_is_not_missing(repo):
    files = {"cmd/testdata/outputs/a.json": "1\n", "cmd/parts/b.go": "2\n", "a.py": "3\n"}
    commit_files(repo, {"AGENTS.md": "- Results are in `outputs/`, and parts in `parts/`\n", **files})
    git(repo, "rm", "-rq", "cmd")
    commit_files(repo, {}, "remove them")

    assert paths(repo, FALSE) == ["parts/"]
