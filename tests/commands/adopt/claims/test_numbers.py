"""Versions and values that a sentence states."""

from support.each import each

from gitmem.commands.adopt.claims.numbers import number_claims
from gitmem.commands.adopt.statements import split


@each(
    ("text", "claims"),
    [
        ("- Go 1.24+", [("Go", "1.24", "at-least")]),
        ("- [Go 1.24+](https://go.dev/dl/1.99)", [("Go", "1.24", "at-least")]),
        ("- Node.js >= v22.12.0", [("Node.js", "22.12.0", "at-least")]),
        ("Requires Python >= 3.10 and < 3.14.", [("Python", "3.10", "at-least"), ("Python", "3.14", "below")]),
        ("- Next.js 15, React 19", [("Next.js", "15", "is"), ("React", "19", "is")]),
        ("- pnpm `11.x.x` or newer", [("pnpm", "11", "at-least")]),
        ("Generics were introduced since Go 1.18 here", []),
        ("PHP versions 5.3.2 - 8.1 are still supported via the LTS releases (2.2.x).", []),
        ("- On Python 3.8, stay on version 4 of this library", []),
        ("Rust 2024, toolchain 1.90", [("edition", "2024", "is"), ("toolchain", "1.90", "is")]),
        ("Rust edition 2021, C++17 and C# 12", [("edition", "2021", "is"), ("C++", "17", "is"), ("C#", "12", "is")]),
        (".NET SDK 9.0", [(".NET SDK", "9.0", "is")]),
        ("Before `.nvmrc` we used Node 16.14", []),
        ("Originally, the server needed Go 1.18", []),
        (
            "```sh\nx  # a Python version (3.9 through 3.12)\ny  # 3 in 4\n```",
            [
                ("Python", "3.9", "at-least"),
                ("Python", "3.12", "up-to"),
            ],
        ),
        (
            "History file: `.app_history` (x). **Lock folder**: `.lock.d`",
            [
                ("HISTORY_FILE", ".app_history", "is"),
                ("LOCK_FOLDER", ".lock.d", "is"),
            ],
        ),
        ("Output file: `a/b`, see the config file: `x.json`", []),
        ("The source is transformed to run on PHP 7.2 and higher", []),
        ("Zod v3/v4 are supported", []),
        ("It checks code of today. Earlier versions\n(Python 3.7 through 3.9) can still be selected.", []),
        ("- Older Node.js versions such as Node 16 may work", []),
        ("The Java version that a module needs. If not specified,\nit is Java 8. Assumed to be Java 8.", []),
        ("On Java 8-16 it polls; needs Java 8–16.", []),
        ("Older versions failed. Needs Go 1.24+", [("Go", "1.24", "at-least")]),
        ("- Use Ruby 1.9 hash syntax (`key:`)", []),
        ("- Python 3.10+ union syntax, Go 1.18 features", []),
        ("\\* Only in browsers.\\\n¹ Requires Node.js 15.10.0 or above.\\\n\\*\\* Requires Node.js 16+", []),
        ("[^1]: Requires Go 1.20+", []),
        ("TypeScript v2 Preview", []),
        ("It targets Ruby 2.0+ for code analysis.", []),
        ("The linter parses PHP 7.4 files; it analyzes Python 3.8+", []),
        ("macOS ships with Ruby 2.6, which is too old", []),
        ("Ubuntu comes with Python 3.8+", []),
        ("Uses .NET 10's file-based programs feature", []),
        ("It works with the package manager introduced in Zig 0.11.", []),
        ("Uses a flag that was added in Node 20, available since Go 1.21", []),
        ("Targets .NET 10 and Node 22", [(".NET", "10", "is"), ("Node", "22", "is")]),
        ("* `max_steps` (default: `100`): steps", [("max_steps", "100", "is")]),
        ("- `PORT` - the port (default 8000).", [("PORT", "8000", "is")]),
        ("`USE_CUDA` is OFF by default. `WITH_X` (on by default)", [("USE_CUDA", "OFF", "is"), ("WITH_X", "on", "is")]),
        (
            "`cache` is enabled by default, and `max_size` is 30 by default",
            [("cache", "enabled", "is"), ("max_size", "30", "is")],
        ),
        ("It is off by default in `a.py`", []),
        ("| Name | Default |\n|---|---|\n| `ttl` | `0.5` |", [("ttl", "0.5", "is")]),
        ("- `[meta] update the MSRV to Rust 1.88 (#2725)`\n- `chore(ci): test with Node 18`", []),
        ("| Widget | Node |\n|---|---|\n| 6.x.x | Node 18 |\n| **>= v7.0** | Node 20 |", []),
        ("- Tokens expire after 15 minutes (`TTL_MINUTES`)", [("TTL_MINUTES", "15", "is")]),
        ("- `MAX_TRIES` (3 times) bounds it", [("MAX_TRIES", "3", "is")]),
        ("- at 15 (`AUTH`) and 2.5 of `TTL_MINUTES`", []),
        ("- 70 Go files", [("Go files", "70", "is")]),
        ("- ~70 Go files", []),
        ("The port is 8082, or port number 8083.", [("port", "8082", "is"), ("port", "8083", "is")]),
        ("- The minimum supported Rust version is 1.90.", [("Rust", "1.90", "is")]),
        ("- **Line length**: 100 characters", [("line-length", "100", "is")]),
        ("- Commit messages have a 72-character line limit.", []),
    ],
)
def test_stated_number_is_found_with_its_meaning(text, claims):
    found = [claim for statement in split(text) for claim in number_claims(statement)]

    assert [(one.name, one.stated, one.relation) for one in found] == claims
