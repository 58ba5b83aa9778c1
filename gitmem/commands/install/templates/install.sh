source=$PACKAGE
case $PACKAGE in
  git+*)
    source=$(mktemp -d)
    url=${PACKAGE#git+}
    git init -q "$source"
    git -C "$source" fetch -q --depth 1 "${url%@*}" "${url##*@}"
    git -C "$source" checkout -q "${url##*@}" # by its full name: git checks what it fetched
    ;;
  https:*)
    source=$(mktemp -d)
    curl --fail --silent --show-error --location --proto '=https' --output "$source.tar.gz" "${PACKAGE%%#*}"
    echo "${PACKAGE##*#sha256=}  $source.tar.gz" | sha256sum --check --quiet
    tar -xzf "$source.tar.gz" -C "$source" --strip-components 1
    ;;
esac
# Everything by the hashes of the lock that this gitmem ships with; gitmem itself brings in and builds nothing else.
# Nothing is compiled to bytecode, which takes longer than it saves: a job loads a small part.
set -- -r "$source/gitmem/commands/install/locks/build.txt"
[ "${NEEDS-}" = nothing ] || set -- "$@" -r "$source/gitmem/commands/install/locks/jobs.txt"
python -m pip install --no-compile --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: "$@"
python -m pip install --no-compile --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index "$source"
