"""Programs of the machine, told apart by a stamp."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.verify.trace import programs


def program(folder: Path, name: str, text: str = "x") -> str:
    place = folder / name
    place.write_text(text)
    os.utime(place, (1_000, 1_000))
    return str(place)


def test_fingerprint_names_where_programs_really_are(tmp_path):
    real = program(tmp_path, "real one")
    (tmp_path / "link").symlink_to(real)

    text = programs.fingerprint([str(tmp_path / "link"), real, str(tmp_path / "gone")])

    assert text == f"{tmp_path}/real%20one:1:1000"
    assert programs.parse_tools(text) == {real: "1:1000"}


def test_interpreter_of_a_script_is_a_program_too(tmp_path):
    interpreter = program(tmp_path, "interpreter")
    script = program(tmp_path, "script", f"#!{interpreter} -x\n")

    assert set(programs.parse_tools(programs.fingerprint([script]))) == {interpreter, script}


def test_program_that_was_replaced_or_removed_has_changed(tmp_path):
    one, two, three = (program(tmp_path, name) for name in ("a", "b", "c"))
    text = programs.fingerprint([one, two, three])
    before = programs.list_changed_programs(text)

    program(tmp_path, "a", "longer")
    Path(two).unlink()

    assert (before, programs.list_changed_programs(text)) == ([], [one, two])
    assert programs.describe_change(text) == f"{one} and 1 more differ"
    assert programs.describe_change(programs.fingerprint([three])) == ""


def test_each_program_is_looked_up_once(tmp_path):
    text = programs.fingerprint([program(tmp_path, "a")])
    known = {str(tmp_path / "a"): "another"}

    assert programs.list_changed_programs(text, known) == [str(tmp_path / "a")]


def test_garbage_names_no_programs():
    assert programs.parse_tools("x :1:2 /a /b:1 /c:one:2 relative:1:2 %zz:1:2") == {}


def test_fingerprint_stays_small(tmp_path):
    many = [program(tmp_path, f"program-{n}") for n in range(200)]

    assert len(programs.fingerprint(many)) <= programs.LIMIT
