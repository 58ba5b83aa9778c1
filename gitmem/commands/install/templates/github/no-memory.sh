          if ! git rev-parse -q --verify "refs/remotes/origin/$GITMEM_BRANCH" >/dev/null; then
            echo "shards=[]" >>"$GITHUB_OUTPUT" # only documents are checked
            exit 0
          fi
