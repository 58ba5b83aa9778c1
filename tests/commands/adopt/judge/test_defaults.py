"""Defaults of real repositories: which of several places a sentence means, and what none of them says."""

import pytest
from conftest import commit_files

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.judge.reader import Reader
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def judged(repo, verdict):
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), ["AGENTS.md"], kinds=("value",))
    return [(one.claim.token, one.source.where) for one in adoption.of(verdict)]


def test_alias_request_and_argument_contradict_no_default(repo):
    commit_files(
        repo,
        {
            "AGENTS.md": "| Name | Default |\n|---|---|\n| `autoRecall` | `true` |\n| `BASE_URL` | none |\n\n"
            "- `probe_direct` (boolean, optional): probe. Default true.\n- `warn_types` (default: `true`)\n",
            "src/cfg.ts": 'const ALIAS = {\n  auto_recall: "autoRecall",\n};\n'
            "export function load(env: any) { return { autoRecall: env.autoRecall !== false }; }\n"
            'const req = { "probe_direct": false };\nconst gateway = { BASE_URL: "" };\n'
            "new Agent({\n  warn_types: false,\n});\n",
        },
    )

    assert judged(repo, FALSE) == judged(repo, NEVER) == []


POOL, CLIENT = (
    "class Pool:\n    max_wait: int = 5\n    max_size: int = 1\n\n\n",
    "class Client:\n    max_wait: int = 9\n",
)
CLASSES = f"{POOL}{CLIENT}    max_size: int = 2\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## Pool\n\n- `max_wait` (default: `5`)\n", 2),
        ("## Client\n\n- `max_wait` (default: `9`)\n", 7),
        ("- `Client` has `max_wait`, which defaults to `9`\n", 7),
        ("- `client.max_wait` (default: `9`)\n", 7),
    ],
)
def test_heading_sentence_or_dotted_key_says_which_class_is_meant(repo, text, line):
    commit_files(repo, {"AGENTS.md": text, "src/options.py": CLASSES})

    assert [where for _, where in judged(repo, HOLDS)] == [f"src/options.py:{line}"]


def test_value_of_the_class_in_the_heading_is_false_though_another_class_has_it(repo):
    commit_files(repo, {"AGENTS.md": "## Pool\n\n- `max_wait` (default: `5`)\n", "src/options.py": CLASSES})
    commit_files(repo, {"src/options.py": CLASSES.replace("max_wait: int = 5", "max_wait: int = 9")})

    assert judged(repo, FALSE) == [("max_wait = 5", "src/options.py:2")]


def test_value_that_two_classes_give_differently_is_not_judged_where_none_is_named(repo):
    commit_files(repo, {"AGENTS.md": "- `max_wait` (default: `7`)\n", "src/options.py": CLASSES})

    assert judged(repo, FALSE) == judged(repo, NEVER) == []


def test_value_that_was_never_true_is_an_alarm_only_if_two_files_contradict_it(repo):
    commit_files(repo, {"AGENTS.md": "- `max_wait` (default: `7`)\n", "src/a.py": "def f(max_wait: int = 5): ...\n"})

    assert (judged(repo, FALSE), judged(repo, NEVER)) == ([], [("max_wait = 7", "src/a.py:1")])

    commit_files(repo, {"src/b.py": "class B:\n    max_wait: int = 5\n"})

    assert (judged(repo, FALSE), judged(repo, NEVER)) == ([("max_wait = 7", "src/a.py:1")], [])


def test_plain_word_is_judged_in_the_document_of_its_package(repo):
    table = "| Name | Default |\n|---|---|\n| `smoothing` | `0.42` |\n"
    code = {"lib/pointer/src/state.ts": "class State {\n  smoothing = 0.45;\n}\n"}
    commit_files(repo, code | {"AGENTS.md": table, "lib/pointer/AGENTS.md": table})
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"), kinds=("value",))

    assert [one.document.path for one in adoption.of(NEVER)] == ["lib/pointer/AGENTS.md"]


@pytest.mark.parametrize(
    "code",
    ["TIMEOUT_MS = 30_000\n", "if windows:\n    TIMEOUT_MS = 5\nelse:\n    TIMEOUT_MS = 7\n", "TIMEOUT_MS = f()\n"],
)
def test_other_unit_and_computed_value_contradict_nothing(repo, code):
    commit_files(repo, {"AGENTS.md": "- `TIMEOUT_MS` (default: `30s`)\n", "src/a.py": code})

    assert judged(repo, FALSE) == judged(repo, NEVER) == []


def test_option_is_judged_by_a_definition_of_the_option_only(repo):
    commit_files(
        repo,
        {
            "AGENTS.md": "- `--top-k` (default: `10`)\n",
            "src/a.py": "def f(top_k: int = 15): ...\n",
            "src/cli.py": 'parser.add_argument("--top-k", type=int, default=10)\n',
        },
    )

    assert judged(repo, HOLDS) == [("--top-k = 10", "src/cli.py:1")]


def test_nested_value_is_proved_by_its_key(repo):
    values = "lid:\n  live: true\nbox:\n  live: true\n"
    commit_files(repo, {"AGENTS.md": "- `box.live`: default `true`\n", "values.yaml": values})
    handle = Git(discover(repo))

    (found,) = adopt(handle, handle.resolve("HEAD"), kinds={"value"}).of(HOLDS)

    assert found.check == {"value": "values.yaml#box.live", "is": "true"}


def test_line_that_a_file_has_twice_proves_nothing():
    reader = Reader("a.lua", lambda _: None)

    assert reader.check("x = 5\ny = 1\n", 1) == {"contains": "x = 5", "in": "a.lua"}
    assert reader.check("x = 5\nif y then x = 5 end\n", 1) is None
