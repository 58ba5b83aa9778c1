git remote set-head origin "$DEFAULT_BRANCH" # results are recorded on this branch
if ! git rev-parse -q --verify "refs/remotes/origin/$GITMEM_BRANCH" >/dev/null; then
  echo "there is no branch $GITMEM_BRANCH yet: gitmem init, then gitmem sync"
  exit 0
fi
mkdir -p "$RUNNER_TEMP/gitmem"
token=$(openssl rand -hex 16)
echo "::stop-commands::$token"
status=0
set -- "$RUNNER_TEMP"/gitmem-results/*.jsonl
if [ -e "$1" ]; then
  gitmem verify --fail-on news --record-results "$@" || status=$?
fi
# 1: a fact failed that did not fail before; 2: a file was refused; 3: something was not checked. The next job reports it.
case $status in 0|1|2|3) ;; *) exit "$status" ;; esac
gitmem forge page
gitmem status --json >"$RUNNER_TEMP/gitmem/status.json" || true # 1: a fact fails
# The branch to push, and the one for a pull request if the memory branch is protected.
gitmem sync --bundle "$RUNNER_TEMP/gitmem/memory.bundle" --instead gitmem/verify
echo "::$token::"
echo "status=$status" >>"$GITHUB_OUTPUT"
