if ! python3 -m venv --clear "$RUNNER_TEMP/python" >/dev/null 2>&1; then
  sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo -n'
  { $sudo apt-get update -q && $sudo apt-get install -q -y python3-venv; } >/dev/null
  python3 -m venv --clear "$RUNNER_TEMP/python"
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "gitmem needs Python 3.11 or newer: choose another runner in .github/gitmem.toml, then: gitmem install @FORGE@"
  exit 1
fi
echo "$RUNNER_TEMP/python/bin" >>"$GITHUB_PATH"
