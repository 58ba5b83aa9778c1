"""Clients without an adapter: they read instructions, and most of them skills and MCP servers."""

from __future__ import annotations

from gitmem.agents.client import Client

# By name, in alphabetical order. aider reads only what its configuration names.
TABLES = {
    "aider": Client("aider", documents=(), documents_on_demand=("CONVENTIONS.md",)),
    "amp": Client("Amp", fallback="CLAUDE.md"),
    "continue": Client("Continue", documents=(".continue/rules/*.md",)),
    "crush": Client(
        "Crush",
        documents=("AGENTS.md", "CRUSH.md", "CLAUDE.md", "GEMINI.md", "/.cursorrules"),
    ),
    "goose": Client("Goose", documents=(".goosehints", "AGENTS.md")),
    "jules": Client("Jules", documents=("/AGENTS.md",)),
    "junie": Client("Junie", documents=("/.junie/guidelines.md", "/AGENTS.md")),
    "kiro": Client("Kiro", documents=(".kiro/steering/*.md", "/AGENTS.md")),
    "roo": Client("Roo Code", documents=("/AGENTS.md", "/.roorules", "/.roo/rules*/*.md")),
    "trae": Client("Trae", documents=(".trae/rules/*.md", "/AGENTS.md")),
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
