"""Members of workspaces and included files."""

from __future__ import annotations

from support.each import each

from gitmem.document.sources.workspaces import read_links


@each(
    ("path", "text", "links"),
    [
        ("package.json", '{"workspaces": ["packages/*", "!packages/old"]}', ("packages/*/package.json",)),
        ("package.json", '{"workspaces": {"packages": ["./a"]}}', ("a/package.json",)),
        ("pnpm-workspace.yaml", "packages:\n  - apps/**\n", ("apps/**/package.json",)),
        ("Cargo.toml", '[workspace]\nmembers = ["crates/*"]\n', ("crates/*/Cargo.toml",)),
        ("pyproject.toml", '[tool.uv.workspace]\nmembers = ["libs/a"]\n', ("libs/a/pyproject.toml",)),
        ("go.work", "go 1.22\nuse (\n\t./a\n\t./b/c\n)\nuse ./d\n", ("a/go.mod", "b/c/go.mod", "d/go.mod")),
        ("Makefile", "include a.mk $(X)\n-include sub/b.mk # why\n", ("a.mk", "sub/b.mk")),
        ("sub/requirements.txt", "-r ../base.txt\n-c c.txt\n", ("base.txt", "sub/c.txt")),
        ("deps/all.in", "-r base.in\n", ("deps/base.in",)),
        ("package.json", '{"workspaces": ["../../x"]}', ()),
        ("src/a.py", "include x", ()),
    ],
)
def test_links_are_globs_from_the_root(path: str, text: str, links: tuple[str, ...]) -> None:
    assert read_links(path, text.encode()) == links
