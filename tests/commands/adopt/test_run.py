"""Adopt on real repositories: false statements, since when, and what is not reported."""

import pytest
from conftest import commit_files, git
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.formats import as_table, blame, markdown, sentence
from gitmem.commands.adopt.run import adopt
from gitmem.document.builtin_checks import words_of
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import BUILTIN, Check
from gitmem.verify.builtin_answers import answer_all
from gitmem.verify.inputs import CodeTree


def adopted(repo, *wanted):
    handle = Git(discover(repo))
    return adopt(handle, handle.resolve("HEAD"), wanted)


def messages(adoption, verdict=FALSE):
    return [(one.document.path, one.claim.line, one.claim.token) for one in adoption.of(verdict)]


def test_renamed_file_is_false_with_the_commit_that_renamed_it_and_the_new_name(repo):
    commit_files(repo, {"AGENTS.md": "- `src/gateway/retry.py` has the limits\n"})
    git(repo, "mv", "src/gateway/retry.py", "src/gateway/limits.py")
    culprit = commit_files(repo, {}, "rename retry")

    adoption = adopted(repo)

    (finding,) = adoption.of(FALSE)
    assert (finding.culprit.commit, finding.culprit.subject) == (culprit, "rename retry")
    assert finding.fix == "src/gateway/limits.py"


@pytest.mark.parametrize(
    "sentence",
    [
        "- e.g. `src/none/at_all.py`",
        "- `old.py` was removed",
        "- put `<name>.py` beside it",
        "- `build/out.py` is ignored",
        "- never seen: `src/nowhere.py`",
    ],
)
def test_path_that_never_existed_is_not_false(repo, sentence):
    commit_files(repo, {"AGENTS.md": f"{sentence}\n", ".gitignore": "build/\n"})

    assert messages(adopted(repo)) == []


def test_folder_of_a_fixture_is_no_folder_of_the_project(repo):
    commit_files(repo, {"AGENTS.md": "- `packages/` has them\n", "a/__fixtures__/packages/x.py": "x\n"})

    assert not adopted(repo).findings


def test_name_that_never_held_is_distinguished(repo):
    commit_files(repo, {"AGENTS.md": "- limits: `src/nowhere.py`\n"})

    assert messages(adopted(repo), NEVER) == [("AGENTS.md", 1, "src/nowhere.py")]


def test_path_that_was_gone_when_its_line_was_written_names_the_commit_that_removed_it(repo):
    commit_files(repo, {"AGENTS.md": "- Limits are in `src/gateway/retry.py`\n"})
    git(repo, "rm", "-q", "src/gateway/retry.py")
    gone = commit_files(repo, {}, "remove retry")
    commit_files(repo, {"AGENTS.md": "- The limits: `src/gateway/retry.py`\n- More: `src/nowhere.py`\n"})

    culprits = [one.culprit and one.culprit.commit for one in adopted(repo).of(NEVER)]

    assert culprits == [gone, None]


def test_culprit_of_a_merged_branch_is_its_commit_and_the_merge_is_named_beside_it(repo):
    commit_files(repo, {"AGENTS.md": "- Go 1.24+\n", "go.mod": "module x\n\ngo 1.24\n"})
    git(repo, "checkout", "-q", "-b", "side")
    culprit = commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n"}, "go: 1.25")
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"README.md": "# Two\n"})
    git(repo, "merge", "-q", "--no-ff", "-m", "Merge side", "side")

    (finding,) = adopted(repo).of(FALSE)

    assert (finding.culprit.commit, finding.culprit.merge.commit) == (culprit, git(repo, "rev-parse", "HEAD"))
    assert blame(finding).endswith(f", merged by {finding.culprit.merge.commit[:10]} “Merge side” (Ana, 2026-09-21)")
    assert as_table(adopted(repo))["false"][0]["merge"]["subject"] == "Merge side"


