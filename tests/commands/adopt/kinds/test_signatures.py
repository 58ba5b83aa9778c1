"""Signatures: parameters as documents write them, and as definitions have them."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.kinds.signatures import SIGNATURE, definitions_in, parameters_of
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


@each(
    ("text", "names"),
    [
        ("load(path, strict=False)", ["path", "strict"]),
        ("Store.save(path: str, mode: Mode | None = None) -> None", ["path", "mode"]),
        ("send(self, to)", ["to"]),
        ("load('a.json', strict=True)", ["strict"]),
        ("open(userId?: string, cb: (a, b) => void)", ["userId", "cb"]),
        ("load('a.json')", []),
        ("authority(int)", []),
        ("open(Path, boolean)", []),
        ("copy(byte[], List<String>)", []),
        ("load()", []),
        ("load(...)", []),
        ("a sentence (in brackets)", []),
    ],
)
def test_parameters_are_the_names_that_a_document_writes(text, names):
    assert parameters_of(text) == names


@each(
    ("text", "found"),
    [
        ("x = load(1)\n\ndef load(path, *, strict=(1, 2)):\n    return load(path)\n", [(3, "path, *, strict=(1, 2)")]),
        ("export async function load(\n  path: string,\n) {}\n", [(1, "\n  path: string,\n")]),
        ("func (c *Client) load(ctx context.Context, id int) error {\n", [(1, "ctx context.Context, id int")]),
        ("pub fn load<T>(path: &T) -> u8 {\n", [(1, "path: &T")]),
        ("class A {\n  load(\n    path: string,\n  ): void {\n  }\n", [(2, "\n    path: string,\n  ")]),
        ("load(1)\nx = load(\n  2,\n)\nif (load(3)) {}\n", []),
        ("class load:\n    x = 1\n", [(1, "")]),
        ('load = root.replace("/", ".")\n', [(1, "")]),
        ("const load = async (path, mode) => {\n", [(1, "path, mode")]),
        ("def load(a): ...\n\n\ndef load(b): ...\n", [(1, "a"), (4, "b")]),
    ],
)
def test_definitions_have_the_text_of_their_parameters(text, found):
    assert list(definitions_in(text, "load")) == found


def test_value_of_the_name_of_a_function_does_not_contradict_its_parameters(repo):
    commit_files(repo, {"AGENTS.md": '- Set by `module(name = "x")`\n', "a.py": "def module(name): ...\n"})
    commit_files(repo, {"a.py": 'module = root.replace("/", ".")\n'})
    handle = Git(discover(repo))

    assert not any(one.is_contradicted for one in adopt(handle, handle.resolve("HEAD"), kinds={SIGNATURE}).of(FALSE))
