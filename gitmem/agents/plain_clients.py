"""Clients without an adapter: they read instructions, and most of them skills and MCP servers."""

from __future__ import annotations

from gitmem.agents.client import Client

# By name, in alphabetical order. aider reads only what its configuration names.
TABLES = {
    "aider": Client("aider", documents=(), programs=("aider",), documents_on_demand=("CONVENTIONS.md",)),
    "amp": Client("Amp", fallback="CLAUDE.md", variables=("AMP_CURRENT_THREAD_ID",), programs=("amp",)),
    "continue": Client("Continue", documents=(".continue/rules/*.md",)),
    "crush": Client(
        "Crush",
        documents=("AGENTS.md", "CRUSH.md", "CLAUDE.md", "GEMINI.md", "/.cursorrules"),
        variables=("CRUSH",),
        programs=("crush",),
    ),
    "goose": Client(
        "Goose", documents=(".goosehints", "AGENTS.md"), variables=("GOOSE_TERMINAL",), programs=("goose",)
    ),
    "jules": Client("Jules", documents=("/AGENTS.md",)),
    "junie": Client("Junie", documents=("/.junie/guidelines.md", "/AGENTS.md"), variables=("JUNIE_DATA",)),
    "kiro": Client("Kiro", documents=(".kiro/steering/*.md", "/AGENTS.md"), programs=("kiro-cli",)),
    "roo": Client("Roo Code", documents=("/AGENTS.md", "/.roorules", "/.roo/rules*/*.md"), variables=("ROO_ACTIVE",)),
    "trae": Client("Trae", documents=(".trae/rules/*.md", "/AGENTS.md"), variables=("TRAE_AI_SHELL_ID",)),
    "warp": Client("Warp", documents=("AGENTS.md", "WARP.md")),
    # Source of the limit: docs.windsurf.com, Cascade, Memories & Rules.
    "windsurf": Client(
        "Windsurf",
        documents=("AGENTS.md", ".windsurf/rules/*.md", "/.windsurfrules"),
        limit_characters=12_000,
        memories=(((".windsurf/rules", "rules of Windsurf"),), ()),
    ),
    "zed": Client("Zed", documents=("/.rules", "/AGENTS.md")),
}
