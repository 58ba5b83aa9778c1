"""The line that says why: outputs as the tools write them, and what is left of the places of this machine."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.verify.run.reason import reason_of, without_places

PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0
rootdir: /tmp/shop
plugins: xdist-3.8.0, hypothesis-6.170.17
collected 2 items

test_a.py .F                                                             [100%]

=================================== FAILURES ===================================
___________________________________ test_add ___________________________________

>   def test_add(): assert add(1, 2) == 4
                    ^^^^^^^^^^^^^^^^^^^^^
E   assert 3 == 4
E    +  where 3 = add(1, 2)

test_a.py:3: AssertionError
"""
PYTEST_COLLECTION = """\

==================================== ERRORS ====================================
____________________________ ERROR collecting c.py _____________________________
ImportError while importing test module '/tmp/shop/c.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
c.py:1: in <module>
    import nope
E   ModuleNotFoundError: No module named 'nope'
=========================== short test summary info ============================
ERROR c.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 0.63s
"""
UNITTEST = """\
F
======================================================================
FAIL: test_u (test_a.T.test_u)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/tmp/shop/test_a.py", line 6, in test_u
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 1 test in 0.000s

FAILED (failures=1)
"""
NODE = """\
node:assert:90
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

1 !== 2

    at Object.<anonymous> (/tmp/shop/test.js:1:40)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
    at node:internal/main/run_main_module:28:49 {
  generatedMessage: true,
  code: 'ERR_ASSERTION'
}

Node.js v20.20.2
"""
NODE_SYNTAX = """\
/tmp/shop/d.js:1
let a = ;
        ^

SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)

Node.js v20.20.2
"""
NODE_MODULE = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'express'
Require stack:
- /tmp/shop/c.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
}

Node.js v20.20.2
"""
NODE_TAP = """\
TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.651764
  failureType: 'testCodeFailure'
  error: '3 == 4'
1..1
# fail 1
"""
NPM_MISSING = """\
npm error Missing script: "nope"
npm error
npm error To see a list of scripts, run:
npm error   npm run
npm error A complete log of this run can be found in: /root/.npm/_logs/2026-11-24T19_20_22_870Z-debug-0.log
"""
NPM_6 = """\
> shop@1.0.0 test /tmp/shop
> eslint src

/tmp/shop/src/a.js
  1:7  error  'x' is assigned a value but never used  no-unused-vars

npm ERR! code ELIFECYCLE
npm ERR! errno 1
npm ERR! shop@1.0.0 test: `eslint src`
npm ERR! A complete log of this run can be found in:
npm ERR!     /root/.npm/_logs/2026-11-24T19_20_22_870Z-debug.log
"""
JEST = """\
FAIL ./sum.test.js
  ✕ adds 1 + 2 (3 ms)

  ● adds 1 + 2

    expect(received).toBe(expected) // Object.is equality

Test Suites: 1 failed, 1 total
"""
MAKE_SCRIPT = "building\nsh check.sh\nversion is 3, expected 4\nmake: *** [Makefile:4: unit] Error 1\n"
MAKE_QUIET = (
    "./check.sh\n3 files of 9\nbye\nmake[1]: *** [Makefile:3: unit] Error 1\nmake: *** [Makefile:9: all] Error 2\n"
)
MAKE_GREP = "grep RS256 a.py\ngrep: a.py: No such file or directory\nmake: *** [Makefile:2: x] Error 2\n"
GCC = """\
cc -c a.c
a.c: In function 'main':
a.c:3:5: error: 'x' undeclared (first use)
make: *** [Makefile:2: a.o] Error 1
"""
CARGO_TEST = """\
   Compiling shop v0.1.0 (/tmp/shop)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.56s
     Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)

running 1 test
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----

thread 'tests::adds' (19917) panicked at src/lib.rs:5:17:
assertion `left == right` failed

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.08s

error: test failed, to rerun pass `--lib`
"""
CARGO_BUILD = """\
   Compiling shop v0.1.0 (/tmp/shop)
warning: unused variable: `y`
error[E0425]: cannot find value `x` in this scope
 --> src/lib.rs:1:23

For more information about this error, try `rustc --explain E0425`.
error: could not compile `shop` (lib) due to 1 previous error
"""
GO_TEST = """\
=== RUN   TestAdd
--- FAIL: TestAdd (0.00s)
    add_test.go:6: got 4, want 5
FAIL
FAIL	example.com/shop	0.002s
FAIL
"""
GO_BUILD = "# example.com/shop\n./add.go:5:2: undefined: total\n"
TSC = "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n\nFound 1 error in src/a.ts:3\n"
TOX = """\
py: commands[0]> python check.py
Traceback (most recent call last):
  File "/tmp/shop/check.py", line 1, in <module>
    raise ValueError("no price")
