"""Files and folders that a sentence names."""

import tracemalloc

from support.each import each

from gitmem.commands.adopt.claims.paths import path_claims
from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.statements import split


@each(
    ("text", "places"),
    [
        ("`src/a.py`", ("app/src/a.py", "src/a.py")),
        ("`src/a.py:12`", ("app/src/a.py", "src/a.py")),
        ("[here](../docs/b%20c.md#top)", ("docs/b c.md",)),
        ("[site](https://example.org/a.md)", ()),
        ("`.git/hooks/` and `./vendor/.git/config`", ()),
        ("`App.Store.run_hook/2`", ()),
        ("`async/await`", ("app/async/await", "async/await")),
        ("`src/**/*.py`", ("app/src", "src")),
        ("`<your>/file.py` and `~/.config/a.toml` and `$HOME/x/`", ()),
        ("`github.com/spf13/cobra`", ()),
        ("`docs.app.io/python/`", ()),
        ("`grafana/tempo:2.9.2`", ()),
        ("`acme/acme.com`", ()),
        ("[`acme/site:HEAD`](https://forge.example/acme/site/pulls)", ()),
        ("[`acme/site`](https://forge.example/acme/site.git)", ()),
        ("[`src/site`](https://forge.example/acme/site)", ("app/src/site", "src/site")),
        ("`CHANGES/1654.bugfix.rst`, `news/+one.feature.2.md` and `.changeset/brave-cats-jump.md`", ()),
        ("Add this to your build.gradle, or your app's `package.json`:", ()),
        ("It reads `acme.yml` in your project's root.", ()),
        ("Put it in your `src/a.py`", ("app/src/a.py", "src/a.py")),
    ],
)
def test_name_is_looked_for_beside_the_document_and_at_the_root(text, places):
    document = Document("app/AGENTS.md", "instructions", "app")
    found = [claim for statement in split(text) for claim in path_claims(statement, document)]

    assert (found[0].places if found else ()) == places


def test_two_endings_are_two_files():
    document = Document("AGENTS.md", "instructions", "")
    found = [claim for statement in split("`src/event.hpp/.cpp`") for claim in path_claims(statement, document)]

    assert [(one.name, one.is_certain) for one in found] == [("src/event.hpp", True), ("src/event.cpp", True)]


@each(
    "text",
    [
        "rslib/{io,a\\_b}/mod.rs has both.",
        "`rslib/{io,a_b}/mod.rs`",
        "See out/rslib/{x,y}, rslib/{io, a_b}/mod.rs.",
        "Read rslib/{io,a_b}/mod.rs and mind your build.gradle.",
    ],
)
def test_names_in_braces_are_several_files(text):
    document = Document("AGENTS.md", "instructions", "")
    found = [claim for statement in split(text) for claim in path_claims(statement, document)]

    assert [one.name for one in found if "out/" not in one.name] == ["rslib/io/mod.rs", "rslib/a_b/mod.rs"]
    assert all("/" in one.name and not one.is_certain for one in found)


def test_long_lists_in_braces_are_not_written_out():
    document = Document("AGENTS.md", "instructions", "")
    (statement,) = split("a" * 3000 + "/{" + ",".join(["b"] * 3000) + "}/" + "c" * 3000)
    tracemalloc.start()
    try:
        list(path_claims(statement, document))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_kind_of_file_and_pattern_are_no_certain_claims():
    document = Document("AGENTS.md", "instructions", "")
    found = [
        claim
        for statement in split("Use `.ts` in `src/*.ts`, `App.LiveView.JS`.")
        for claim in path_claims(statement, document)
    ]

    assert not any(claim.is_certain for claim in found)


def test_path_of_windows_is_a_path():
    (statement,) = split("- Start with `scripts\\start_all.bat`.")

    (claim,) = path_claims(statement, Document("AGENTS.md", "instructions", ""))

    assert (claim.name, claim.places, claim.is_certain) == ("scripts/start_all.bat", ("scripts/start_all.bat",), True)


@each(
    ("text", "found"),
    [
        ("```\nsrc/\n├── flows/   # Engine (core/, hooks/)\n└── a.py\n```", [("core/", False), ("hooks/", False)]),
        ("- Add `src/providers/<name>/client.py`", [("src/providers/", True)]),
        ("- `.golangci.yml`, `.test.ts`", [(".golangci.yml", True), (".test.ts", False)]),
        ("- Never edit `src/engine/**`", [("src/engine/", True)]),
        ("- `src/[ObjectName]/a.py`, `app/[id]/a.py`", [("src/[ObjectName]/a.py", False), ("app/[id]/a.py", True)]),
        ("```sh\npython tools/train.py --fast\n```", [("tools/train.py", True)]),
        ("- Run `python tools/train.py` first", [("tools/train.py", True)]),
        ("- Run `cd other && python tools/train.py`", [("tools/train.py", False)]),
        (
            "- Run `mix test`, `npm run docs`, `cargo build --release`",
            [("test", None), ("docs", None), ("build", None)],
        ),
        ("- Run `pytest tests`, `cd web`", [("tests", False), ("web", False)]),
        ("```sh\ngo run ./cmd/app ./out.txt\n```", [("./cmd/app", True), ("./out.txt", False)]),
        ("```sh\ngo test ./pkg -args ./out.txt\n```", [("./pkg", True), ("./out.txt", False)]),
        ("- Use `System.Text.Json`, `math/big.Int` and `A.B.README.MD`", [("System.Text.Json", False)]),
    ],
)
def test_folders_in_remarks_before_any_name_and_scripts_are_paths(text, found):
    document = Document("AGENTS.md", "instructions", "")
    claims = {one.token: one.is_certain for part in split(text) for one in path_claims(part, document)}

    assert [(token, claims.get(token)) for token, _ in found] == found
