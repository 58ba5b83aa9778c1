"""Which programs a shell command runs."""

from __future__ import annotations

import time

import pytest

from gitmem.verify.run.shell_words import list_scripts, read_shell


@pytest.mark.parametrize(
    ("text", "names", "is_sure"),
    [
        ("! rg -q TODO src 2>/dev/null", "rg", True),
        ('test -z "$(rg TODO src)" && cat `ls a`', "test rg cat ls", True),
        ("for f in src/*; do ! rg -q TODO $f; done", "rg", True),
        ("ls src | xargs -n 1 rg TODO; LANG=C sort", "ls xargs rg sort", True),
        ("find . -name '*.py' -exec rg TODO {} \\; 2>out", "find rg", True),
        ("! timeout -k 1 5s node x.js &>/dev/null", "timeout node", True),
        ("sh -c 'rg x | jq .'; bash -ec \"node y\"", "sh rg jq bash node", True),
        ("grep -q 'a; rg b' f # ; rg c", "grep", True),
        ('test "$(grep -c "a)b" f)" = 1 >&2', "test grep", True),
        ("(cd a && { make; }) & wait", "cd make wait", True),
        ("case $x in a) foo;; esac", None, False),
        ("f() { rg x; }; f", None, False),
        ("cat <<E\nfoo\nE", None, False),
        ("PATH=$PATH:bin tool", None, False),
        (". venv/bin/activate && tool", None, False),
        ("test $((1+2)) -eq 3", "test", True),
        ("((n++)); grep x f", None, False),
        ("! rg -q 'print()' PATH eval case f 2>/dev/null", "rg", True),
        ("PYTHONPATH=src rg x; command -v jq; ! command fd y", "rg command command fd", True),
        ("grep -q 'open f", None, False),
        ("chk(  ) { a; }; chk", None, False),
        ("bash -c 'a=(rg jq); b <(c)'", None, False),
        ('x=${FOO:-(jq)}; test "${y:-a; b}"', "test", True),
        ("[[ -f a && foo == (b|c) ]] && grep d e", "[[ grep", True),
        ("env -u FOO timeout -s KILL 5 xargs -I FILE grep x FILE", "env timeout xargs grep", True),
        ("$(" * 50 + "a", None, False),
    ],
)
def test_programs_of_a_shell_command_are_found_or_the_list_is_unsure(text, names, is_sure):
    found = read_shell(text)

    assert found.is_sure == is_sure
    assert names is None or " ".join(one.name for one in found.commands) == names


def test_long_texts_are_read_in_time_that_grows_with_their_length():
    for text in ("a" * 1_000_000, "if a && b; then c; fi; " * 10_000, "{ " * 100_000, "${" * 300_000):
        began = time.process_time()
        read_shell(text)
        assert time.process_time() - began < 3, text[:20]


@pytest.mark.parametrize(
    ("command", "scripts"),
    [
        ("./run.sh --fast", ["run.sh"]),
        ("cd web && CI=1 node tools/check.js a.js", ["tools/check.js"]),
        ("! python3.11 -B tools/a.py | grep -q x", ["tools/a.py"]),
        ("timeout 9 sh -e tools/check.sh docs/a.md", ["tools/check.sh"]),
        ("uv run --with rich -p 3.12 s.py; poetry run python -X dev t.py", ["s.py", "t.py"]),
        ("npx -y tsx s.ts --watch x.ts && bun run --cwd web s.js", ["s.ts", "s.js"]),
        ("deno run --allow-read -c deno.json s.ts; deno test a/b_test.ts", ["s.ts", "a/b_test.ts"]),
        ("ruby -I lib -rjson s.rb; perl -Ilib -MJSON -w t.pl; perl -I core u.pl", ["s.rb", "t.pl", "u.pl"]),
        ("bash -x s.sh; bash -o pipefail t.sh; sh +e u.sh", ["s.sh", "t.sh", "u.sh"]),
        ("node --import ./reg.js -r dotenv/config --env-file=.env s.mjs", ["s.mjs"]),
        ("uv run bash -e s.sh && bundle exec ruby t.rb; php -d a=b u.php", ["s.sh", "t.rb", "u.php"]),
        ("python3 -m pytest tests/a.py; python3 -c 'x' a.py; perl -lne 'print' f.txt; node -pe 1 f", []),
        ("uv run pytest tests/a.py; bun run build; npx eslint a.js; npm run x; uv pip install -r r.txt", []),
        ("sh -c 'ruby tools/a.rb' b.rb && . ./env.sh", ["tools/a.rb", "env.sh"]),
        ("test -f docs/a.md; python3 < docs/a.md; node", []),
        ("echo 'unclosed", []),
    ],
)
def test_scripts_are_what_a_check_runs_and_not_what_it_reads(command: str, scripts: list[str]) -> None:
    assert list_scripts(command) == scripts