def test_stated_version_and_default_are_compared_with_their_source(repo):
    commit_files(
        repo,
        {
            "AGENTS.md": "- Go 1.24+\n- `max_tries` (default: `3`)\n- `wait_s` (default: `2`)\n",
            "go.mod": "module x\n\ngo 1.24\n",
            "src/run.py": "def run(max_tries: int = 3, wait_s: int = 2): ...\n",
        },
    )
    newer = commit_files(repo, {"go.mod": "module x\n\ngo 1.25.1\n"}, "go: 1.25")
    more = commit_files(repo, {"src/run.py": "def run(max_tries: int = 5, wait_s: int = 2): ...\n"}, "try more")

    adoption = adopted(repo)

    assert [(one.claim.token, one.fix, one.culprit.commit) for one in adoption.of(FALSE)] == [
        ("Go 1.24+", "1.25", newer),
        ("max_tries = 3", "5", more),
    ]
    assert any(one.claim.token == "wait_s = 2" for one in adoption.of(HOLDS))


def test_version_that_was_never_true_is_false_without_a_culprit(repo):
    commit_files(repo, {"README.md": "- Go 1.20+\n", "go.mod": "module x\n\ngo 1.25\n"})

    (finding,) = adopted(repo).of(FALSE)

    assert (finding.held, finding.culprit) == (False, None)


def test_script_that_was_removed_is_false(repo):
    commit_files(
        repo,
        {
            "AGENTS.md": "- `npm run lint`\n- `npm run test`\n",
            "package.json": '{"scripts": {"lint": "x", "test": "y"}}',
        },
    )
    commit_files(repo, {"package.json": '{"scripts": {"test": "y"}}'}, "drop lint")

    (finding,) = adopted(repo).of(FALSE)

    assert (finding.claim.name, finding.culprit.subject) == ("lint", "drop lint")


def test_function_that_was_removed_is_false(repo):
    commit_files(repo, {"AGENTS.md": "- `sign_claims` signs\n", "src/sign.py": "def sign_claims():\n    pass\n"})
    commit_files(repo, {"src/sign.py": "def sign():\n    pass\n"}, "shorten")

    assert messages(adopted(repo)) == [("AGENTS.md", 1, "sign_claims")]


def test_sample_of_a_document_does_not_mean_a_module_of_an_example(repo):
    sample = '```ts\nimport { aiStream } from "../trigger/streams";\n```\n'
    texts = {f"{folder}/trigger/streams.ts": "export const aiStream = 1;\n" for folder in ("references/a", "samples")}
    commit_files(repo, {"AGENTS.md": sample, "samples/README.md": sample, "src/a.ts": "export {}\n", **texts})
    git(repo, "rm", "-rq", "references", "samples/trigger")
    commit_files(repo, {})

    assert [where for where, *_ in messages(adopted(repo))] == ["samples/README.md"]


def test_class_of_one_word_that_was_removed_is_false_and_a_word_that_only_looks_like_it_is_not(repo):
    lines = "- `Scheduler` runs jobs\n- `Worker` works\n- `Nothing` never was\n- `Tiny` is short\n"
    text = "class Scheduler: ...\n\n\nclass Worker: ...\n\n\nclass Tiny: ...\n"
    commit_files(repo, {"AGENTS.md": lines, "src/jobs.py": text})
    culprit = commit_files(repo, {"src/jobs.py": "class Queue: ...  # a former Worker\n"}, "one queue")

    (finding,) = adopted(repo).of(FALSE)

    assert (finding.claim.name, finding.culprit.commit) == ("Scheduler", culprit)
    assert sentence(finding) == "Scheduler is not in the code: it was in src/jobs.py:1"


def test_function_that_moved_to_another_file_before_it_was_removed_is_false_since_it_was_removed(repo):
    commit_files(repo, {"AGENTS.md": "- `sign_claims` signs\n", "src/a.py": "def sign_claims(): ...\n\n\nA = 1\n"})
    commit_files(repo, {"src/a.py": "A = 1\n", "src/b.py": "def sign_claims(): ...\n"}, "move it")
    assert adopted(repo).of(FALSE) == []
    git(repo, "rm", "-q", "src/b.py")
    culprit = commit_files(repo, {}, "remove it")

    (finding,) = adopted(repo).of(FALSE)

    assert finding.culprit.commit == culprit