ValueError: no price
py: exit 1 (0.05 seconds) /tmp/shop> python check.py pid=812
  py: FAIL code 1 (0.09=setup[0.04]+cmd[0.05] seconds)
  evaluation failed :( (0.12 seconds)
"""
BARE = """\
Traceback (most recent call last):
  File "/tmp/shop/b.py", line 2, in <module>
    assert x == 2
           ^^^^^^
AssertionError
"""


@each(
    ("output", "reason"),
    [
        pytest.param(PYTEST, "assert 3 == 4", id="pytest"),
        pytest.param(
            PYTEST + "=== short test summary info ===\nFAILED test_a.py::test_add - assert 3 == 4\n=== 1 failed ===\n",
            "FAILED test_a.py::test_add - assert 3 == 4",
            id="pytest-summary",
        ),
        pytest.param(PYTEST_COLLECTION, "ModuleNotFoundError: No module named 'nope'", id="pytest-collection"),
        pytest.param(
            PYTEST.split("collected", maxsplit=1)[0]
            + "=== no tests ran in 0.6s ===\nERROR: file or directory not found: a.py\n",
            "ERROR: file or directory not found: a.py",
            id="pytest-no-file",
        ),
        pytest.param(UNITTEST, "FAIL: test_u (test_a.T.test_u)", id="unittest"),
        pytest.param(BARE, "AssertionError: assert x == 2", id="bare-assertion"),
        pytest.param(NODE, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1 !== 2", id="node"),
        pytest.param(NODE_SYNTAX, "SyntaxError: Unexpected token ';'", id="node-syntax"),
        pytest.param(NODE_MODULE, "Error: Cannot find module 'express'", id="node-module"),
        pytest.param(NODE_TAP, "not ok 1 - adds", id="node-tap"),
        pytest.param(
            "TAP version 13\n# node:internal/modules/cjs/loader:1210\n#   throw err;\n#   ^\n"
            "# Error: Cannot find module 'is-number'\n# Require stack:\n# Node.js v20.20.2\n# Subtest: test/a.test.js\n"
            "not ok 1 - test/a.test.js\n  failureType: 'testCodeFailure'\n  error: 'test failed'\n",
            "Error: Cannot find module 'is-number'",
            id="node-tap-file",
        ),
        pytest.param(
            "# shop [shop.test]\n./shop.go:6:7: cannot index x\nFAIL\tshop [build failed]\nFAIL\n",
            "./shop.go:6:7: cannot index x",
            id="go-test-build",
        ),
        pytest.param(
            f"\n> shop@1.0.0 test\n> node test.js\n\n{NODE_MODULE}",
            "Error: Cannot find module 'express'",
            id="npm-test",
        ),
        pytest.param(NPM_MISSING, 'npm error Missing script: "nope"', id="npm-missing"),
        pytest.param(NPM_6, "1:7  error  'x' is assigned a value but never used  no-unused-vars", id="npm-6-eslint"),
        pytest.param(JEST, "✕ adds 1 + 2", id="jest"),
        pytest.param(MAKE_SCRIPT, "version is 3, expected 4", id="make-script"),
        pytest.param(MAKE_QUIET, "3 files of 9", id="make-without-a-form"),
        pytest.param(MAKE_GREP, "grep: a.py: No such file or directory", id="make-grep"),
        pytest.param(
            "make: *** No rule to make target 'y'.  Stop.\n",
            "make: *** No rule to make target 'y'.  Stop.",
            id="no-rule",
        ),
        pytest.param("make: *** [Makefile:9: all] Error 2\n", "make: *** [Makefile:9: all] Error 2", id="make-alone"),
        pytest.param(GCC, "a.c:3:5: error: 'x' undeclared (first use)", id="gcc"),
        pytest.param(CARGO_TEST, "test tests::adds ... FAILED", id="cargo-test"),
        pytest.param(CARGO_BUILD, "error[E0425]: cannot find value `x` in this scope", id="cargo-build"),
        pytest.param(GO_TEST, "TestAdd: add_test.go:6: got 4, want 5", id="go-test"),
        pytest.param(GO_BUILD, "./add.go:5:2: undefined: total", id="go-build"),
        pytest.param(TSC, TSC.split("\n", maxsplit=1)[0], id="tsc"),
        pytest.param(TOX, "ValueError: no price", id="tox"),
        pytest.param("sh: 1: nope: not found\n", "sh: 1: nope: not found", id="sh"),
        pytest.param("+ cd src\n+ ./run\nprice is 3\nbye\n", "price is 3", id="sh-x"),
        pytest.param("checked 9 files\nerror: 2 are not formatted\nbye\n", "error: 2 are not formatted", id="words"),
        pytest.param("0 errors before\n", "0 errors before", id="all-noise"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_reason_is_the_first_line_that_says_what_failed(output, reason):
    assert reason_of(output) == reason


def test_reason_is_shown_without_what_hides_in_it_and_is_cut():
    assert reason_of("\x1b[31mred\x1b[0m \u202etxt\nlast\n \n") == r"red \u{202e}txt"
    assert len(reason_of("x" * 1000)) == 200
    token = "AK" + "IA" + "Q3EGTRZ7K5VWXYAB"
    assert token not in reason_of(f"failed with {token}")


@each(
    ("text", "shown"),
    [
        ("/w/shop/src/a.py:3: error", "src/a.py:3: error"),
        ("file:///w/shop/src/a.mjs:3", "src/a.mjs:3"),
        ("rootdir: /w/shop", "rootdir: ."),
        ("in /w/shop.", "in .."),
        ("/w/shop-old/a.py and /x/w/shopping", "/w/shop-old/a.py and /x/w/shopping"),
        ("/scratch/0/a.py", "a.py"),
        ("/home/ana/.npm/_logs/1.log, /srv/home/ana/x", "~/.npm/_logs/1.log, /srv/home/ana/x"),
    ],
)
def test_text_names_no_place_of_this_machine(text, shown):
    assert without_places(text, ["/w/shop", "/scratch/0"], "/home/ana") == shown
