"""Every file that gitmem keeps in its state folder, ``.git/gitmem``: what it is, and what its loss costs.

``docs/how-it-works.md`` has this table, and ``tests/e2e/test_state_damage.py`` damages each of them.
"""

from __future__ import annotations

from gitmem.frozen import frozen

# What a lost or damaged file costs: nothing, since it is made again from the branch; a verify, a pull or one reminder
# too many; or what nothing else has.
DERIVED, LOCAL_ONLY, UNIQUE = "derived", "local", "unique"


@frozen
class StateFile:
    """A file of the state folder, or a folder of files of one kind.

    Attributes:
        path: Its path, with ``*`` for what varies; a folder ends with a slash and stands for all below it.
        content: What it holds, as the documentation has it.
        loss: What its loss costs.
        is_foreign: Whether one in an unknown clone is removed before anything is read (``registration``).
    """

    path: str
    content: str
    loss: str = DERIVED
    is_foreign: bool = False


INVENTORY = (
    StateFile("catalog.sqlite*", "the catalog and search index of one commit of the branch"),
    StateFile("vectors/", "vectors of memories, by embedding model", is_foreign=True),
    StateFile("whoosh/", "the Whoosh index, if one was built ([search.md](search.md))", is_foreign=True),
    StateFile("at/", "indexes of the last few former states that were used ([time.md](time.md))", is_foreign=True),
    StateFile("home", "the tree that HEAD has at `.memory/`; in each work tree's own git directory"),
    StateFile(
        "home-index/", "the index of both homes together; in each work tree's own git directory", is_foreign=True
    ),
    StateFile("proposal-index/", "the index of the proposal that is switched to", is_foreign=True),
    StateFile("companion-index/", "the index of a code branch's companion", is_foreign=True),
    StateFile("waiting-index/", "the index with captured texts that are not committed yet", is_foreign=True),
    StateFile("listed/", "indexes of other repositories' stores ([stores](stores.md))", is_foreign=True),
    StateFile("sources/", "pulled documents and their indexes", LOCAL_ONLY, is_foreign=True),
    StateFile("proofs", "which commits were proven to be a store", is_foreign=True),
    StateFile(
        "cautions",
        "the commands that memories warn about, and the memories' words, read before each command of an agent",
        is_foreign=True,
    ),
    StateFile("unpacked", "how many objects wait to be packed"),
    StateFile("ground/", "scratch clones for running checks"),
    StateFile("view.json", "where the view is, and the commit that it shows"),
    StateFile("background/", "background jobs: requested, running, failed; their log"),
    StateFile("report.html", "the last report that was opened"),
    StateFile("local.sqlite*", "verdicts recorded in this clone, access counts, outputs of checks", LOCAL_ONLY),
    StateFile("verify-job.json", "the last verify job, and when it ended", LOCAL_ONLY),
    StateFile("schedule.json", "the schedule that was installed", LOCAL_ONLY),
    StateFile("verify-job", "the script that a schedule runs", LOCAL_ONLY),
    StateFile("proposal", "the proposal that is switched to", LOCAL_ONLY),
    StateFile("mcp-token", "the token of the MCP server over HTTP; a new one is made", LOCAL_ONLY, is_foreign=True),
    StateFile("was-empty", "files of the person that were empty before gitmem wrote to them", LOCAL_ONLY),
    StateFile("hooks/", "which hook events arrived, what went wrong", LOCAL_ONLY),
    StateFile("sessions/", "topics, work logs, and what a session was shown", LOCAL_ONLY),
    StateFile("summaries/", "summaries of sessions that are due or were made", LOCAL_ONLY),
    StateFile("stops/", "which sessions were reminded of open work when they stopped", LOCAL_ONLY),
    StateFile("ledger/", "how far transcripts were read", LOCAL_ONLY),
    StateFile("capture/", "rules of captures, what sessions did, commits that were read", LOCAL_ONLY),
    StateFile("boards/", "locks of boards; the posts are under `refs/gitmem/runs/`", LOCAL_ONLY),
    StateFile("tally/", "counts for `gitmem stats`", LOCAL_ONLY),
    StateFile("purge.json", "a purge that was begun", LOCAL_ONLY),
    StateFile("local.sqlite*.elsewhere", "local state that another machine made, set aside", LOCAL_ONLY),
    StateFile(
        "clone-id",
        "a random id to which approvals are bound, together with the file's inode number: a copy of the repository "
        "needs new approvals; `$XDG_STATE_HOME/gitmem/clones` lists the clones known on this machine",
        LOCAL_ONLY,
    ),
    StateFile("clone-id.damaged", "an id that gitmem did not make, set aside", LOCAL_ONLY),
    StateFile("private/", "index and local state of an agent's private memories ([scopes](scopes.md))", LOCAL_ONLY),
    StateFile("*.broken", "a damaged ref that `doctor --fix` replaced", LOCAL_ONLY),
    StateFile(
        "spool/",
        "captured memories that are not committed yet, and are by the next write; `spool/refused/` contains those that "
        "cannot be written, `spool/lost` says what was lost",
        UNIQUE,
    ),
    StateFile("*lock", "locks"),
)


def is_known(path: str) -> bool:
    """Return whether a path below the state folder is one of these."""
    return any(_is_at(path, file.path) for file in INVENTORY)


def _is_at(path: str, pattern: str) -> bool:
    """Return whether a path is in a folder, or has a name with at most one ``*`` for anything."""
    if pattern.endswith("/"):
        return path.startswith(pattern)
    head, star, tail = pattern.partition("*")
    return path == pattern or (bool(star) and path.startswith(head) and path[len(head) :].endswith(tail))
