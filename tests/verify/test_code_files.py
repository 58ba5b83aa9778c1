"""Files of the code, asked which of them a glob names: the same as matching each path alone."""

from __future__ import annotations

from support.each import each

from gitmem.text.globs import matcher
from gitmem.verify.code_files import CodeFiles, fixed_prefix

PATHS = ("README.md", "a", "src/.gitattributes", "src/a.py", "src/a/b.py", "src/b.py", "srcs/a.py", "src-b/a")


@each("glob", ["src/**", "src/", "src", "**", "src/*.py", "s*/a.py", "src/a", "./src/**", "nothing/**"])
def test_glob_names_what_its_pattern_matches_and_begins_with_its_fixed_part(glob: str) -> None:
    files = CodeFiles(("100644", str(at), path) for at, path in enumerate(reversed(PATHS)))

    named = [path for _, _, path in files.match(glob)]

    assert named == [path for path in sorted(PATHS) if matcher(glob)(path)]
    assert all(path.startswith(fixed_prefix(glob)) for path in named)


def test_attributes_of_every_folder_count() -> None:
    files = CodeFiles(("100644", "", path) for path in PATHS)

    assert [path for _, _, path in files.attributes] == ["src/.gitattributes"]
