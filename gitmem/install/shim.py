"""The shims that git calls: short files of POSIX sh that find gitmem and leave the work to a process behind git.

They start no Python in the foreground but for a commit whose message says what was learnt; a checkout costs a shell's
start. The folder ``hooks/`` of this project holds the same texts without a recorded Python (``hooks/make.py``).
"""

from __future__ import annotations

import shlex

EVENTS = ("post-checkout", "post-commit", "post-merge", "post-rewrite")
# The second line of every shim, whatever its version.
MARK = "# gitmem git hook: "
# What a hook that was there before is kept as, beside the shim that calls it.
KEPT = ".before-gitmem"

_HEAD = """\
#!/bin/sh
{mark}{event}
# Set by `gitmem install git-hooks`, taken away by `gitmem uninstall git-hooks`. A hook that was here before is kept
# beside it as {event}{kept}: it is called first, and its exit status is the one that git sees.
python={python}
before=${{0%/*}}/{event}{kept}
status=0
"""
_BEFORE = """\
if [ -x "$before" ]; then
  "$before" "$@"
  status=$?
fi
"""
# Both read the list of rewritten commits, so it is read once and handed on.
_BEFORE_READING = """\
rewritten=$(cat)
if [ -x "$before" ]; then
  printf '%s\\n' "$rewritten" 2>/dev/null | "$before" "$@"
  status=$?
fi
"""
_COMMON = """\

# Everything of gitmem's own happens in here: nothing that fails reaches git.
run() {
  if [ -x "$python" ]; then "$python" -P -m gitmem "$@"; else gitmem "$@"; fi
}

locate() {
  [ "${GITMEM_BACKGROUND-}" != off ] || return 1
  [ -x "$python" ] || command -v gitmem || return 1
  dir=${GIT_DIR:-.git}
  if [ -f "$dir" ]; then read -r _ dir <"$dir"; fi
  case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
  common=$dir
  if [ -f "$dir/commondir" ]; then
    read -r common <"$dir/commondir"
    case $common in /*) ;; *) common=$dir/$common ;; esac
  fi
  folder=$common/gitmem/background
  [ -d "$common/gitmem" ] || return 1  # gitmem was never used here
  umask 077
  [ -d "$folder" ] || mkdir "$folder" || return 1
  here=.git
  if [ -f .git ]; then read -r _ here <.git; fi
  # A git directory somewhere else (GIT_DIR, a bare repository) is found by standing in it.
  [ "$here" -ef "$dir" ] || cd "$dir" || return 1
  unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES \\
    GIT_QUARANTINE_PATH GIT_COMMON_DIR GIT_NAMESPACE GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_LITERAL_PATHSPECS
}
"""
_REFRESH = """\

# One process does the work and at most one more waits: where one was started a moment ago, it is only told.
refresh() {
  told=
  if [ -s "$folder/checkout.asked" ]; then told=$(find "$folder/checkout.started" -mmin -1); fi
  printf '%s\\0' "$PWD" >>"$folder/checkout.asked" || return
  if [ -z "$told" ]; then
    : >"$folder/checkout.started"
    run background checkout >>"$folder/log" 2>&1 &
  fi
}
"""
_ACTIONS = {
    "post-checkout": """\

# The third word is 0 where only files were checked out.
( [ "${3-1}" = 1 ] && locate && refresh ) </dev/null >/dev/null 2>&1
""",
    "post-merge": """\

( locate && refresh ) </dev/null >/dev/null 2>&1
""",
    "post-commit": """\

# Only a message that says what was learnt needs gitmem. What a rebase rewrites was captured when it was committed, and
# post-rewrite looks at the rest.
(
  locate || exit
  if [ -d "$dir/rebase-merge" ] || [ -d "$dir/rebase-apply" ]; then exit; fi
  case $(git cat-file commit HEAD) in *[Ll][Ee][Aa][Rr][Nn]*:*) run hook post-commit >&3 ;; esac
) </dev/null 3>&2 >/dev/null 2>&1
""",
    "post-rewrite": """\

# An amended commit was captured by post-commit.
(
  locate || exit
  if [ "${1-}" != amend ]; then
    commits=$(printf '%s\\n' "$rewritten" | while read -r _ new _; do printf '%s ' "$new"; done)
    # shellcheck disable=SC2086 - names of commits, to be split
    {
      if git log --no-show-signature --no-walk=unsorted --format=%B $commits | grep -qi '^learn'; then
        run hook post-rewrite $commits
      fi
    } >>"$folder/log" 2>&1 &
  fi
  refresh
) </dev/null >/dev/null 2>&1
""",
}


def text_of(event: str, *, python: str = "") -> str:
    """Return the shim of one event.

    Args:
        event: One of ``EVENTS``.
        python: The interpreter that has gitmem; empty to look for ``gitmem`` on the PATH.
    """
    head = _HEAD.format(mark=MARK, event=event, kept=KEPT, python=shlex.quote(python))
    before = _BEFORE_READING if event == "post-rewrite" else _BEFORE
    refresh = "" if event == "post-commit" else _REFRESH
    return f'{head}{before}{_COMMON}{refresh}{_ACTIONS[event]}exit "$status"\n'


def is_shim(content: bytes) -> bool:
    """Tell whether a hook is a shim of ours, of any version."""
    lines = content.split(b"\n", 2)
    return len(lines) > 1 and lines[1].startswith(MARK.encode())
