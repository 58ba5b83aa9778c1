"""Counts that a sentence states exactly, and of what."""

import pytest
from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE, HOLDS
from gitmem.commands.adopt.kinds.project.counts import count_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover

ROOT = Document("AGENTS.md", "instructions", "")


def test_decision_record_counts_nothing_of_today():
    record = Document("docs/adr/1.md", "decision", "")

    assert list(count_claims(split("- 14 tests in `tests/test_a.py`")[0], record)) == []


def found(find, text):
    return [claim for statement in split(text) for claim in find(statement, ROOT)]


@each(
    ("text", "counts"),
    [
        (
            "- `tests/test_a.py` (14 tests), 15 tools in `src/mcp.py`",
            ["14 tests of tests/test_a.py", "15 tools of src/mcp.py"],
        ),
        ("- the `infra/` has **eleven modules**: all small", ["11 modules of infra"]),
        ("| `tests/test_a.py` | 14 tests |", ["14 tests of tests/test_a.py"]),
        ("| File | Tests |\n|---|---|\n| `tests/test_a.py` | 14 |", ["14 tests of tests/test_a.py"]),
        ("```\napp/\n├── infra/  # agent, 22 modules\n└── b.py\n```", ["22 modules of app/infra"]),
        ("- `agent/`: `core/`, `infra/` (22 modules)", ["22 modules of agent/infra"]),
        ("- `tui/`: app, features (24 modules, with hubs)", ["24 modules of tui/features"]),
        ("`app/cli.py` defines the app. All 11 commands are at the top.", ["11 commands of app/cli.py"]),
        ("### Parsing (4 tests)", []),
        ("Validates 15 required MCP tools, up to 9 allowed hosts", ["15 list of REQUIRED_TOOLS"]),
        ("The suite has 120 tests.", ["120 tests of "]),
        ("- `infra/` (~22 modules), `infra/` (22+ modules), `infra/` (2 modules)", []),
        ("- about 14 tests in `a.py`, up to 14 tests in `a.py`, 10-14 tests in `a.py`", []),
        ("- `a.py`: 14 tests failed, the first 14 tests in `a.py`, 14 tests per run", []),
        ("- run 4 workers in `src/`, takes 5 minutes, 3 other files in `src/`", []),
        ("The server exposes three tools:", []),
        ("Each page shows 25 modules.", []),
    ],
)
def test_count_is_found_with_its_place_unless_it_is_approximate(text, counts):
    assert [f"{one.stated} {one.tool} of {''.join(one.places[:1])}" for one in found(count_claims, text)] == counts


def test_remark_of_a_command_counts_what_is_in_its_file_or_in_all_the_code():
    exact = "pytest tests/test_a.py  # 14 tests\nnpm test  # runs 12 tests\n"
    text = f"```sh\n{exact}make x  # about 9 tests\nrun  # 3 more tests\n```\n"
    found = [one for part in split(text) for one in count_claims(part, Document("AGENTS.md", "instructions", ""))]

    assert [(one.line, one.stated, one.places) for one in found] == [(2, "14", ("tests/test_a.py",)), (3, "12", ())]


def test_lines_and_tables_of_a_file_are_counted_in_one_way_only():
    text = "- **Schema**: `db/schema.sql` (944 lines, 21 tables, 60+ indexes)\n"
    found = [one for part in split(text) for one in count_claims(part, Document("AGENTS.md", "instructions", ""))]

    assert [(one.stated, one.tool, one.places, one.is_certain) for one in found] == [
        ("944", "lines", ("db/schema.sql",), True),
        ("21", "tables", ("db/schema.sql",), True),
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "ATest.java",
            '  @DisplayName("a") @ParameterizedTest void a();\n  @RepeatedTest(2) void b();\n  @TestFactory L c();\n',
        ),
        ("a_test.cpp", 'TYPED_TEST(A, B) {}\nBOOST_AUTO_TEST_CASE(c) {}\nTEST_CASE_TEMPLATE("d", T, int) {}\n'),
        ("a.test.ts", "it.skip('a', f)\ntest.concurrent.each([\n  [1],\n])('b', f)\nit.only('c', f)\n"),
        ("a.rs", "#[rstest]\nfn a() {}\n#[test_case(1)]\nfn b() {}\n#[wasm_bindgen_test]\nfn c() {}\n"),
        ("ATest.cs", "[SkippableFact]\n[DataTestMethod]\n[TestCaseSource(X)]\n"),
    ],
)
def test_tests_with_parameters_are_counted_as_the_plain_ones(repo, path, text):
    commit_files(repo, {"AGENTS.md": f"- 3 tests in `{path}`\n", path: text})
    handle = Git(discover(repo))

    assert [one.claim.token for one in adopt(handle, handle.resolve("HEAD"), kinds={"count"}).of(HOLDS)] == ["3 tests"]


def test_several_files_of_one_name_may_be_one_thing(repo):
    steps = ("1_a", "2_b", "3_c")
    commit_files(repo, {"AGENTS.md": "- `steps/`: 3 migrations\n", **{f"steps/{one}.sql": one for one in steps}})
    commit_files(repo, {f"steps/{one}.down.sql": one for one in steps})
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"count"})

    assert (len(adoption.of(HOLDS)), len(adoption.of(FALSE))) == (1, 0)
