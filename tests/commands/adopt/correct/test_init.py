"""Corrections of whole documents on real repositories: right in place, or none."""

import json
import shutil

import pytest
from conftest import commit_all, commit_files, git
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.commands.adopt.correct import applicable
from gitmem.commands.adopt.findings import FALSE, NEVER
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def adopted(repo):
    handle = Git(discover(repo))
    return adopt(handle, handle.resolve("HEAD"))


def lines_of(repo, path):
    return (repo / path).read_bytes().decode("utf-8").split("\n")


def fix(repo):
    """Apply the corrections to the work tree, as ``gitmem adopt --fix`` does."""
    corrections = adopted(repo).corrections
    texts = {one.path: lines_of(repo, one.path) for one in corrections}
    for path, lines in texts.items():
        new = {one.line: one.after for one in applicable(corrections, texts) if one.path == path}
        after = (new.get(number, line) for number, line in enumerate(lines, 1))
        (repo / path).write_bytes("\n".join(line for line in after if line is not None).encode())


def corrected(repo, path="AGENTS.md"):
    fix(repo)
    return (repo / path).read_text(encoding="utf-8")


def scripts(**named):
    return json.dumps({"scripts": named}, indent=2)


@pytest.mark.parametrize(
    ("command", "old", "new", "right"),
    [
        ("npm start", "start", "start-app", "npm run start-app"),
        ("npm t", "test", "unit", "npm run unit"),
        ("npm run unit", "unit", "test", "npm run test"),
        ("npm stop", "stop", "restart", "npm restart"),
        ("yarn build", "build", "bundle", "yarn bundle"),
        ("pnpm build", "build", "deploy", "pnpm run deploy"),  # `pnpm deploy` is a command of its own
        ("bun start", "start", "serve", "bun run serve"),
        ("npm --prefix app run unit -- -u", "unit", "quick", "npm --prefix app run quick -- -u"),
        ("npm test && npm run test:ci", "test", "unit", "npm run unit && npm run test:ci"),
    ],
)
def test_command_of_a_renamed_script_can_be_run(repo, command, old, new, right):
    text = f"# Test\n\nTo test, use make to test:\n\n```bash\n{command}\n```\n\nThe test (`{command}`) and `{old}`.\n"
    other = {"test:ci": "ci"}
    commit_files(repo, {"AGENTS.md": text, "package.json": scripts(**{old: "run it"}, **other)})
    commit_files(repo, {"package.json": scripts(**{new: "run it"}, **other)})

    assert corrected(repo) == text.replace(command, right)


@pytest.mark.parametrize(("moved", "fix"), [("more/plugin", None), ("module", "module"), ("more/module", "module")])
def test_tree_of_the_folder_of_its_document_is_true_until_that_is_renamed(repo, moved, fix):
    text = "# P\n\n```\nplugin/\n├── src/\n│   └── entry.ts   # entry\n└── skills/\n```\n"
    files = {"plugin/README.md": text, "plugin/src/entry.ts": "x\n", "plugin/skills/a.md": "s\n"}
    commit_files(repo, files)
    (repo / moved).parent.mkdir(exist_ok=True)
    git(repo, "mv", "plugin", moved)
    culprit = commit_files(repo, {})

    bad = [one for one in adopted(repo).findings if one.verdict in (FALSE, NEVER)]

    assert [(one.claim.line, one.fix, one.culprit.commit) for one in bad] == ([(4, fix, culprit)] if fix else [])
    assert corrected(repo, f"{moved}/README.md") == text.replace("plugin/", f"{moved.rpartition('/')[2]}/")


TREE = """# Layout

```
├── src/
│   ├── gateway/
│   │   ├── retry.py      # limits
│   │   └── pool.py       # sockets
│   └── auth/
│       └── jwt.py        # tokens
└── Makefile
```
"""


