"""How the plugins of OpenCode and pi call gitmem: they wait for the program, not for what it left behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gitmem.commands.install.client_files import plugin

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")


def calls(tmp_path: Path, gitmem: str, count: int, *, timeout_ms: int = 5000) -> tuple[list[str], list[float]]:
    """Return the answers of several calls in one session, one after another, and how many seconds each took."""
    assert NODE
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "gitmem").write_text(f"#!/bin/sh\n{gitmem}\n")
    (bin_folder / "gitmem").chmod(0o755)
    text = plugin("pi", user=False).replace("const TIMEOUT_MS = 5000", f"const TIMEOUT_MS = {timeout_ms}")
    asking = text[text.index("const TIMEOUT_MS") : text.index("export default")]
    script = tmp_path / "calls.mjs"
    script.write_text(
        f"""import {{ spawn }} from "node:child_process"
{asking}
const answers = [], took = []
for (let n = 0; n < {count}; n++) {{
  const begun = performance.now()
  answers.push(await ask({{ cwd: {json.dumps(str(tmp_path))}, sessionId: "s1" }}))
  took.push((performance.now() - begun) / 1000)
}}
console.log(JSON.stringify([answers, took]))
process.exit(0)
"""
    )
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [NODE, str(script)], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True, timeout=60
    )
    answers, took = json.loads(done.stdout)
    return answers, took


def test_call_ends_with_the_program_although_a_child_of_it_holds_the_pipe(tmp_path: Path) -> None:
    answers, took = calls(tmp_path, """sleep 20 & echo '{"context": "known"}'""", 2)

    assert answers == ["known", "known"]
    assert max(took) < 4


def test_program_that_hangs_costs_one_timeout_and_is_then_left_alone(tmp_path: Path) -> None:
    answers, took = calls(tmp_path, "trap '' TERM; exec sleep 20", 12, timeout_ms=1000)

    assert "stays silent for the rest of this session" in answers[0]
    assert answers[1:] == [""] * 11
    assert sum(took) < 4
