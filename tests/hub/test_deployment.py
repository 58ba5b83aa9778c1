"""The systemd unit and compose.yaml: they can be parsed, and gitmem accepts the commands in them."""

from __future__ import annotations

import configparser
import importlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from gitmem.cli.parser import parser_of

FOLDER = Path(__file__).parents[2] / "data" / "share" / "gitmem-hub"
UNIT = FOLDER / "gitmem-hub@.service"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())


def accepted(words: list[str]) -> str:
    """Return the command of a command line, after its own parser accepted the options."""
    noun, verb, *rest = words
    module = importlib.import_module(f"gitmem.cli.{noun}.{verb}")
    parser_of(f"{noun} {verb}", module).parse_args(rest)
    return f"{noun} {verb}"


def unit() -> configparser.ConfigParser:
    found = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read(UNIT)
    return found


def test_unit_runs_each_process_with_the_options_that_it_names() -> None:
    command = unit()["Service"]["ExecStart"].removeprefix("/usr/local/bin/gitmem ")
    for options, name in re.findall(r"^#   OPTIONS=(.*?)  +(\w+)$", UNIT.read_text(), re.MULTILINE):
        assert accepted(shlex.split(command.replace("%i", name).replace("$OPTIONS", options))) == f"hub {name}"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    made = tmp_path / "gitmem-hub@serve.service"
    made.write_text(UNIT.read_text().replace("/usr/local/bin/gitmem", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", made], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_compose_builds_from_the_clone_that_it_is_in() -> None:
    (default,) = re.findall(r"context: \$\{GITMEM_SOURCE:-(.*)\}", (FOLDER / "compose.yaml").read_text())

    assert (FOLDER / default / "pyproject.toml").is_file()


def test_compose_starts_each_process_once_what_it_needs_is_there() -> None:
    services = COMPOSE["services"]
    ours = {name: one for name, one in services.items() if "build" in one}

    assert {accepted(one["command"]) for one in ours.values()} == {"hub init", "hub serve", "hub sync", "hub work"}
    assert {name for one in services.values() for name in one.get("depends_on", ())} <= set(services)
    volumes = {text.partition(":")[0] for one in services.values() for text in one.get("volumes", ())}
    assert {name for name in volumes if not name.startswith(".")} <= set(COMPOSE["volumes"])
    # Only the server is reached from outside, and only from this machine: a proxy that encrypts goes before it.
    assert {name: one["ports"] for name, one in services.items() if "ports" in one} == {
        "serve": ["127.0.0.1:4484:4484"]
    }
    assert "hub_server" in services["serve"]["environment"]["GITMEM_HUB_DATABASE"]