@pytest.mark.parametrize(
    ("moves", "removed", "change"),
    [
        ([("src/gateway/retry.py", "src/gateway/rate.py")], [], [("retry.py      #", "rate.py       #")]),
        (
            [("src/gateway/retry.py", "src/gateway/rate_of_calls.py")],
            [],
            [("retry.py      #", "rate_of_calls.py #")],
        ),
        ([("src/gateway", "src/gate")], [], [("gateway/", "gate/")]),
        (
            [("src/gateway", "src/gate"), ("src/gate/pool.py", "src/gate/sockets.py")],
            [],
            [("gateway/", "gate/"), ("pool.py       #", "sockets.py    #")],
        ),
        ([("src/auth/jwt.py", "src/jwt.py")], [], []),  # it cannot be written in its place
        ([("src/gateway", "gateway")], [], []),
        (
            [],
            ["src/gateway/pool.py"],
            [("│   │   ├── retry", "│   │   └── retry"), ("│   │   └── pool.py       # sockets\n", "")],
        ),
        (
            [],
            ["src/auth/jwt.py"],
            [
                ("│   ├── gateway", "│   └── gateway"),
                ("│   │   ", "│       "),
                ("│   └── auth/\n│       └── jwt.py        # tokens\n", ""),
            ],
        ),
    ],
)
def test_tree_keeps_its_shape(repo, moves, removed, change):
    shutil.rmtree(repo / "src")
    names = ("src/gateway/retry.py", "src/gateway/pool.py", "src/gateway/more.py", "src/auth/jwt.py")
    commit_files(repo, {"AGENTS.md": TREE, "Makefile": "a:\n", **{name: f"{name} = {name!r}\n" * 9 for name in names}})
    for old, new in moves:
        git(repo, "mv", old, new)
    if removed:
        git(repo, "rm", "-q", *removed)
    commit_files(repo, {})
    right = TREE
    for old, new in change:
        right = right.replace(old, new)

    assert corrected(repo) == right
    assert ".." not in right


def test_tree_of_what_a_command_creates_is_no_claim(repo):
    tree = "```\n├── src/\n│   └── main.py\n└── old.py\n```\n"
    text = f"`make new` creates a new project with this structure:\n\n{tree}\n## Layout\n\n{tree}"
    commit_files(repo, {"AGENTS.md": text, "src/main.py": "a = 1\n", "old.py": "b = 2\n"})
    git(repo, "rm", "-q", "old.py")
    commit_files(repo, {})

    assert [one.claim.line for one in adopted(repo).of(FALSE)] == [14]


@pytest.mark.parametrize(
    ("document", "line", "moves", "right"),
    [
        ("pkg/AGENTS.md", "See [the guide](/docs/guide.md).", [("docs", "man")], "See [the guide](/man/guide.md)."),
        ("pkg/AGENTS.md", "See `/docs/guide.md`.", [("docs", "man")], "See `/man/guide.md`."),
        ("pkg/AGENTS.md", "[g](../docs/guide.md#top)", [("docs", "man")], "[g](../man/guide.md#top)"),
        ("docs/AGENTS.md", "[g](./guide.md)", [("docs/guide.md", "docs/how.md")], "[g](./how.md)"),
        ("docs/AGENTS.md", "[guide.md](guide.md)", [("docs/guide.md", "docs/how.md")], "[how.md](how.md)"),
        ("docs/AGENTS.md", "[g](<guide.md>)", [("docs/guide.md", "docs/a b.md")], "[g](<a%20b.md>)"),
        (
            "docs/AGENTS.md",
            "[s](two%20words.md)",
            [("docs/two words.md", "docs/more words.md")],
            "[s](more%20words.md)",
        ),
        ("docs/README.md", "See `./docs/guide.md`.", [("docs/guide.md", "docs/how.md")], "See `./docs/how.md`."),
        ("AGENTS.md", "[`docs/`](docs/) has guides", [("docs", "man")], "[`man/`](man/) has guides"),
        # The document moved: what it says is resolved from where it is now.
        ("docs/README.md", "[g](guide.md)", [("docs", "man"), ("man/guide.md", "man/how.md")], "[g](how.md)"),
        ("docs/AGENTS.md", "[g](guide.md)", [("docs/AGENTS.md", "AGENTS.md")], "[g](docs/guide.md)"),
        # Words that are no paths stay.
        ("AGENTS.md", "- `docs/`: the docs of docs/guide.md", [("docs", "man")], "- `man/`: the docs of man/guide.md"),
        ("AGENTS.md", "- `./docs/*.md`, https://x.io/docs/", [("docs", "man")], "- `./docs/*.md`, https://x.io/docs/"),
        ("AGENTS.md", "- `guide.md` and `docs`", [("docs", "archive/docs")], "- `guide.md` and `docs`"),
    ],
)
def test_path_is_written_as_before_and_leads_to_the_file(repo, document, line, moves, right):
    files = {
        "docs/guide.md": "# Top\n\n" + "voting text\n" * 9,
        "docs/two words.md": "other\n" * 9,
        document: f"{line}\n",
    }
    commit_files(repo, files)
    for old, new in moves:
        (repo / new).parent.mkdir(exist_ok=True)
        git(repo, "mv", old, new)
        if document.startswith(old):
            document = document.replace(old, new, 1)
    commit_files(repo, {})

    assert corrected(repo, document) == f"{right}\n"
    commit_all(repo)
    assert adopted(repo).corrections == []


