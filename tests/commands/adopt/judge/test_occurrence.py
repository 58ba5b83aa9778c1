"""Names that the code has in part, or elsewhere than the sentence means."""

import pytest
from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.formats import sentence
from gitmem.commands.adopt.judge.occurrence import is_local
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def symbols(repo, verdict):
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"symbol"})
    return list(adoption.of(verdict))


def test_type_of_which_only_a_part_is_in_the_code_is_not_said_to_hold(repo):
    code = "static A: OnceLock<AppState> = OnceLock::new();\nstruct Runtime;\n"
    commit_files(repo, {"AGENTS.md": "- `OnceLock<Runtime>`, `OnceLock<AppState>`\n", "src/lib.rs": code})

    assert [one.claim.token for one in symbols(repo, HOLDS)] == ["OnceLock<AppState>"]
    assert not symbols(repo, FALSE)


def test_name_that_data_spells_in_another_way_is_not_false(repo):
    text = "- `listChanged` tells of a change, `toolNames` is a list\n"
    commit_files(
        repo, {"AGENTS.md": text, "src/types.py": "class Tools:\n    listChanged = True\n    toolNames = []\n"}
    )
    code = "from pydantic import ConfigDict\n\nclass Tools:\n    list_changed = True\n"
    commit_files(repo, {"src/types.py": code})
    assert [one.claim.name for one in symbols(repo, FALSE)] == ["listChanged", "toolNames"]
    commit_files(repo, {"src/types.py": f"{code}    model_config = ConfigDict(alias_generator=to_camel)\n"})

    assert [one.claim.name for one in symbols(repo, FALSE)] == ["toolNames"]


def test_method_of_which_only_a_property_has_the_name_is_false(repo):
    files = {"AGENTS.md": "- Skip with the `ShouldSkip()` method\n", "src/Job.cs": "bool ShouldSkip(int a) => true;\n"}
    commit_files(repo, files)
    assert len(symbols(repo, HOLDS)) == 1

    culprit = commit_files(repo, {"src/Job.cs": "bool ShouldSkip { get; }\n"}, "a property")

    (finding,) = symbols(repo, FALSE)
    assert finding.culprit.commit == culprit
    assert sentence(finding) == "ShouldSkip() is not in the code: it was in src/Job.cs:1"


@pytest.mark.parametrize(
    ("text", "is_false"), [("- Build it with `HostBuilder`\n", True), ("- Tests build it with `HostBuilder`\n", False)]
)
def test_name_that_only_tests_still_have_is_false_in_a_sentence_about_the_program(repo, text, is_false):
    test = {"tests/host_test.py": "text = 'HostBuilder'\n"}
    commit_files(repo, {"AGENTS.md": text, "src/host.py": "class HostBuilder: ...\n", **test})
    commit_files(repo, {"src/host.py": "class Host: ...\n"}, "shorter")

    found = [sentence(one) for one in symbols(repo, FALSE)]

    assert found == ["HostBuilder is only in tests/host_test.py now: it was in src/host.py:1"] * is_false


def test_name_that_a_test_defines_holds(repo):
    commit_files(repo, {"AGENTS.md": "- Use `make_store`\n", "tests/support.py": "def make_store(): ...\n"})

    assert [one.claim.token for one in symbols(repo, HOLDS)] == ["make_store"]


def test_name_that_only_a_test_ever_mentioned_is_not_judged(repo):
    test = {"tests/a_test.go": 'text := "StoreFactory APP_TOOLSETS"\n'}
    commit_files(repo, {"AGENTS.md": "- `StoreFactory`\n- `APP_TOOLSETS`\n", "src/a.go": "package a\n", **test})

    assert not [one for verdict in (HOLDS, NEVER, FALSE) for one in symbols(repo, verdict)]


def test_name_that_an_example_sets_or_a_property_spells_is_not_said_to_have_never_been(repo):
    text = (
        "- Send with `tracedSender` or `lostSender`\n"
        "- `APP_LOG_KEY_NAME` (`app.log.key-name`), `APP_KEY_NAME` (`app.key`)\n"
        "\n```java\nSender<String> tracedSender = wrap(sender);\nlostSender == null;\n```\n"
    )
    commit_files(repo, {"AGENTS.md": text, "src/a.go": "package a\n"})

    assert [one.claim.token for one in symbols(repo, NEVER)] == ["lostSender", "APP_KEY_NAME"]


def test_option_that_cmake_defines_no_longer_is_false(repo):
    option = "set(APP_CACHE_MB 64 CACHE STRING size)\n"
    commit_files(repo, {"AGENTS.md": "- `APP_CACHE_MB` sets the size\n", "CMakeLists.txt": option})
    assert [one.claim.token for one in symbols(repo, HOLDS)] == ["APP_CACHE_MB"]

    commit_files(repo, {"CMakeLists.txt": option.replace("APP_CACHE_MB", "APP_CACHE_SIZE")})

    assert [sentence(one) for one in symbols(repo, FALSE)] == [
        "APP_CACHE_MB is not in the code: it was in CMakeLists.txt:1"
    ]


