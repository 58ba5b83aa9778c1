"""The files that a command line reads and changes, told from its words."""

from __future__ import annotations

from support.each import each

from gitmem.agents.moments.shell_files import may_touch_files, touched_files

READS = {
    "cat src/a.py": ["src/a.py"],
    "cd tests && head -20 a.py | grep x": ["tests/a.py"],
    "sed -n '1,40p' src/t.go": ["src/t.go"],
    "timeout 5 tail -n 3 a.log b.log": ["a.log", "b.log"],
    "FOO=1 less b.py": ["b.py"],
    "nl -ba src/x.ts | sed -n '3,9p'": ["src/x.ts"],
    "rg -n fuzzy locale/de.po": ["locale/de.po"],
    "grep -e one -e two a.txt": ["a.txt"],
    "cat < data.csv": ["data.csv"],
}
EDITS = {
    "sed -i 's/a/b/' x.csv": ["x.csv"],
    "sed -i.bak -e 's/a/b/' x.csv": ["x.csv"],
    "perl -pi -e 's/x/y/' lib/a.pl": ["lib/a.pl"],
    "echo hi >> out.md 2>&1": ["out.md"],
    "cat <<'EOF' > m/0008.py\nops\nEOF": ["m/0008.py"],
    "tee -a notes.txt < /dev/null": ["notes.txt"],
    "git apply <<'EOF'\n--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-a\n+b\nEOF": ["app.py"],
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\nEOF": ["a.py"],
}
NEITHER = ("ls -la", "git log | head -3", "rg TODO", "make > /dev/null 2>&1", "python3 script.py", "cat $FILE")


@each(("line", "paths"), READS.items())
def test_read_files_are_found(line: str, paths: list[str]) -> None:
    assert may_touch_files(line)
    assert list(touched_files(line).reads) == paths


@each(("line", "paths"), EDITS.items())
def test_changed_files_are_found(line: str, paths: list[str]) -> None:
    assert may_touch_files(line)
    assert list(touched_files(line).edits) == paths


@each("line", NEITHER)
def test_other_lines_touch_no_file(line: str) -> None:
    assert not touched_files(line)


def test_script_names_files_that_it_may_have_changed() -> None:
    found = touched_files("python3 - <<'EOF'\nfrom pathlib import Path\nPath('src/a.py').write_text('')\nEOF")

    assert found.is_open
    assert "src/a.py" in found.named
    assert touched_files("git apply fix.patch").is_open