def test_name_that_left_the_file_that_its_sentence_names_is_false_with_the_new_file(repo):
    text = "- `sign_claims` is in `src/a.py`\n- `src/a.py` calls `sign_claims`\n- `sign_claims` signs\n"
    commit_files(repo, {"AGENTS.md": text, "src/a.py": "def sign_claims(): ...\n\n\nA = 1\n"})
    culprit = commit_files(
        *(repo, {"src/a.py": "from b import sign_claims\n\nA = 1\n", "src/b.py": "def sign_claims(): ...\n"}, "move it")
    )
    commit_files(repo, {"src/c.py": "sign_claims = 1\n"}, "define it once more")

    adoption = adopted(repo)

    (finding,) = adoption.of(FALSE)
    assert (finding.claim.line, finding.culprit.commit, finding.fix) == (1, culprit, "src/b.py")
    assert "src/a.py does not define sign\\_claims" in markdown(adoption)
    (line,) = adoption.corrections
    assert line.after == "- `sign_claims` is in `src/b.py`"
    handle = Git(discover(repo))
    assert adopt(handle, handle.resolve("HEAD"), base=handle.resolve("HEAD~1")).of(FALSE) == []
    (since,) = adopt(handle, handle.resolve("HEAD~1"), base=handle.resolve("HEAD~2")).of(FALSE)
    assert (since.claim.line, since.fix) == (1, "src/b.py")


def test_name_that_never_was_in_the_file_of_its_sentence_does_not_hold(repo):
    text = "- `sign_claims` is in `src/b.py`\n- `check_claims` is in `src/b.py`\n"
    code = "def sign_claims(): ...\n\n\ndef check_claims(): ...\n"
    commit_files(repo, {"AGENTS.md": text, "src/a.py": code, "src/b.py": "from a import check_claims\n"})

    adoption = adopted(repo)

    assert messages(adoption, NEVER) == [("AGENTS.md", 1, "sign_claims")]
    assert ("AGENTS.md", 2, "check_claims") in messages(adoption, HOLDS)


def test_nested_document_is_about_its_folder(repo):
    commit_files(repo, {"app/AGENTS.md": "- `scripts/` has tools\n", "app/scripts/a.sh": "", "scripts/b.sh": ""})
    git(repo, "rm", "-q", "app/scripts/a.sh")
    commit_files(repo, {}, "drop")

    assert messages(adopted(repo)) == [("app/AGENTS.md", 1, "scripts/")]


def test_same_alarm_is_given_once_with_all_its_lines(repo):
    commit_files(repo, {"AGENTS.md": "- `src/x.py` is a\n\n- b is in `src/x.py`\n", "src/x.py": "A = 1\n"})
    git(repo, "rm", "-q", "src/x.py")
    commit_files(repo, {}, "drop")

    (finding,) = adopted(repo).of(FALSE)

    assert (finding.claim.line, finding.more) == (1, (3,))


def test_file_that_a_remark_calls_deleted_is_false_only_where_another_line_needs_it(repo):
    block = "```sh\n# WRONG - legacy files DELETED\npython src/gateway/retry.py\n```\n"
    commit_files(repo, {"AGENTS.md": f"{block}\nThen:\n\n```sh\npython src/gateway/retry.py --all\n```\n"})
    git(repo, "rm", "-q", "src/gateway/retry.py")
    commit_files(repo, {}, "remove it")

    assert messages(adopted(repo)) == [("AGENTS.md", 9, "src/gateway/retry.py")]


def test_line_that_was_edited_after_its_file_was_removed_is_given_with_the_other_lines_that_name_it(repo):
    text = "- limits: `src/gateway/retry.py`\n- code: `src/gateway/retry.py`\n"
    commit_files(repo, {"AGENTS.md": text})
    git(repo, "rm", "-q", "src/gateway/retry.py")
    commit_files(repo, {}, "remove it")
    commit_files(repo, {"AGENTS.md": text.replace("limits", "Limits")})

    adoption = adopted(repo)

    assert [(one.claim.line, one.more) for one in adoption.of(FALSE)] == [(2, (1,))]
    assert "does not exist, also on line 1 |" in markdown(adoption)
    assert messages(adoption, NEVER) == []


