"""Imports in documents: which names of which modules they claim."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE, Source
from gitmem.commands.adopt.kinds.imports import IMPORT, import_check, import_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover


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


def test_module_in_a_package_is_not_the_one_of_others_that_has_its_name(repo):
    text = "```python\nfrom pydantic import BaseModel\nfrom tools.pydantic import Extra\n```\n"
    files = {"src/tools/__init__.py": "", "src/tools/pydantic.py": "BaseModel = Extra = 1\n", "README.md": text}
    commit_files(repo, files)
    commit_files(repo, {"src/tools/pydantic.py": "other = 1\n"})
    git = Git(discover(repo))

    assert [one.claim.token for one in adopt(git, git.resolve("HEAD"), kinds={IMPORT}).of(FALSE)] == [
        "tools.pydantic.Extra"
    ]
