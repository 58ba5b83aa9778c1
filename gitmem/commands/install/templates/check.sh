set -- --report "json=$RUNNER_TEMP/gitmem/check.json" --report "sarif=$RUNNER_TEMP/gitmem/check.sarif"
if git cat-file -e origin/HEAD:@APPROVED@; then
  set -- "$@" --approved @APPROVED@
fi
# Its annotations are commands to the runner, so those are not stopped here: gitmem escapes all other text.
gitmem check --base @BASE@ --format github "$@"
