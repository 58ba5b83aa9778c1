#!/usr/bin/env bash
# The main job, end to end, in a scratch clone of this repository. Needs no terminal, changes nothing outside the clone.
set -euo pipefail

# The demo shows what a person sees, also if an agent runs it.
unset AGENT AI_AGENT CLAUDECODE CLAUDE_CODE_ENTRYPOINT CODEX_CI CODEX_SANDBOX CODEX_THREAD_ID COPILOT_CLI CURSOR_AGENT GEMINI_CLI OPENCODE
export GITMEM_PARENTS=off

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH="$here/.venv/bin:$PATH"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Approvals and logs of the demo also stay in the scratch folder.
export XDG_STATE_HOME="$scratch/state"

bold='' dim='' cyan='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\e[1m' dim=$'\e[2m' cyan=$'\e[36m' plain=$'\e[0m'
fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
failed=0
run() { expect 0 "$*"; }
# expect STATUS COMMAND: print a command as it is typed, then run it; the demo fails if its exit status is another
expect() {
  printf '%s$ %s%s\n' "$cyan" "$2" "$plain"
  local status=0
  eval "$2" 2>&1 || status=$?
  [ "$status" = 0 ] || printf '%s(exit %s)%s\n' "$dim" "$status" "$plain"
  [ "$status" = "$1" ] || { printf 'demo: exit status %s, not %s: %s\n' "$status" "$1" "$2" >&2; failed=1; }
}

say "1. A scratch clone of this repository: do its documents still tell the truth?"
if [ -e "$here/.git" ]; then
  run git clone --quiet --no-hardlinks "'$here'" "'$scratch/gitmem'"
  cd "$scratch/gitmem"
  git checkout --quiet -B main
  git remote remove origin
else # a source distribution: a repository of its files
  git init --quiet --initial-branch main "$scratch/gitmem"
  cd "$scratch/gitmem"
  git --work-tree "$here" add --all
  git -c user.name="The gitmem contributors" -c user.email=gitmem@example.org commit --quiet -m "Import the source distribution"
  git checkout --quiet --force
fi
for branch in $(git for-each-ref --format='%(refname:short)' refs/heads/memory); do git branch --quiet -D "$branch"; done
git config user.name "Ana Example"
git config user.email ana@example.org
git config commit.gpgSign false
run gitmem adopt

say "2. Remember what you learned: title, key and tags are made from the text"
run gitmem init
run 'gitmem remember "A worktree on the memory branch reverts other writers: keep the view detached" --kind gotcha --path "gitmem/store/**"'
run 'gitmem remember "CI runs on Python 3.11 because the package promises it" --kind decision --key ci-runs-on-3.11 --requires python-3.11'

say "3. Facts carry the check that proves them: built in, a shell command, a program"
run 'gitmem fact "Only process.py starts programs" --lacks "import subprocess" --in "gitmem/store/**" --key store-starts-nothing'
run 'gitmem fact "The package runs on Python 3.11" --verify "grep -q \"^requires-python = .>=3.11\" pyproject.toml" --path pyproject.toml --key python-3.11'
run 'gitmem fact "Writes are compare-and-swap" --key writes-are-cas --path "gitmem/store/**" -- grep -q "compare-and-swap" gitmem/store/commit/__init__.py'

unconfined=''
if gitmem doctor 2> /dev/null | grep -q 'only built-in checks run'; then
  unconfined=' --no-sandbox'
  say "No sandbox works on this machine (gitmem doctor says why), so gitmem would run no commands:
the few of this demo, which you can read above, run without one."
fi

say "4. No command of a memory runs without approval; in CI, a reviewed list on the default branch approves them"
run 'mkdir -p .github && gitmem trust --print > .github/gitmem-approved && cat .github/gitmem-approved'
run 'git add .github/gitmem-approved && git commit --quiet -m "Approve the commands of these facts"'
run "gitmem verify --approved .github/gitmem-approved$unconfined"

say "5. A commit makes one of them false: check it before the merge, verify it, and find out who it was"
run 'sed -i.bak "s/^requires-python = .*/requires-python = \">=3.12\"/" pyproject.toml && rm pyproject.toml.bak'
run 'git commit --quiet -am "Drop Python 3.11"'
expect 1 'gitmem adopt README.md CONTRIBUTING.md'
run gitmem list --status stale
expect 1 "gitmem check --base HEAD~1 --approved .github/gitmem-approved$unconfined"
expect 1 "gitmem verify --approved .github/gitmem-approved$unconfined"
run "gitmem why python-3.11 --approved .github/gitmem-approved$unconfined"

say "6. The answer is a commit on the memory branch, and every reader sees it"
run "git log -1 --format='%h %an: %s%n%n%b' memory"
run gitmem log python-3.11
run gitmem recall which python version do we support
run gitmem context
run gitmem show python-3.11 --at HEAD~1
expect 1 'gitmem settle python-3.11'

say "7. Fix the code, and the suspicion disappears"
run "git revert --no-edit HEAD > /dev/null && gitmem verify --approved .github/gitmem-approved$unconfined"
run 'git show memory:STATUS.md'
printf '\n%sEverything above is on the branch `memory` of an ordinary git repository:%s git log memory\n' "$bold" "$plain"
exit "$failed"
