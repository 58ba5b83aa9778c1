"""Which clients load which instruction files, for which folder, and what exceeds their limits."""

from support.each import each

from gitmem.agents.clients import all_tables
from gitmem.agents.instruction_files import list_loaded
from gitmem.commands.adopt.documents import INSTRUCTIONS, kind_of


def clients(texts, path, settings=None):
    return next((one.clients for one in list_loaded(texts, settings) if one.path == path), ())


@each(
    ("paths", "path", "client", "is_loaded"),
    [
        (["AGENTS.md"], "AGENTS.md", "Codex", True),
        (["AGENTS.md"], "AGENTS.md", "Claude Code", True),  # there is no CLAUDE.md
        (["AGENTS.md", "CLAUDE.md"], "AGENTS.md", "Claude Code", False),
        (["AGENTS.md", "CLAUDE.md"], "CLAUDE.md", "Claude Code", True),
        (["AGENTS.md", "CLAUDE.md"], "CLAUDE.md", "OpenCode", False),
        (["CLAUDE.md"], "CLAUDE.md", "OpenCode", True),
        (["AGENTS.md"], "AGENTS.md", "Gemini CLI", False),
        (["web/CLAUDE.md"], "web/CLAUDE.md", "GitHub Copilot", False),  # only at the root
        ([".windsurf/rules/a.md"], ".windsurf/rules/a.md", "Windsurf", True),
        (["web/.cursor/rules/a.mdc"], "web/.cursor/rules/a.mdc", "Cursor", True),
        ([".roo/rules-code/a.md"], ".roo/rules-code/a.md", "Roo Code", True),
    ],
)
def test_client_loads_a_document_by_its_place_and_by_the_others(paths, path, client, is_loaded):
    assert (client in clients(dict.fromkeys(paths, "Be kind.\n"), path)) is is_loaded


def test_reference_and_setting_make_clients_load_agents_md():
    texts = {"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": "Be kind.\n"}

    assert "Claude Code" in clients(texts, "AGENTS.md")
    assert "Gemini CLI" in clients(
        texts, "AGENTS.md", {".gemini/settings.json": '{"context": {"fileName": ["AGENTS.md"]}}'}
    )


def test_nested_documents_are_for_their_folder_and_what_is_opened_on_demand_is_left_out():
    paths = ["AGENTS.md", "web/AGENTS.md", "web/.claude/rules/a.md", ".claude/skills/x/SKILL.md", "README.md"]

    found = [(one.path, one.folder) for one in list_loaded(dict.fromkeys(paths, "Be kind.\n"))]

    assert found == [("AGENTS.md", ""), ("web/.claude/rules/a.md", "web"), ("web/AGENTS.md", "web")]


def test_limits_count_bytes_from_the_root_and_characters_of_a_file():
    texts = {
        "AGENTS.md": "a" * 20_000,
        "web/AGENTS.md": "b" * 11_000,
        "web/api/AGENTS.md": "c" * 9_000,
        "docs/AGENTS.md": "d",
    }

    excess = {one.path: one.excess for one in list_loaded(texts)}

    assert excess == {
        "AGENTS.md": ("Windsurf loads 12,000 of its 20,000 characters",),
        "docs/AGENTS.md": (),
        "web/AGENTS.md": (),
        "web/api/AGENTS.md": ("Codex loads 32,768 bytes, and it has 40,000 with the files above it",),
    }


def test_adopt_reads_what_clients_load():
    globs = {glob for one in all_tables().values() for glob in one.documents}

    unread = {
        one for one in globs if kind_of(one.strip("/").replace("*.md*", "a.md").replace("*", "a")) != INSTRUCTIONS
    }

    assert unread == set()
