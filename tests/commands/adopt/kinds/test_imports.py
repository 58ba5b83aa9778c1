"""Imports in documents: which names of which modules they claim."""

from support.each import each

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.kinds.imports import IMPORT, import_check, import_claims
from gitmem.commands.adopt.statements import split


@each(
    ("text", "tokens"),
    [
        ("```python\nfrom a.b import Cat, Dog as D  # two\n```", ["a.b.Cat", "a.b.Dog"]),
        ("- `from a import Cat`", ["a.Cat"]),
        ("```ts\nimport React, { useIt, type Own as O } from '@x/pkg';\n```", ["@x/pkg#useIt", "@x/pkg#Own"]),
        ("```rust\nuse core::net::{Client, Server};\nuse core::Thing;\n```", [
            "core::net::Client", "core::net::Server", "core::Thing",
        ]),
        ("```python\nfrom a.b import (\n    Cat,  # one, two\n    Dog,\n)\nx = 1\n```", ["a.b.Cat", "a.b.Dog"]),
        ("```ts\nimport {\n  useIt,\n  type Own,\n} from './x'\n```", ["./x#useIt", "./x#Own"]),
        ("```rust\nuse core::{\n    net::{Client, a::Server},\n    Thing,\n};\n```", [
            "core::net::Client", "core::net::a::Server", "core::Thing",
        ]),
        ('```go\nimport (\n\t"fmt"\n\tx "a.org/b/c"\n)\nimport "a.org/d"\n```', ["a.org/b/c", "a.org/d"]),
        ("```kotlin\nimport org.a.Cat\nimport org.a.*\n```", ["org.a.Cat"]),
        ("```php\nuse App\\Models\\User;\n```", ["App\\Models\\User"]),
        ("```elixir\nalias App.{Cat, Dog}\nuse App.Web, :it\n```", ["App.Cat", "App.Dog", "App.Web"]),
        ("```python\nfrom a.b import (\n" + "x,\n" * 100, []),
        ("```sh\nfrom a import Cat\n```\n\nfrom here import it\n", []),
        ("```python\nimport a.b\nfrom . import x\n```", []),
        ("```ts\nimport { useIt } from './x'; // Wrong path\nimport { Own } from './y'; // it\n```", ["./y#Own"]),
        ("```ts\n// ❌ Don't do this\nimport { useIt } from './x';\n\nimport { Own } from './y';\n```", ["./y#Own"]),
    ],
)  # fmt: skip
def test_imported_names_are_claims(text, tokens):
    found = [one for statement in split(text) for one in import_claims(statement, Document("x.md", "guide", ""))]

    assert [one.token for one in found] == tokens


def test_package_at_the_root_is_proved_by_the_name_of_the_module():
    claim = Claim(IMPORT, 1, "a.org/b/v2", "v2", places=("a.org/b",), tool="go")

    assert import_check(claim, Source("a.go")) == {"contains": "module a.org/b/v2", "in": "go.mod"}
    assert import_check(claim, Source("b/a.go")) == {"exists": "b"}
