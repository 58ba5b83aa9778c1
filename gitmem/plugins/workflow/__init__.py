"""The steps of a workflow: what helps before a piece of work, how it was built, and what was decided."""

from __future__ import annotations

MODULES = {
    "decide": "gitmem.plugins.workflow.cli.decide",
    "decisions": "gitmem.plugins.workflow.cli.decisions",
    "post-work": "gitmem.plugins.workflow.cli.post_work",
    "pre-work": "gitmem.plugins.workflow.cli.pre_work",
}
COMMANDS = {
    "decide": ("write", "record a decision and the reason for it"),
    "post-work": ("write", "record how something was built, with code locations"),
    "pre-work": ("read", "show what matters before you start work: failures, decisions, patterns"),
    "decisions": ("read", "find decisions, by question, role or story"),
}
