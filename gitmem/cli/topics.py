"""The texts of `gitmem help TOPIC`: one screen for each concept that a new user needs."""

from __future__ import annotations

from gitmem.statuses import MARKS

# Name: (subject, in one line; text in paragraphs, with commands indented by four).
TOPICS: dict[str, tuple[str, str]] = {
    "facts": (
        "what a fact is, when it is due, and what each status means",
        f"""\
A fact is a memory with a check: a built-in test, or a command that exits with 0 while the fact is true. A
memory without a check is only what someone wrote.

    gitmem fact "Tokens are signed with RS256" --contains RS256 --in src/auth/jwt.py
    gitmem fact "There is no setup.py any more" --absent setup.py
    gitmem fact "The unit tests need no network" --verify "make unit" --path src

gitmem verify runs the checks that are due: there is no verdict yet, the files that the check read have changed,
or the time to live has passed (30 days by default). Nothing else runs.

- {MARKS["verified"]} verified: the check held
- {MARKS["failed"]} failed: the check does not pass now, and passes at the last commit where it held
  (repeated runs confirm it)
- {MARKS["suspect"]} suspect: a fact that this one requires has failed
- {MARKS["blocked"]} blocked: the check does not pass here, nor at the commit where it held,
  so this environment is the cause
- {MARKS["stale"]} stale: it held, but its files changed or its time to live has passed
- {MARKS["unproven"]} unproven: no verdict yet

After a failure, find the commit that broke the fact, and decide what to do:

    gitmem why KEY
    gitmem settle KEY

More: docs/guide.md, docs/checks.md, docs/verify.md""",
    ),
    "environments": (
        "what a check sees of this machine, and which settings exist",
        """\
A check never runs in your work tree. It sees a clone of the commit, installed programs, and the folders of
dependencies that git ignores (node_modules, .venv, vendor). It sees no environment variables, except those that
the fact names:

    gitmem fact "Migrations apply" --env DATABASE_URL --network --verify "make migrate-check"

A verdict names its environment: the system, the lock files, the versions of the programs that the check ran. A
verdict from another environment is a claim, and the fact is due here. A check that fails only because a tool or
service is missing makes the fact blocked, never failed.

More folders, and a command that prepares every check, are settings of the store:

    gitmem policy set --add verify.folders target
    gitmem policy set verify.setup "make deps"

gitmem's own settings are git settings such as gitmem.color, or environment variables such as GITMEM_COLOR.
NO_COLOR and FORCE_COLOR decide about colors, GITMEM_PAGER or core.pager about the pager.

    git config gitmem.autoSync true
    GITMEM_PAGER=cat gitmem list

More: docs/verify.md, docs/judging.md, docs/sandbox.md, docs/settings.md""",
    ),
    "trust": (
        "which commands run, who approves them, and where they run",
        """\
Memories arrive with git fetch, so their commands are other people's programs. Reading never runs one. A command
runs only after you approved its exact bytes for this clone, at a terminal, or if a reviewed list on the default
branch has its hash. Built-in checks run no program and need no approval.

    gitmem trust --review
    gitmem trust --list
    gitmem untrust KEY

A fact that you type at a terminal yourself is approved with it. A changed command needs a new approval. An
agent cannot approve anything.

An approved command still runs in a sandbox, without your environment, your home folder or the network, unless
the fact has network: true. If no sandbox works here, commands are skipped.

    gitmem doctor

More: docs/security.md, docs/how-it-works.md""",
    ),
    "team": (
        "share a memory, review changes to it, and work on branches",
        """\
The memory is a branch of the same repository, called memory. One command fetches what others wrote, merges it
with yours field by field, and pushes:

    gitmem sync

If the branch is protected, or if a change should be reviewed first, put it on a branch for a pull request. From
then on, what you write goes to that proposal, and gitmem status says so:

    gitmem propose auth-notes
    gitmem propose --list
    gitmem propose --switch memory

gitmem review explains a change to the memory before it is merged. On a branch of the code, facts that are not
true on the default branch yet go to a memory of that branch, and are merged with it.

Notes for yourself stay in this clone with --scope private.

More: docs/sync.md, docs/propose.md, docs/review.md, docs/scopes.md""",
    ),
    "ci": (
        "check pull requests, and keep the verdicts up to date",
        """\
Two jobs are enough: one shows which facts a pull request makes false, the other verifies on the default branch
and records the verdicts. This writes both:

    gitmem install github
    gitmem install gitlab

In CI, commands run only if a reviewed list on the default branch has their hash. Write it here, then commit it:

    gitmem trust --print > .github/gitmem-approved

The same, by hand:

    gitmem check --base origin/main --approved .github/gitmem-approved
    gitmem verify --all --approved .github/gitmem-approved --format github

Exit status: 0 all is well; 1 a fact fails or is suspect; 2 wrong usage; 3 something due could not be checked or
is not approved.

More: docs/check.md, docs/verify-jobs.md, docs/forge.md""",
    ),
    "agents": (
        "connect coding agents, and what they are shown",
        """\
A session starts with the memories that matter, each prompt brings the memories it needs, and gitmem captures
what the agent learns. Connect the agents that you have:

    gitmem install claude-code codex
    gitmem install found --user

To see what an agent is shown, or to show agents nothing here:

    gitmem context
    gitmem session log
    gitmem session off

Agents record memories with the same commands as people, and with lines that begin with LEARNED: or DECISION:.
They cannot approve commands. Agents that speak MCP can use the server:

    gitmem mcp

More: docs/agents.md, docs/sessions.md, docs/mcp.md""",
    ),
}