def test_what_cannot_be_corrected_is_shown_with_where_it_is_now(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "- Run `python tools/sync.py`\n", "tools/sync.py": "print(1)\n" * 9})
    (repo / "archive").mkdir()
    git(repo, "mv", "tools/sync.py", "archive/sync.py")
    commit_files(repo, {})

    assert "it is now archive/sync.py" in run_cli("adopt").out
    assert adopted(repo).corrections == []


def test_folder_that_became_a_small_part_of_another_is_not_replaced_by_it_and_not_removed(repo):
    files = {
        f"{name}/{name}{at}.py": f"{name}{at} = {at}\n" * 9
        for name, count in (("few", 1), ("many", 4))
        for at in range(count)
    }
    commit_files(repo, {"AGENTS.md": "- `few/`: the few\n- `many/`: the others\n- `src/`: code\n", **files})
    (repo / "all").mkdir()
    for path in files:
        git(repo, "mv", path, f"all/{path.partition('/')[2]}")
    commit_files(repo, {})

    assert corrected(repo) == "- `few/`: the few\n- `all/`: the others\n- `src/`: code\n"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Files:\n\n- `a.py`: one\n", None),  # the list would be empty
        ("- Files:\n  - `a.py`: one\n- more\n", None),
        ("1. `a.py`: one\n2. `b.py`: two\n3. Commit it\n", "1. `b.py`: two\n2. Commit it\n"),
        ("1. `a.py`: one\n2. `b.py`: two\n\nAfter step 2, commit.\n", None),
        ("1. `a.py`: one\n1. `b.py`: two\n", "1. `b.py`: two\n"),
        ("| file | use |\n|---|---|\n| `a.py` | one |\n", None),
        (
            "| file | use |\n|---|---|\n| `a.py` | one |\n| `b.py` | two |\n",
            "| file | use |\n|---|---|\n| `b.py` | two |\n",
        ),
        ("See both `a.py` and `b.py`.\n", None),
        ("The files `a.py` and `b.py`.\n", None),
        ("See `a.py` and `b.py`.\n", "See `b.py`.\n"),
        ("- `a.py`: like step 3\n- `b.py`: two\n", "- `b.py`: two\n"),
    ],
)
def test_removal_leaves_a_document_that_reads_well(repo, text, right):
    commit_files(repo, {"AGENTS.md": text, "a.py": "one = 1\n", "b.py": "two = 2\n"})
    git(repo, "rm", "-q", "a.py")
    commit_files(repo, {})

    assert corrected(repo) == (text if right is None else right)


def test_folder_that_went_into_a_larger_one_that_was_there_is_not_replaced_by_it(repo):
    files = {"few/a.py": "few = 1\n" * 9, **{f"many/{at}.py": f"many = {at}\n" * 9 for at in range(3)}}
    text = "- `few/`: the few\n- `many/`: the others\n"
    commit_files(repo, {"AGENTS.md": text, **files})
    git(repo, "mv", "few/a.py", "many/a.py")
    commit_files(repo, {})

    assert corrected(repo) == text


def test_trees_that_are_drawn_beside_each_other_lose_no_line(repo):
    text = "```\n├── src/            ├── lib/\n├── old/            ├── bin/\n└── more/           └── etc/\n```\n"
    commit_files(repo, {"AGENTS.md": text, "src/a": "1\n", "old/b": "2\n", "more/c": "3\n"})
    git(repo, "rm", "-q", "old/b")
    commit_files(repo, {})

    assert [one.claim.token for one in adopted(repo).of(FALSE)] == ["old"]
    assert corrected(repo) == text


def test_file_of_the_same_name_that_came_later_keeps_the_line(repo):
    commit_files(repo, {"AGENTS.md": "- `src/limits.py`: the limits\n- `src/`\n", "src/limits.py": "A = 1\n"})
    git(repo, "rm", "-q", "src/limits.py")
    commit_files(repo, {})
    commit_files(repo, {"lib/core/limits.py": "LIMITS = {'a': 1}\n"})

    assert [one.claim.token for one in adopted(repo).of(FALSE)] == ["src/limits.py"]
    assert adopted(repo).corrections == []


