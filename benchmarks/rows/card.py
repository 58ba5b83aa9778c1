"""G: the design card."""

from __future__ import annotations

import shutil

from benchmarks.rows import row
from benchmarks.rows.further import begin, break_it, share
from benchmarks.rows.place import Place


@row("G1", "Frontmatter Markdown files on the memory branch, seen at `.memory/`")
def g1(place: Place) -> None:
    """A memory is a Markdown file with frontmatter on the branch and in `.memory/`; an edit there is saved onto the branch."""
    begin(place)
    place.type("gitmem view && cat .memory/facts/rs256.md", "title: Tokens are signed with RS256", "---")
    place.type("git show memory:facts/rs256.md", "kind: fact")
    place.type(
        "sed -i 's/only the public/just the public/' .memory/learned/public.md && gitmem save && gitmem show public",
        "just the public",
    )
    place.type("git status --short", hides=[".memory"])


@row("G2", "A Whoosh index is rebuilt on checkout")
def g2(place: Place) -> None:
    """With gitmem's git hooks, and with those of pre-commit, a checkout builds the index; a query with a typo finds by it."""
    begin(place)
    place.type("gitmem install git-hooks")
    place.env["GITMEM_BACKGROUND"] = "on"
    place.type(
        "git switch -q -c other; for i in $(seq 100); do ls .git/gitmem/whoosh* >/dev/null 2>&1 && break; sleep 0.1; done; find .git/gitmem -ipath '*whoosh*' | head -3",
        "whoosh",
    )
    place.type("gitmem recall --syntax 'tokns~ signd~'", "rs256")
    other = place.project("second")
    place.type("gitmem init && gitmem remember 'Tokens live an hour' --key hour && gitmem hook index", at=other)
    place.type("find .git/gitmem -ipath '*whoosh*' | head -3", "whoosh", at=other)


@row("G3", "Scheduled verify jobs mark what no longer holds, with suspects, through commits")
def g3(place: Place) -> None:
    """The job's command commits one verdict that names the failed fact and the suspect; timers are printed and well formed."""
    begin(place)
    break_it(place)
    before = place.type("git rev-list --count memory").strip()
    place.type("gitmem verify --fail-on never", "rs256")
    after = place.type("git rev-list --count memory").strip()
    place.need(int(after) == int(before) + 1, f"{before} commits before the job, {after} after it")
    place.type("git log -1 --format=%B memory", "rs256", "public")
    place.type("gitmem list", "rs256\tfact\tfailed", "public\tlearned\tsuspect")
    place.type("gitmem install schedule --cron --print", "gitmem", "verify")
    place.type("gitmem install schedule --systemd; cat ~/.config/systemd/user/gitmem-*.timer", "OnCalendar=")
    if shutil.which("systemd-analyze"):
        place.type(
            "mkdir ~/run && XDG_RUNTIME_DIR=~/run systemd-analyze verify --user ~/.config/systemd/user/gitmem-*.timer",
            hides=["gitmem-verify"],
        )
    else:
        place.untried.append("systemd's judgement of the units: systemd-analyze is not installed")


@row("G4", "Git hooks and pre-commit hooks use it")
def g4(place: Place) -> None:
    """A commit that makes a fact false is stopped; a `Learned:` line of a message is captured; pre-commit runs the same."""
    begin(place)
    place.env["GITMEM_BACKGROUND"] = "on"
    place.type("gitmem install git-hooks --check")
    place.write("src/auth/jwt.py", "x = 1\n")
    place.type("git add -A && git commit -qm 'auth: gone'", "rs256", status=1)
    place.type(
        "git checkout -q HEAD -- . && echo hi >> README.md && git commit -qam 'readme' -m 'Learned: the readme is short'"
    )
    place.type("gitmem recall readme is short", "readme is short")
    place.type("gitmem uninstall git-hooks")
    if shutil.which("pre-commit", path=place.env["PATH"]) is None:
        place.untried.append("pre-commit is not installed")
        return
    place.write(
        ".pre-commit-config.yaml",
        "repos:\n- repo: local\n  hooks:\n  - id: facts\n    name: facts\n    entry: gitmem check --staged\n    language: system\n    pass_filenames: false\n    always_run: true\n",
    )
    place.write("src/auth/jwt.py", "x = 1\n")
    place.type("git add -A && pre-commit run", "rs256", "Failed", status=1)


@row("G5", "GitHub Actions check staleness; a pull request's memory diff is reviewed")
def g5(place: Place) -> None:
    """The workflows are written; their commands, run here as a forge does, annotate a fact that a pull request breaks."""
    begin(place)
    share(place)
    place.type(
        f"gitmem install github --package git+https://git.example.org/gitmem@{'12' * 20} && ls .github/workflows",
        "gitmem.yml",
        "gitmem-write.yml",
    )
    place.type("cat .github/workflows/gitmem.yml", "schedule:", "pull_request", "gitmem check")
    place.type("git ls-tree -r --name-only memory", ".github/workflows/")
    place.type("git switch -q -c eddsa")
    break_it(place)
    place.type("gitmem check --base main --format github", "::error", "rs256", status=1)
    place.type(
        "gitmem remember 'Keys rotate at noon' && gitmem review memory~1..memory --format markdown", "Keys rotate"
    )


@row("G6", "`gitmem recall` in a shell")
def g6(place: Place) -> None:
    """A question in words, a path and an identifier find; nothing that is typed is syntax; nothing found is exit status 1."""
    begin(place)
    place.type("gitmem recall how are tokens signed", "rs256")
    place.type("gitmem remember 'Claims are never logged' --path src/auth/jwt.py --key claims")
    place.type("gitmem recall src/auth/jwt.py", "claims")
    place.type('gitmem recall "(tokens AND" \\" - signed*', "rs256")
    place.type("gitmem recall zebra", "nothing found", status=1)
    place.type("gitmem recall --near src/auth/jwt.py", "rs256")
