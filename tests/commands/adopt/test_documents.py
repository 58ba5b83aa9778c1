"""Which files are documents, and which folder each is about."""

from support.each import each

from gitmem.commands.adopt.documents import DECISION, GUIDE, INSTRUCTIONS, find_documents, find_installed, kind_of


@each(
    ("path", "kind"),
    [
        ("AGENTS.md", INSTRUCTIONS),
        ("sub/CLAUDE.md", INSTRUCTIONS),
        ("GEMINI.md", INSTRUCTIONS),
        (".cursorrules", INSTRUCTIONS),
        (".windsurfrules", INSTRUCTIONS),
        (".github/instructions/tests.instructions.md", INSTRUCTIONS),
        (".cursor/rules/style.mdc", INSTRUCTIONS),
        (".github/copilot-instructions.md", INSTRUCTIONS),
        ("CONTRIBUTING.md", GUIDE),
        ("README.md", GUIDE),
        ("lib/README.rst", GUIDE),
        ("CONTRIBUTING.adoc", GUIDE),
        ("docs/adr/0001-use-git.md", DECISION),
        ("docs/architecture/decisions/0002-use-it.md", DECISION),
        ("docs/adr/README.md", GUIDE),
        ("docs/guide.md", ""),
        ("src/agents.py", ""),
    ],
)
def test_kind_is_known_by_the_name(path, kind):
    assert kind_of(path) == kind


def test_document_is_about_the_folder_it_is_in_but_not_about_a_hidden_one():
    found = find_documents(["AGENTS.md", "app/AGENTS.md", "app/.cursor/rules/a.mdc", ".github/copilot-instructions.md"])

    assert [(one.path, one.folder) for one in found] == [
        (".github/copilot-instructions.md", ""),
        ("AGENTS.md", ""),
        ("app/.cursor/rules/a.mdc", "app"),
        ("app/AGENTS.md", "app"),
    ]


def test_documents_of_other_people_are_left_out():
    assert find_documents(["node_modules/x/README.md", "vendor/y/AGENTS.md"]) == []


def test_skills_that_an_installer_lists_are_left_out_and_those_of_the_project_are_kept():
    lists = {
        "skills-lock.json": '{"skills": {"shadcn": {"sourceType": "github"}, "ours": {"sourceType": "local"}}}',
        "web/boost.json": '{"skills": ["pest-testing", "deploy"]}',
        "broken/skills-lock.json": "[",
    }
    paths = [
        ".agents/skills/shadcn/rules/a.md",
        ".claude/skills/ours/SKILL.md",
        ".claude/skills/pest-testing/SKILL.md",
        "web/.claude/skills/deploy/SKILL.md",
        "web/.claude/skills/pest-testing/SKILL.md",
        "web/AGENTS.md",
    ]

    found = find_installed(find_documents(paths), lists, {"web/.ai/skills/deploy"})

    assert [one.path for one in found] == [
        ".agents/skills/shadcn/rules/a.md",
        "web/.claude/skills/pest-testing/SKILL.md",
    ]


def test_named_file_counts_whatever_it_is_called_and_a_folder_selects():
    paths = ["AGENTS.md", "docs/guide.md", "sub/README.md"]

    assert [one.path for one in find_documents(paths, ["docs/guide.md", "sub/"])] == ["docs/guide.md", "sub/README.md"]


@each(
    ("path", "folder"),
    [
        ("AGENT.md", ""),
        ("web/.rules", "web"),
        ("web/.claude/skills/review/SKILL.md", "web"),
        (".claude/commands/git/ship.md", ""),
        (".roo/rules-code/style.md", ""),
        ("api/.junie/guidelines.md", "api"),
        (".github/chatmodes/plan.chatmode.md", ""),
        (".clinerules/01-style.md", ""),
    ],
)
def test_documents_of_agents_are_about_the_folder_that_has_them(path, folder):
    (found,) = find_documents([path, "src/a.py"])

    assert (found.path, found.kind, found.folder) == (path, INSTRUCTIONS, folder)


@each(
    "path",
    [
        "docs/archive/README.md",
        "audits/README.md",
        "reports/2025-11-02/README.md",
        "reports/20251102-load/README.md",
        "notes/2025/11/README.md",
        "docs/retro/README.md",
        "docs/incidents/queue/README.md",
        "docs/status-reports/README.md",
    ],
)
def test_history_is_no_document_unless_it_is_named(path):
    assert find_documents([path]) == []
    assert [one.path for one in find_documents([path], [path])] == [path]


@each(
    "path",
    [
        "src/journal/README.md",
        "packages/audits/README.md",
        "migrations/20240101120000_add/README.md",
        "api/v2025/README.md",
    ],
)
def test_code_with_the_name_of_something_past_is_no_history(path):
    assert [one.path for one in find_documents([path])] == [path]