def test_value_that_the_line_names_twice_or_of_another_type_is_left_to_a_person(repo):
    text = "- Go 1.24 through 1.26. Code must build on 1.24.\n- `is_fast` (default: `true`)\n- `tries` (default: `3`)\n"
    text += "- `most` (default: `70`), so that no order has more than 70\n"
    code = "def run(is_fast: bool = True, tries: int = 3, most: int = 70): ...\n"
    commit_files(repo, {"AGENTS.md": text, "go.mod": "module x\n\ngo 1.24\n", "src/run.py": code})
    code = code.replace("True", '"fast"').replace("= 3", "= 5").replace("= 70", "= 90")
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n", "src/run.py": code})

    assert corrected(repo) == text.replace("`3`", "`5`")


def test_count_of_files_is_corrected(repo):
    text = "- 3 Go files, of 3 packages\n"
    commit_files(repo, {"AGENTS.md": text, **{f"p{at}/a.go": "package p\n" for at in range(3)}})
    commit_files(repo, {f"q{at}/a.go": "package q\n" for at in range(6)})

    assert corrected(repo) == "- 9 Go files, of 3 packages\n"


def test_count_of_files_is_that_of_the_documents_folder_if_it_was_right_there(repo):
    text = "Examples: 3 in a row, 4 Go files in all.\n"
    files = {f"samples/{at}.go": "package s\n" for at in range(4)} | {"a.go": "package a\n", "b.go": "package a\n"}
    commit_files(repo, {"samples/README.md": text, "README.md": "This has 40 Go files.\n", **files})

    assert not adopted(repo).of(FALSE)  # 4 of its folder; a number that never was right may be about anything
    commit_files(repo, {f"samples/new{at}.go": "package s\n" for at in range(5)})
    assert corrected(repo, "samples/README.md") == text.replace("4 Go", "9 Go")


def test_line_in_the_work_tree_with_other_ends_is_corrected_and_one_in_a_changed_list_is_not(repo):
    text = "- `src/gone.py`: a\n- `src/kept.py`: b\n\nGo 1.24+\n"
    commit_files(
        repo, {"AGENTS.md": text, "go.mod": "module x\n\ngo 1.24\n", "src/gone.py": "", "src/kept.py": "K = 1\n"}
    )
    git(repo, "rm", "-q", "src/gone.py")
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n"})
    (repo / "AGENTS.md").write_bytes(text.replace("kept.py`: b", "kept.py`: c").replace("\n", "\r\n").encode())

    fix(repo)

    right = text.replace("kept.py`: b", "kept.py`: c").replace("1.24", "1.25")
    assert (repo / "AGENTS.md").read_bytes() == right.replace("\n", "\r\n").encode()


NAMES = ("alpha", "beta", "gamma", "delta")
FORMS = (
    "- `{path}`: what it has",
    "- See [{name}](/{path}) and [`{path}`]({path}).",
    "| `{path}` | text   |",
    "Read `{path}`, then `{other}`.",
    "Both {path} and {other} matter.",
    "1. Open `./{path}`",
    "- `make {name}` runs {name} (`{path}`)",
    "- `npm run {name}` and `npm run {name}:all`",
    "- `{name}_limit` (default: `{number}`), about {number} of them",
    "- Go 1.2{number}+ and {number} more",
    "```\n{folder}/\n├── {name}.py      # {name}\n└── {other_name}.py\n```",
    "```bash\nnpm run {name}   # {name}\nmake {name} {other_name}\npython {path}\n```",
    "Plain {name} text about {folder}.",
    "",
)
lines = st.builds(
    lambda form, names, folder, number: form.format(
        name=names[0],
        other_name=names[1],
        folder=folder,
        path=f"{folder}/{names[0]}.py",
        other=f"{folder}/{names[1]}.py",
        number=number,
    ),
    st.sampled_from(FORMS),
    st.permutations(NAMES),
    st.sampled_from(("src", "lib")),
    st.integers(1, 5),
)
changes = st.lists(
    st.tuples(st.sampled_from(("move", "rename", "delete", "target", "value", "folder")), st.sampled_from(NAMES)),
    min_size=1,
    max_size=4,
)


def code_of(targets, number):
    make = "".join(f"{new}:\n\techo {old}\n\n" for old, new in targets.items())
    package = scripts(**{new: f"run {old}" for old, new in targets.items()}, **{f"{old}:all": "x" for old in targets})
    values = "".join(f"{name}_limit = {number}\n" for name in NAMES)
    return {"Makefile": make, "package.json": package, "config.py": values, "go.mod": f"module x\n\ngo 1.2{number}\n"}


