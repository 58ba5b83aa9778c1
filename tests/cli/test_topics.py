"""Topics of help: short, with commands that parse."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from support.each import each

from gitmem import cli
from gitmem.cli import manual
from gitmem.cli.commands import all_commands, load_command
from gitmem.cli.parser import parser_of
from gitmem.cli.topics import TOPICS

PROJECT = Path(__file__).resolve().parents[2]


@each("name", TOPICS)
def test_topic_fits_a_screen_and_its_commands_and_pages_exist(name: str) -> None:
    _, text = TOPICS[name]

    assert manual.topic(name, 80).count("\n") <= 45
    for line in re.findall(r"(?m)^    .*gitmem (.*)$", text):
        words = shlex.split(line)
        command = next(c for c in (" ".join(words[:2]), words[0]) if c in all_commands())
        parser_of(command, load_command(command)).parse(words[len(command.split(" ")) :])
    assert [page for page in re.findall(r"docs/\S+\.md", text) if not (PROJECT / page).is_file()] == []


def test_topic_with_the_name_of_a_command_is_shown_before_it(run_cli) -> None:
    assert set(TOPICS) & {*all_commands(), *cli.SYNONYMS} == {"trust"}
    assert run_cli("help", "trust").out == f"{manual.topic('trust', 100)}\n{run_cli('trust', '--help').out}"
