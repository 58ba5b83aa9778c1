set -- --dry-run --plan @COUNT@
if git cat-file -e origin/HEAD:@APPROVED@; then
  set -- "$@" --approved @APPROVED@
fi
gitmem verify "$@" >>"$GITHUB_OUTPUT"