def change(repo, kind, name, targets):
    paths = [path for path in (f"src/{name}.py", f"lib/{name}.py") if (repo / path).exists()]
    if kind == "target":
        targets[name] = f"{name}-all"
    elif kind == "folder" and (repo / "lib").is_dir():
        git(repo, "mv", "lib", "library")
    for path in paths[:1]:
        if kind == "delete":
            git(repo, "rm", "-q", path)
        elif kind in ("move", "rename"):
            new = path.replace(name, f"{name}_new") if kind == "rename" else f"far/away/{name}.py"
            (repo / new).parent.mkdir(parents=True, exist_ok=True)
            git(repo, "mv", "-f", path, new)


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    written=st.lists(lines, min_size=1, max_size=12),
    done=changes,
    number=st.integers(1, 5),
    end=st.sampled_from(("\n", "\r\n")),
    start=st.sampled_from(("", "\ufeff")),
    last=st.booleans(),
)
def test_corrections_never_make_a_document_worse(repo, written, done, number, end, start, last):
    text = start + end.join("\n".join(written).split("\n")) + end * last
    git(repo, "rm", "-rqf", "--ignore-unmatch", ".")
    targets = {name: name for name in NAMES}
    files = {f"{folder}/{name}.py": f"{folder} = {name!r}\n" * 9 for folder in ("src", "lib") for name in NAMES}
    commit_files(repo, {**files, **code_of(targets, 3), ".gitattributes": "* -text\n"})
    (repo / "AGENTS.md").write_bytes(text.encode())
    commit_all(repo)
    for kind, name in done:
        change(repo, kind, name, targets)
    for path, content in code_of(targets, number if any(kind == "value" for kind, _ in done) else 3).items():
        (repo / path).write_text(content)
    commit_all(repo)
    before = adopted(repo)

    fix(repo)

    commit_all(repo)
    after = adopted(repo)
    bad, worse = ({key(one) for one in run.findings if one.verdict in (FALSE, NEVER)} for run in (before, after))
    assert worse <= bad
    changed = {one.line: one.after for one in before.corrections}
    right = [changed.get(at, line.removesuffix("\r")) for at, line in enumerate(text.split("\n"), 1)]
    assert (repo / "AGENTS.md").read_bytes().decode() == end.join(line for line in right if line is not None)
    alarms = {at for one in before.of(FALSE) for at in (one.claim.line, *one.more, *one.cut)}
    corners = {at for at, line in changed.items() if line is not None and "─" in line}
    numbered = {at for at, line in changed.items() if line is not None and line[:1].isdigit()}
    assert changed.keys() <= alarms | corners | numbered
    assert not {key(one) for one in before.of(FALSE) if one.fix and not one.more} & {
        key(one) for one in after.of(FALSE)
    }
    assert after.corrections == []


def key(finding):
    return finding.claim.kind, finding.claim.name, finding.claim.stated


def test_folder_is_not_corrected_to_one_without_the_name_that_the_sentence_places_there(repo):
    files = {f"support/{name}.py": f"{name} = 1\n" * 9 for name in "abcdefgh"}
    text = "- The `Pool` class in `support/` has the limits.\n"
    commit_files(repo, {"AGENTS.md": text, "support/pool.py": "class Pool:\n    size = 3\n", **files})
    git(repo, "mv", "support", "kit")
    git(repo, "mv", "kit/pool.py", "pool.py")
    commit_files(repo, {}, "move all")

    (finding,) = adopted(repo).of(FALSE)

    assert (finding.claim.token, finding.fix, finding.now) == ("support/", "", "")


def test_file_that_was_cut_into_numbered_ones_is_not_replaced_by_one_of_them(repo):
    one, two = ("".join(f"{word} {number}\n" for number in range(40)) for word in ("left", "right"))
    commit_files(repo, {"src/cases.py": one + two, "AGENTS.md": "- All cases are in `src/cases.py`, and more follow\n"})
    (repo / "src/cases.py").unlink()
    commit_files(repo, {"src/cases_1.py": one, "src/cases_2.py": two + one[:90]})

    assert [(one.claim.token, one.fix) for one in adopted(repo).of(FALSE)] == [("src/cases.py", "")]
    assert adopted(repo).corrections == []
