# The output of a check must not be a command to the runner.
token=$(openssl rand -hex 16)
echo "::stop-commands::$token"
status=0
results="$RUNNER_TEMP/gitmem-results-$SHARD.jsonl"
set -- "$@" --shard "$SHARD/$COUNT" --results "$results"
if git cat-file -e origin/HEAD:@APPROVED@; then
  set -- "$@" --approved @APPROVED@
fi
gitmem verify "$@" || status=$?
echo "::$token::"
# 1: a fact failed; 3: something could not be checked. gitmem-write reports it, if there are results.
[ -e "$results" ] || exit "$status"
case $status in 0|1|3) ;; *) exit "$status" ;; esac
[ "$status" != 1 ] || echo "failed=true" >>"$GITHUB_OUTPUT"