def test_file_that_a_branch_added_and_removed_before_it_was_merged_has_its_culprit(repo):
    git(repo, "checkout", "-q", "-b", "topic")
    commit_files(repo, {"src/new.py": "x = 1\n", "AGENTS.md": "- code: `src/new.py`\n"})
    git(repo, "rm", "-q", "src/new.py")
    culprit = commit_files(repo, {}, "remove it")
    git(repo, "checkout", "-q", "-")
    commit_files(repo, {"other": "x\n"})
    git(repo, "-c", "user.name=A", "-c", "user.email=a@b", "merge", "-q", "--no-ff", "-m", "merge", "topic")

    (finding,) = adopted(repo).of(FALSE)

    assert finding.culprit.commit == culprit


def test_correction_changes_only_the_false_words(repo):
    text = "- Go 1.24+ and 1.24 apples\n"
    commit_files(repo, {"AGENTS.md": text, "go.mod": "module x\n\ngo 1.24\n"})
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n"})

    (one,) = adopted(repo).corrections

    assert one.after == "- Go 1.25+ and 1.24 apples"


def test_link_is_corrected_in_its_text_and_in_its_target(repo):
    line = "See [src/gateway/retry.py](../src/gateway/retry.py) and [`retry.py`](../src/gateway/retry.py).\n"
    commit_files(repo, {"docs/AGENTS.md": line})
    git(repo, "mv", "src/gateway/retry.py", "src/gateway/limits.py")
    commit_files(repo, {})

    (correction,) = adopted(repo).corrections

    assert correction.after == line.replace("retry", "limits").strip()


def test_listed_package_becomes_a_dependency_and_an_unlisted_one_nothing(repo):
    commit_files(
        repo,
        {
            "AGENTS.md": "## Stack\n\n- React 19 with Zod, tested by `vitest`, not by `jest`\n",
            "package.json": '{"dependencies": {"react": "^19.0.0", "zod": "^3"}, "devDependencies": {"vitest": "2"}}',
        },
    )

    found = {one.claim.token: (one.claim.kind, one.check) for one in adopted(repo).of(HOLDS)}

    assert found == {
        "React 19": ("version", {"depends": "react", "in": "package.json", "at": "19"}),
        "Zod": ("dependency", {"depends": "zod", "in": "package.json"}),
        "vitest": ("dependency", {"depends": "vitest", "in": "package.json"}),
    }


def test_nothing_is_written(repo):
    commit_files(repo, {"AGENTS.md": "- `src/nowhere.py`\n"})
    before = git(repo, "for-each-ref"), git(repo, "status", "--porcelain")

    adopted(repo)

    assert (git(repo, "for-each-ref"), git(repo, "status", "--porcelain")) == before


def test_proposed_checks_hold_where_the_statement_does_and_fail_where_it_is_false(repo):
    files = {
        "AGENTS.md": "- `src/auth/jwt.py`\n- `make unit`, `npm run lint`\n- `sign_all()`\n"
        "- Go 1.24+\n- `tries` (default: `3`)\n- `LIMIT` (default: `7`)\n- React 19\n- `gone.py`\n",
        "Makefile": "unit: all\n\techo\n",
        "package.json": '{"scripts": {"lint": "x"}, "dependencies": {"react": "^19.1.0"}}',
        "src/a.py": "LIMIT = 7\n\n\ndef sign_all(tries: int = 3): ...\n",
        "go.mod": "module x\n\ngo 1.24\n",
        "gone.py": "",
    }
    commit_files(repo, files)
    git(repo, "rm", "-q", "gone.py")
    commit = commit_files(repo, {})
    adoption = adopted(repo)

    handle = Git(discover(repo))
    checks = {
        one.claim.token: (Check(BUILTIN, words_of(one.check)), one.verdict) for one in adoption.findings if one.check
    }
    answers = answer_all(handle, CodeTree(handle, commit), [check for check, _ in checks.values()])

    assert {token: (check.words[0], answers[check].outcome) for token, (check, _) in checks.items()} == {
        "src/auth/jwt.py": ("exists", "holds"),
        "make unit": ("script", "holds"),
        "npm run lint": ("script", "holds"),
        "sign_all()": ("contains", "holds"),
        "Go 1.24+": ("value", "holds"),
        "tries = 3": ("contains", "holds"),
        "LIMIT = 7": ("value", "holds"),
        "LIMIT": ("contains", "holds"),
        "React 19": ("depends", "holds"),
        "gone.py": ("exists", "fails"),
    }


