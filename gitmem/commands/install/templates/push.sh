bundle="$RUNNER_TEMP/gitmem/memory.bundle"
machine='^verdicts/|^README\.md$|^STATUS\.md$|^facts\.svg$'
pushed=nothing
git init -q "$RUNNER_TEMP/push"
cd "$RUNNER_TEMP/push"
git config user.name "@ROBOT@"
git config user.email "@ROBOT_EMAIL@"
git remote add origin "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git"
# The token is only in this step's environment, and in no file.
git config credential.helper '!f() { echo username=x-access-token; echo "password=$PUSH_TOKEN"; }; f'
get() { git fetch -q --no-tags origin "+refs/heads/$GITMEM_BRANCH:refs/seen" || ! git rev-parse -q --verify refs/seen >/dev/null; }
# Whether all that others pushed is in what is to be pushed.
has_all() {
  ! git rev-parse -q --verify refs/seen >/dev/null || git merge-base --is-ancestor refs/seen "refs/new/$GITMEM_BRANCH"
}
# Without a bundle, there is nothing new.
if [ -f "$bundle" ]; then
  get
  git fetch -q --no-tags origin "+refs/heads/gitmem/*:refs/waiting/*" # what the bundle builds on
  git fetch -q --no-tags "$bundle" "+refs/heads/*:refs/new/*"
  # It never force-pushes: if others pushed first, it merges theirs and tries again.
  for _ in 1 2 3 4 5; do
    git rev-parse -q --verify "refs/new/$GITMEM_BRANCH" >/dev/null || break
    if ! has_all; then
      git checkout -q -f --detach "refs/new/$GITMEM_BRANCH"
      if ! git merge -q --no-edit refs/seen >/dev/null 2>&1; then
        # What gitmem itself writes follows theirs, and is written again by the next run. Memories are never merged blindly.
        if git diff --name-only --diff-filter=U | grep -Evq "$machine"; then
          echo "others changed the same memories meanwhile; the next run records these results"
          pushed=later
          break
        fi
        git diff --name-only --diff-filter=U | while read -r path; do
          git checkout -q --theirs -- "$path" 2>/dev/null || git rm -q -f -- "$path"
        done
        git add -A
        git commit -q --no-edit
      fi
      git update-ref "refs/new/$GITMEM_BRANCH" HEAD
    fi
    if git push -q origin "refs/new/$GITMEM_BRANCH:refs/heads/$GITMEM_BRANCH"; then
      pushed=memory
      break
    fi
    get
    if has_all; then
      # Nobody was faster, or somebody is just about to be; at the second time, the branch is protected.
      [ -z "${refused-}" ] || break
      refused=yes
      sleep 3
    fi
  done
  if [ "$pushed" = memory ]; then
    # Memory of merged branches, which is part of the memory branch now.
    git fetch -q --no-tags origin "+refs/heads/gitmem/branch/*:refs/companions/*"
    git for-each-ref --format='%(objectname) %(refname:lstrip=2)' refs/companions | while read -r tip name; do
      if git merge-base --is-ancestor "$tip" "refs/new/$GITMEM_BRANCH"; then
        git push -q --force-with-lease="gitmem/branch/$name:$tip" origin ":refs/heads/gitmem/branch/$name" || true
      fi
    done
  fi
  if [ "$pushed" = nothing ] && git rev-parse -q --verify refs/new/gitmem/verify >/dev/null; then
    git push -q origin "refs/new/gitmem/verify:refs/heads/gitmem/verify"
    pushed=instead
  fi
  # Other pull requests to memory that conflicted with it, merged by meaning; after a lost race, the next run tries again.
  git for-each-ref --format='%(refname:lstrip=2)' refs/new/gitmem | while read -r name; do
    [ "$name" = gitmem/verify ] || git push -q origin "refs/new/$name:refs/heads/$name" || true
  done
fi
# Memory of branches whose pull requests were closed, as the job before found it.
if [ -f "$RUNNER_TEMP/gitmem/dropped" ]; then
  while read -r tip name; do
    git push -q --force-with-lease="gitmem/branch/$name:$tip" origin ":refs/heads/gitmem/branch/$name" || true
  done <"$RUNNER_TEMP/gitmem/dropped"
fi
echo "pushed=$pushed" >>"$GITHUB_OUTPUT"
