"""Names in the configuration of real repositories that look like paths."""

import pytest
from conftest import commit_files, git

from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.judge.identifiers import is_identifier, is_property
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover

CONFIGURATION = {
    "shadow-cljs.edn": "{:builds {:examples/counter {:target :browser}}}\n",
    ".github/labels.yml": "- name: area/docs\n  color: red\n",
    ".github/ISSUE_TEMPLATE/bug.yml": "labels:\n  - kind/bug\n  - kind/crash\n",
    ".github/dependabot.yml": 'labels: ["deps/npm"]\npaths:\n  - src/listed\n',
    "settings.json": '{"tasks/all": {"run": "src/value"}}\n',
    "package-lock.json": '{"locked/name": 1}\n',
}


@pytest.mark.parametrize(
    ("word", "is_name"),
    [
        ("examples/counter", True),
        ("area/docs", True),
        ("kind/crash", True),
        ("deps/npm", True),
        ("tasks/all", True),
        ("src/listed", False),
        ("src/value", False),
        ("locked/name", False),
        ("examples", False),
    ],
)
def test_name_in_configuration_is_an_identifier_and_a_path_there_is_not(repo, word, is_name):
    handle = Git(discover(repo))
    head = Code(handle, commit_files(repo, CONFIGURATION))

    assert is_identifier(head, word) == is_name


def test_identifier_that_once_was_a_folder_too_is_no_false_path(repo):
    text = "```bash\nshadow-cljs watch examples/counter\n```\n\nSee `examples/forms` and bazel's `//examples/forms`.\n"
    files = {"examples/counter/core.cljs": "(ns a)\n", "examples/forms/core.cljs": "(ns b)\n"}
    commit_files(repo, {"AGENTS.md": text, **files, **CONFIGURATION})
    (repo / "examples/reagent").mkdir()
    git(repo, "mv", "examples/counter", "examples/forms", "examples/reagent/")
    commit = commit_files(repo, {})

    adoption = adopt(Git(discover(repo)), commit)

    assert [one.claim.token for one in adoption.of(FALSE)] == ["examples/forms"]
    (line,) = adoption.corrections
    assert line.after == "See `examples/reagent/forms` and bazel's `//examples/forms`."


@pytest.mark.parametrize(
    ("variable", "is_bound"),
    [("APP_INGEST_MAX_RETRY", True), ("APP_CACHE_SIZE_0", True), ("APP_UNKNOWN_NAME", False), ("RETRY", False)],
)
def test_variable_of_a_property_of_spring_boot_is_known(repo, variable, is_bound):
    properties = '@ConfigurationProperties("app")\nclass Props {\n  private int ingestMaxRetry = 3;\n}\n'
    files = {"src/Props.java": properties, "src/main/resources/application.yml": "app:\n  cache-size: 3\n"}

    assert is_property(Code(Git(discover(repo)), commit_files(repo, files)), variable) is is_bound
