"""The names in a sentence, and the file that it says they are in."""

from support.each import each

from gitmem.commands.adopt.claims.paths import path_claims
from gitmem.commands.adopt.claims.symbols import LOOSE, owner_of, symbol_claims, tied_paths, whole_forms
from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.statements import split


@each(
    ("text", "names"),
    [
        ("`load_config()` reads it", [("load_config", True)]),
        ("`Store.openFile` and `x`", [("openFile", True)]),
        ("`load(path, strict=False)`", [("load", False)]),
        ("`--dry-run`", [("dry-run", False)]),
        ("`install`", [("install", False)]),
        ("`config.toml`", []),
        ("Press `ESC` or `Enter`", []),
        ("`mix.exs`, `zig.exe`, `minimized.sql`, `BUILD.bazel`", []),
        ("`null`, `string`, `None`, `Option`, `u32`", []),
        ("`snake_case`, `UPPER_SNAKE_CASE`, `PascalCase`, `x86_64`, `OFF`", []),
        ("`mutex.lock()` and `System.Text.Json`", [("lock", False), ("Json", False)]),
        ("`App.Store.run_hook/2` and `App.valid_name?/1`", [("run_hook", True), ("valid_name", True)]),
        ("**OrderChecker**: checks, **Bold words**, **all**", [("OrderChecker", False)]),
        ("```sh\nexport API_URL=x\n```", [("API_URL", False)]),
        ("```sh\ncmake -B out -DCMAKE_BUILD_TYPE=Debug -DAPP_SAFE=ON\n```", [("APP_SAFE", True)]),
        ("`cmake -S . -DWITH_ZSTD=ON -DCMAKE_BUILD_TYPE=Debug`", [("WITH_ZSTD", True)]),
        ("Prefer types (e.g., `type AgentName string`); `type RunName string`", [("RunName", False)]),
        ("`maxRetries_ = 3`, `max_tries = limit`", [("maxRetries_", True), ("max_tries", False)]),
    ],
)
def test_name_is_certain_where_it_looks_like_code(text, names):
    found = [claim for statement in split(text) for claim in symbol_claims(statement, Document("x.md", "guide", ""))]

    assert [(one.name, one.is_certain) for one in found] == names


@each(
    ("text", "tokens"),
    [
        ("```go\nx := config.UseMocks // See OldThing\nconfig.ResetAll()\n```", ["config.UseMocks", "config.ResetAll"]),
        ("```ruby\nCore::NetClient.any_call('MyText')\n```", ["Core::NetClient", "Core::NetClient.any_call"]),
        ("```ts\nonSearch(value)\n```", []),
        ("```python\nclass MyThing: ...\nmy_value = plain(1)\n```", []),
        ("```python\n# Bad\nx = OldThing()  # ❌\n```\n\n## Anti-patterns\n\n```python\nOldThing()\n```", []),
        ("```sh\nOldThing\n```", []),
    ],
)
def test_code_block_uses_names(text, tokens):
    document = Document("AGENTS.md", "instructions", "")
    found = [claim for statement in split(text) for claim in symbol_claims(statement, document)]

    assert [one.token for one in found] == tokens
    assert not any(one.is_certain for one in found)


@each(
    ("sentence", "is_tied"),
    [
        ("- `load_config` is in src/config.py", True),
        ("- `load_config()` is defined in `src/config.py`.", True),
        ("- `load_config` and `save_config` live in the file `src/config.py`", True),
        ("- `load_config` (`src/config.py`) reads it", True),
        ("- `load_config` – `src/config.py`", True),
        ("- Call `load_config` from [the config](src/config.py)", True),
        ("- `src/config.py` defines `load_config`", True),
        ("- `src/config.py`: `save_config`, `load_config`", True),
        ("- **src/config.py** contains the function `load_config`", True),
        ("- In `src/config.py`, `load_config` reads the file", True),
        ("| `load_config` | `src/config.py` |", True),
        ("- `src/config.py` calls `load_config`", False),
        ("- `load_config` reads `src/config.py`", False),
        ("- `load_config` must be called before anything in `src/config.py` runs", False),
        ("- Read `src/config.py`, `load_config` and the rest", False),
        ("- `load_config` reads the settings", False),
        ("- `src/config.py` is old. `load_config` is new", False),
    ],
)
def test_name_is_tied_to_the_file_that_the_sentence_says_it_is_in(sentence, is_tied):
    document = Document("AGENTS.md", "instructions", "")
    (statement,) = split(sentence)
    claims = [*path_claims(statement, document), *symbol_claims(statement, document)]

    found = {(name.name, path.name) for name, path in tied_paths(statement, claims)}

    assert (("load_config", "src/config.py") in found) is is_tied


@each(
    ("token", "owner"),
    [
        ("Store.open()", "Store"),
        ("a::Store::open", "Store"),
        ("config.Service", "config"),
        ("client.close()", ""),
        ("self.Client", ""),
        ("load_config", ""),
    ],
)
def test_owner_of_a_qualified_name(token, owner):
    assert owner_of(token) == owner


@each(("text", "token"), [("`load(path)` reads", "load"), ("`load()` reads", "load()")])
def test_claim_of_a_name_says_nothing_of_its_parameters(text, token):
    (statement,) = split(text)

    assert [one.token for one in symbol_claims(statement, Document("x.md", "guide", ""))] == [token]


@each(
    ("token", "form"),
    [
        ("OnceLock<Runtime>", "OnceLock<Runtime>"),
        ("std::HashMap<String, Entry>", "HashMap<String,Entry>"),
        ("Module<T>", ""),
        ("Module<TResult>", ""),
        ("ShouldSkip()", "ShouldSkip("),
        ("client.close()", "close("),
        ("AddModule<T>()", "AddModule<"),
        ("plain_name", ""),
    ],
)
def test_type_arguments_and_calls_say_more_than_a_name(token, form):
    forms = whole_forms(token)

    assert form in forms if form else forms == ()


@each(
    ("text", "names"),
    [
        ("- The CameraCapture reads frames for load_frame", ["CameraCapture", "load_frame"]),
        ("- GitHub, TypeScript, a/CameraView, CameraView.swift, [x](CameraView)", []),
        ("```text\n┌────────┐\n│ CameraCapture │\n└────────┘\n├─ x\n└─ y\n```", ["CameraCapture"]),
        ("```sh\nrun CameraCapture\n```", []),
    ],
)
def test_name_in_plain_text_of_instructions_counts_only_if_it_is_gone(text, names):
    document = Document("AGENTS.md", "instructions", "")
    found = [claim for part in split(text) for claim in symbol_claims(part, document)]

    assert [one.name for one in found] == names
    assert {one.tool for one in found} <= {LOOSE}
    assert not [claim for part in split(text) for claim in symbol_claims(part, Document("x.md", "guide", ""))]
