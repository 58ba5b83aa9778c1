"""``gitmem help``: commands, topics, other words for commands, and how the memory here is."""

from __future__ import annotations

from gitmem.cli.commands import all_commands, load_command
from gitmem.cli.help import summary
from gitmem.cli.manual import groups_of
from gitmem.cli.parser import parser_of


def test_topic_and_all_commands_are_shown(run_cli) -> None:
    assert run_cli("help", "trust-me").status == 2
    assert run_cli("help", "team").out.startswith("team: share a memory")
    assert "\nPlumbing, for programs and CI:\n" in run_cli("help", "--all").out


def test_options_of_every_command_are_in_groups() -> None:
    parsers = {name: parser_of(name, load_command(name)) for name in all_commands()}

    loose = {name: groups_of(parser).get("options", []) for name, parser in parsers.items()}

    assert {name: actions for name, actions in loose.items() if len(actions) > 4} == {}


def test_synonym_shows_the_help_of_its_command(run_cli) -> None:
    done = run_cli("help", "search")

    assert done.out.startswith("usage: gitmem recall")
    assert done.err == "gitmem: gitmem calls it recall\n"


def test_overview_says_what_fails_and_what_waits() -> None:
    status = {
        **{
            "memories": 12,
            "branch": "memory",
            "kinds": {"fact": 9},
            "statuses": {"verified": 7, "failed": 1, "unproven": 1},
            "claims": {"verified": 3, "failed": 0},
        },
        **{
            "failed": [{"title": "Tokens use RS256", "key": "rs256"}],
            "stale": {"inputs": 2, "ttl": 0, "references": 1},
            "waiting": ["a"],
            "to_settle": [],
        },
        **{"problems": 0, "spool": {"refused": 1}, "proposal": "notes", "companion": None},
    }

    assert summary(status) == [
        "12 memories on the branch memory, with 9 facts: 7 verified, 1 failed, 1 unproven",
        "3 names and values of documents hold",
        "✗ Tokens use RS256 (rs256)",
        "to decide about a failure: gitmem settle rs256",
        "1 command waiting for approval: gitmem trust --review",
        "2 facts due or stale: gitmem verify",
        "1 memory with changed lines of code: gitmem curate refs",
        "1 captured text set aside: gitmem doctor",
        "new memories go to the proposal notes (gitmem propose pushes it, gitmem propose --switch memory leaves it)",
    ]


def test_overview_in_a_repository_with_a_memory_counts_it(run_cli) -> None:
    run_cli("init")
    run_cli("remember", "The gateway drops idle connections")

    assert "\nHere:\n  1 memory on the branch memory, with 0 facts" in run_cli().out