@pytest.mark.parametrize(
    ("path", "text", "holds"),
    [
        ("web/package.json", '{"main": "index.js"}\n', False),
        ("web/settings.yaml", "branch: main\n", False),
        ("docs/logo.svg", "<svg><text>main</text></svg>\n", False),
        ("docs/flow.excalidraw", '{"text": "main"}\n', False),
        ("tools/run", "#!/bin/sh\nmain() {\n  true\n}\n", True),
        ("src/app.py", "def main():\n    pass\n", True),
    ],
)
def test_plain_word_holds_only_by_code_that_has_it_or_a_file_that_defines_it(repo, path, text, holds):
    commit_files(repo, {"AGENTS.md": "- Start at `main`\n- It calls `main()`\n", path: text})

    assert [one.claim.token for one in symbols(repo, HOLDS)] == ["main", "main()"] * holds
    assert not symbols(repo, FALSE)
    assert not symbols(repo, NEVER)


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("- `Agent` is defined in `src/base.py`", [NEVER]),
        ("- `load_agent` is implemented in `src/base.py`", [NEVER]),
        ("- `Agent` is defined in `src/agent.py`", [HOLDS]),
        ("- `src/base.py`: `load_agent`", [HOLDS]),
        ("- `src/base.py`: `Agent`", []),
        ("- Merge into the `Agent` branch, the branch `Agent`", []),
        ("- The `Agent` works", [HOLDS]),
    ],
)
def test_name_of_a_named_file_is_proved_by_that_file_and_a_branch_by_none(repo, text, verdicts):
    code = {
        "src/agent.py": "class Agent: ...\ndef load_agent(): ...\n",
        "src/base.py": "import agent\n\nagent.Agent(agent.load_agent())\n",
    }
    commit_files(repo, {"AGENTS.md": f"{text}\n", **code})

    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"symbol", "path"})
    assert [one.verdict for one in adoption.findings if one.claim.kind == "symbol"] == verdicts


@pytest.mark.parametrize("is_package", [True, False])
def test_name_of_another_package_that_an_example_still_has_is_not_false(repo, is_package):
    said = {"libs/web/README.md": "- Needs `minSdkVersion` 21\n", "libs/web/a.js": "x\n"}
    files = dict.fromkeys(("libs/dart/a.py", "examples/b.py"), "minSdkVersion = 21\n")
    commit_files(repo, {**said, **files, **({"libs/dart/setup.py": "x = 1\n"} if is_package else {})})
    commit_files(repo, {"libs/dart/a.py": "x = 1\n"})

    assert bool(symbols(repo, FALSE)) != is_package


@each(
    ("text", "answer"),
    [
        ("def f():\n    old_state = 1\n", True),
        ("fn f() {\n    let mut old_state: u8 = 1;\n}\n", True),
        ("func f() {\n\told_state := 1\n}\n", True),
        ("old_state = 1\n", False),
        ("class A:\n    old_state = 1\n", False),
        ("def f():\n    def old_state(): ...\n", False),
        ("x = 1\n", False),
    ],
)
def test_assignment_in_a_function_is_local(text, answer):
    assert is_local(text, "old_state") == answer


@pytest.mark.parametrize(
    ("text", "code", "held"),
    [
        ("- Add the `code` command to PATH\n", {"src/a.js": "// generated code, see code.md\n"}, []),
        ("- See [`Hooks`](docs/hooks.md)\n", {"src/a.js": "// Hooks run before a reply\n"}, []),
        ("- Never push with `--force`\n", {"src/a.js": "rm(path, { force: true })\n"}, []),
        ("- It binds to `localhost`\n", {"src/a.js": "function f() {\n  const localhost = 1\n}\n"}, []),
        ("- It binds to `localhost`\n", {"test/a.js": "const localhost = 1\n"}, []),
        ("- `Hooks` run in order\n", {"a.js": "// Hooks\n", "src/b.js": "class Hooks {}\n"}, ["src/b.js"]),
        ("- `close()` ends it\n", {"a.py": "# close\n", "src/b.py": "def close(): ...\n"}, ["src/b.py"]),
        ("- `onClose` ends it\n", {"src/a.js": "server.onClose()\n"}, ["src/a.js"]),
    ],
)
def test_plain_word_is_a_name_only_where_the_program_defines_it(repo, text, code, held):
    commit_files(repo, {"AGENTS.md": text, "docs/hooks.md": "# Hooks\n", **code})

    assert [one.source.path for one in symbols(repo, HOLDS)] == held


def test_plain_word_of_a_module_is_proved_only_by_code_that_has_both(repo):
    code = "import app.parts\n\n\ndef resources(log):\n    app.parts.load(log)\n"
    commit_files(repo, {"AGENTS.md": "- `importlib.resources`, `labels.log`, `parts.load()`\n", "src/a.py": code})

    assert [(one.claim.token, one.check["contains"]) for one in symbols(repo, HOLDS)] == [
        ("parts.load()", "parts.load")
    ]
