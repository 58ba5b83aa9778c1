"""Checks that only print what they find are told from those that fail where nothing is found."""

from __future__ import annotations

from conftest import commit_files
from support.each import each

from gitmem.model import PROGRAM, SHELL, Check
from gitmem.system.process import run
from gitmem.verify.trivial import why_trivial

PRINT = [
    "find src -name '*.vue'",
    "find src -type f -exec grep -l TODO {} \\;",
    "jq '.dependencies.vue' package.json",
    "jq -r '.a.b == \"x\" and .c > 3' package.json",
    "cat package.json | jq .engines",
    "cd src && jq .a package.json",
    "awk '/node/' package.json",
    "awk '{ print $2 }' package.json",
    "sed -n '/quasar/p' package.json",
    "sed -n '/sqlite/p' package.json",
    "sed -ne '/vue/p' package.json",
    "git ls-files 'tauri/*'",
    "git status --porcelain",
    "git diff HEAD -- src",
    "git log --oneline --grep=vue",
    "git log -- src/absent",
    "git tag -l 'v9*'",
    "python3 -c \"print('vue' in open('package.json').read())\"",
    "python3 -c \"import json; d = json.load(open('package.json')); d.get('type') == 'module'\"",
    "node -p \"require('./package.json').type === 'module'\"",
    "node -e \"console.log(require('./package.json').type === 'module')\"",
    "perl -ne 'print if /vue/' package.json",
    "grep -rl vue src | sort",
    "grep -c vue package.json; sort package.json",
    "find src -empty",
    "git log --oneline --grep vue",
    "git remote -v",
    "ruby -rjson -e \"puts JSON.parse(File.read('package.json')).key?('type')\"",
    "php -r \"echo str_contains(file_get_contents('package.json'), 'vue');\"",
    "python3 - <<'END'\nimport json\nprint(json.load(open('package.json')).get('type') == 'module')\nEND",
    "node <<END\nconsole.log(require('./package.json').type === 'module')\nEND",
    "cut -d: -f1 package.json",
    "comm package.json src/package.json",
    "tree src",
    "npm run lint --if-present",
]
MAY_FAIL = [
    "find src -name '*.py' -exec grep -q TODO {} +",
    "find src -name '*.vue' | grep -q .",
    "test -n \"$(find src -name '*.vue')\"",
    "find src",
    "jq -e .engines package.json",
    "jq -re .engines package.json",
    "jq . package.json",
    "jq empty package.json",
    "jq --indent 2 . package.json",
    "jq '.scripts | keys' package.json",
    "jq '.files[]' package.json",
    "jq 'if .a then . else error end' package.json",
    "jq --arg x y '.[$x]' package.json",
    "awk '/vue/ { found = 1 } END { exit !found }' package.json",
    "awk -f check.awk package.json",
    "sed -n '/vue/q1' package.json",
    "sed -f check.sed package.json",
    "sed -e 's/a/b/' -e '/vue/q1' package.json",
    "git ls-files --error-unmatch src/a.py",
    "git diff --exit-code HEAD~1 -- src",
    "git log v1.0 -- src",
    "git grep -q vue",
    "git show HEAD:package.json",
    "python3 -c \"assert 'vue' in open('package.json').read()\"",
    "python3 -c \"print(open('package.json').read())\"",
    "python3 -c \"import json; json.load(open('package.json'))['vue']\"",
    "python3 -c \"[compile(open(x).read(), x, 'exec') for x in ['a.py']]\"",
    "python3 -c \"import sys; sys.exit('vue' not in open('package.json').read())\"",
    "python3 -c \"import os; os._exit('vue' in open('package.json').read())\"",
    "python3 -c \"quit('vue' in open('package.json').read())\"",
    "python3 -c \"print(next(x for x in open('package.json') if 'vue' in x))\"",
    "python3 -c \"print([x for x in open('package.json') if x == 'vue'][0])\"",
    "python3 -c \"1 / ('vue' in open('package.json').read())\"",
    "python3 -c \"import unittest; unittest.TestCase().assertTrue('vue' in open('package.json').read())\"",
    "node -p \"process.exitCode = require('./package.json').type === 'module' ? 0 : 1\"",
    "node -p \"require('./package.json').files.find(file => file === 'dist').length\"",
    "node -e \"if (require('./package.json').type !== 'module') process.exit(1)\"",
    "node -e \"require('assert')(require('./package.json').type === 'module')\"",
    "perl -ne 'exit 1 if /vue/' package.json",
    "perl -MDancer2 -e1",
    "sort -c names.txt",
    "sort -uc names.txt",
    "grep -q vue package.json && jq .a package.json",
    "git log v1.0 --grep vue",
    "ruby -e \"exit 1 unless File.read('package.json').include?('vue')\"",
    "ruby -e \"puts File.read('package.json')\"",
    "php -r \"exit(file_get_contents('package.json') == '{}' ? 0 : 1);\"",
    "python3 - <<'END'\nassert 'vue' in open('package.json').read()\nEND",
    "python3 check.py <<'END'\nprint(1 == 2)\nEND",
    'test -n "$(cut -d: -f1 package.json)"',
    "npm run lint",
    "npm run lint -- --if-present",
    "ls src",
    "cat package.json",
]


@each("command", PRINT)
def test_command_that_only_prints_proves_nothing(command):
    assert why_trivial(Check(SHELL, (command,)))


def test_commands_that_only_print_succeed_where_nothing_is_found(repo):
    commit_files(repo, {"package.json": "{}\n", "src/package.json": "{}\n"})
    for command in PRINT:
        ran = run(["sh", "-c", command], cwd=repo, env=None, check=False)
        # 127: jq, node and perl are not on every machine.
        assert ran.status in (0, 127), command


@each("command", MAY_FAIL)
def test_command_that_may_fail_by_what_it_finds_is_let_through(command):
    assert why_trivial(Check(SHELL, (command,))) == ""


def test_reason_says_how_the_check_would_fail():
    assert why_trivial(Check(PROGRAM, ("/usr/bin/jq", ".a", "b.json"))) == (
        "'/usr/bin/jq .a b.json' prints what it finds, and succeeds also when it finds nothing:"
        " -e makes null and false fail"
    )
    assert "grep -q fails" in why_trivial(Check(SHELL, ("make a; sed -n /x/p f",)))
