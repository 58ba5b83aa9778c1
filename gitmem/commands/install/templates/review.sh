git remote set-head origin "$DEFAULT_BRANCH" # the code for statuses, and the list that approves checks
mkdir "$RUNNER_TEMP/gitmem"
set -- --report "markdown=$RUNNER_TEMP/gitmem/review.md" --report "html=$RUNNER_TEMP/gitmem/review.html"
if git cat-file -e "origin/$DEFAULT_BRANCH:@APPROVED@"; then
  set -- "$@" --approved @APPROVED@
fi
# Its annotations are commands to the runner, so those are not stopped here: gitmem escapes all other text.
gitmem review "origin/$GITHUB_BASE_REF..HEAD" --format github "$@"
