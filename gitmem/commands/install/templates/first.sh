mkdir "$RUNNER_TEMP/gitmem"
gitmem check --base @BASE@ --fail-on never --report "json=$RUNNER_TEMP/gitmem/check.json" >/dev/null
if git cat-file -e origin/HEAD:@APPROVED@ && grep -q '"not approved"' "$RUNNER_TEMP/gitmem/check.json"; then
  echo "commands=true" >>"$GITHUB_OUTPUT"
fi
