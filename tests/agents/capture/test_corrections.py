"""A person's correction is offered as a line to record, once; other prompts are left alone, and nothing is recorded."""

from __future__ import annotations

from pathlib import Path

from support.agent_work import captured_memories
from support.each import each

from gitmem.agents import on_event
from gitmem.agents.capture.corrections import find_correction
from gitmem.agents.capture.marks import may_correct
from gitmem.agents.event import PROMPT, Event
from gitmem.memory import Memory


@each(
    ("prompt", "rule"),
    [
        (
            "no, never edit the generated files, change the template",
            "Never edit the generated files, change the template",
        ),
        ("Use pnpm, not npm.", "Use pnpm, not npm"),
        ("Always run the linter before you commit, please.", "Always run the linter before you commit, please"),
        (
            "that's wrong, the port is 8081 and it comes from settings.toml",
            "The port is 8081 and it comes from settings.toml",
        ),
        ("Looks good. From now on write tests first!", "From now on write tests first"),
        ("Nein, nimm immer die Fixture aus conftest.py!", "Nimm immer die Fixture aus conftest.py"),
        ("不要用 npm，用 pnpm", "不要用 npm，用 pnpm"),
        ("No, nunca borres las migraciones", "Nunca borres las migraciones"),
        ("npm ではなく pnpm を使ってください", "npm ではなく pnpm を使ってください"),
    ],
)
def test_rule_in_a_correction_is_found(prompt: str, rule: str) -> None:
    assert may_correct(prompt)
    assert find_correction(prompt) == rule


@each(
    "prompt",
    [
        "no problem, go on",
        "no",
        "Why is the test always slow?",
        "Please rename the button to Use X",
        "I never understood this module. Explain it to me.",
        "Nein danke, das reicht.",
        "Can you always trust this check?",
        "Add a flag that never retries",
        "<task-notification>never do this again</task-notification>",
        "/always do that",
        "never mind",
    ],
)
def test_other_prompts_are_no_corrections(prompt: str) -> None:
    assert find_correction(prompt) == ""


def test_correction_is_offered_once_and_never_recorded(memory: Memory, repo: Path) -> None:
    memory.remember("Deploys need the VPN")
    before = captured_memories(memory)
    said = Event("claude-code", PROMPT, session="s1", folder=str(repo), prompt="no, use pnpm and not npm here")

    first, second = on_event.answer_prompt(memory, said), on_event.answer_prompt(memory, said)

    assert 'gitmem remember "Use pnpm and not npm here" --kind convention' in first
    assert "gitmem remember" not in second
    assert captured_memories(memory) == before
