git remote set-head origin "$DEFAULT_BRANCH"
mkdir "$RUNNER_TEMP/gitmem"
# What the forge does not say, the next step finds in git.
gitmem forge branches --drop-list "$RUNNER_TEMP/gitmem/dropped" || true