# What a stranger's pull request may write in a document, in pieces.
_NAMES = (
    "FOO",
    "`FOO`",
    "load_config()",
    "--flag",
    "$VAR",
    "3",
    "1.2.3",
    "[id]",
    "**",
    "*",
    "\\",
    "",
    "0" * 300,
    "\ud83d\ude00",
)
_PATHS = (
    *(
        "../b.py",
        "../../../etc/passwd",
        "/etc/passwd",
        "/",
        "//",
        "..",
        ".",
        "./",
        "a/../../b.py",
        "src/../..",
        "~/x",
        "C:\\x",
    ),
    *(
        "src/",
        "src/gateway/retry.py",
        "src/gateway/retry.py:999999999999",
        "src/[id]/a.py",
        "a" * 5000,
        "x/" * 2000,
        "\x00",
        "a b.py",
    ),
    *(
        "http://e.example/a",
        "file:///etc/passwd",
        "data:,x",
        "#anchor",
        "?q",
        "src/gateway/retry.py#L1",
        "%2e%2e/b.py",
        "src\\b.py",
    ),
)
_FORMS = (
    *(
        "- `{path}` has `{name}`",
        "- `{name}` is in `{path}`",
        "[{name}]({path})",
        "![{name}]({path})",
        "| `{name}` | `{path}` |",
        "`{path}`",
    ),
    *(
        "```bash\n{name} {path}\n```",
        "```\n{path}\n├── {name}\n```",
        "- `{name}` (default: `{path}`)",
        "Run `make {name}` in `{path}`",
    ),
    *(
        "- `{name}` is {name} in `{path}`",
        "# {name}",
        "> {path}",
        "- No `{name}` in `{path}`",
        "{path}",
        "import {name} from '{path}'",
    ),
    *(
        "```python\nfrom {name} import {path}\n",
        "[{name}]: {path}",
        "<a href='{path}'>{name}</a>",
        "- Tests: `pytest {path}::{name}`",
    ),
)
hostile_lines = st.lists(
    st.builds(
        lambda form, name, path: form.format(name=name, path=path),
        st.sampled_from(_FORMS),
        st.sampled_from(_NAMES) | st.text(max_size=20),
        st.sampled_from(_PATHS) | st.text(max_size=20),
    ),
    min_size=5,
    max_size=40,
)


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@example(lines=["- `../b.py` has `FOO`"])
@given(lines=hostile_lines)
def test_no_line_of_a_document_stops_adopt(repo, lines):
    text = "\n".join(lines).encode("utf-8", "surrogatepass")
    (repo / "AGENTS.md").write_bytes(text)
    git(repo, "add", "AGENTS.md")
    git(repo, "commit", "-q", "--allow-empty", "-m", "a document")

    adoption = adopted(repo)

    assert as_table(adoption)["documents"]


OWNED = {
    "src/store.py": "class Store:\n    def open_file(self): ...\n\n\nclass Other:\n    def load_rows(self): ...\n",
    "config/config.go": "package config\n\ntype Service struct{}\n",
    "src/use.py": "import helper\nhelper.RemoteThing()\n",
}


def test_qualified_name_holds_where_its_owner_has_it_and_is_false_once_that_is_gone(repo):
    held = ["Store.open_file()", "config.Service", "helper.RemoteThing", "Other.load_rows()"]
    said = "".join(f"- `{name}`\n" for name in (*held, "Store.load_rows()"))
    commit_files(repo, {**OWNED, "AGENTS.md": said})
    before = adopted(repo)
    renamed = OWNED["src/store.py"].replace("class Other", "class Renamed")
    culprit = commit_files(repo, {"src/store.py": renamed}, "rename")

    after = adopted(repo)

    assert [token for _, _, token in messages(before, HOLDS)] == held
    assert messages(before, NEVER) == []  # may be inherited
    assert [token for _, _, token in messages(after, HOLDS)] == held[:3]
    assert [(one.claim.token, one.culprit.commit) for one in after.of(FALSE)] == [("Other.load_rows()", culprit)]
