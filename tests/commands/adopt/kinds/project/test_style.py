"""Rules about the format of code, and the formatter's settings that confirm or contradict them."""

import pytest
from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import document_of
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.kinds.project.style import style_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover


@each(
    ("text", "said"),
    [
        ("- Use tabs", [("indentation", "tabs")]),
        ("- Indent with spaces", [("indentation", "spaces")]),
        ("- Tabs for indentation", [("indentation", "tabs")]),
        ("- Indentation: 2 spaces", [("the width of the indentation", "2")]),
        ("- 4-space indentation", [("the width of the indentation", "4")]),
        ("- Single quotes, no semicolons", [("quotes", "single"), ("semicolons", "no semicolons")]),
        ("- Do not use tabs", []),
        ("- Use tabs in Go", []),
        ("- Use double quotes for strings with an apostrophe", []),
        ("- Quotes: single quotes in code, double quotes in text", []),
        ("- The page has three tabs", []),
        ("- It opens with tabs width 4", []),
    ],
)
def test_rule_about_all_code_is_a_claim(text, said):
    (statement,) = split(text)

    assert [(one.name, one.stated) for one in style_claims(statement, document_of("AGENTS.md"))] == said


@pytest.mark.parametrize(
    ("rule", "files", "verdict"),
    [
        ("- Use tabs", {".editorconfig": "[*]\nindent_style = tab\n"}, HOLDS),
        ("- Use tabs", {"biome.json": '{"formatter": {"indentStyle": "space"}}\n'}, NEVER),
        ("- 4-space indentation", {".prettierrc": '{"tabWidth": 2}\n'}, NEVER),
        ("- Single quotes", {"ruff.toml": '[format]\nquote-style = "single"\n'}, HOLDS),
        ("- No semicolons", {".prettierrc": "semi: false\n"}, HOLDS),
        ("- Use tabs", {".editorconfig": "[*]\nindent_style = tab\n[*.py]\nindent_style = space\n"}, None),
        ("- Use tabs", {"web/.prettierrc": '{"useTabs": false}\n'}, None),  # of another folder
    ],
)
def test_setting_of_the_formatter_decides(repo, rule, files, verdict):
    commit_files(repo, {"AGENTS.md": f"{rule}\n", **files})
    handle = Git(discover(repo))

    findings = adopt(handle, handle.resolve("HEAD"), kinds=["style"]).findings

    assert [one.verdict for one in findings] == ([verdict] if verdict else [])


def test_changed_setting_is_the_culprit(repo):
    commit_files(repo, {"AGENTS.md": "- Use tabs\n", ".prettierrc": '{"useTabs": true}\n'})
    culprit = commit_files(repo, {".prettierrc": '{"useTabs": false}\n'}, "spaces")
    handle = Git(discover(repo))

    (finding,) = adopt(handle, handle.resolve("HEAD")).of(FALSE)

    assert (finding.culprit.commit, finding.source.where, finding.source.actual) == (culprit, ".prettierrc:1", "spaces")
