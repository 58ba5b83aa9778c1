# The checkout has two commits: fetch the branches that are needed. The token is only in this step's environment, and in no file.
fetch() {
  git -c credential.helper= -c credential.helper='!f() { echo username=x-access-token; echo "password=$FETCH_TOKEN"; }; f' \
    fetch -q --no-tags "$@"
}
fetch --depth=2 origin "+refs/heads/$DEFAULT_BRANCH:refs/remotes/origin/$DEFAULT_BRANCH"
fetch origin "+refs/heads/$GITMEM_BRANCH:refs/remotes/origin/$GITMEM_BRANCH" || echo "there is no branch $GITMEM_BRANCH yet"
git remote set-head origin "$DEFAULT_BRANCH" # its list approves checks
