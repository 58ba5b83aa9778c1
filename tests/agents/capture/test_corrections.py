"""A person's correction is offered as a line to record, once; other prompts are left alone, and nothing is recorded."""

from __future__ import annotations

from pathlib import Path

from support.agent_work import captured_memories
from support.each import each

from gitmem.agents import on_event
from gitmem.agents.capture.corrections import find_correction
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
        ("Please don't use `any`, we type everything here", "Please don't use `any`, we type everything here"),
        ("stop adding comments to every line", "Stop adding comments to every line"),
        ("We don't do default exports in this repo.", "We don't do default exports in this repo"),
        (
            "Add a retry. Btw we log with structlog everywhere, not logging",
            "Btw we log with structlog everywhere, not logging",
        ),
        ("I told you: run the linter before you commit", "Run the linter before you commit"),
        ("For future reference, the API returns cents", "The API returns cents"),
        ("Wrong approach: controllers must not call repositories", "Controllers must not call repositories"),
        ("You forgot the changelog again. Every change needs an entry", "Every change needs an entry"),
        ("could you in future show me the plan first?", "Could you in future show me the plan first"),
        ("i'd rather you didn't nest ternaries", "I'd rather you didn't nest ternaries"),
        ("nope, we dont catch everything here", "We dont catch everything here"),
        ("In this project, dates are always UTC", "In this project, dates are always UTC"),
        ("our tests live next to the source, not in a folder", "Our tests live next to the source, not in a folder"),
        ("Bitte schreib Kommentare immer auf Englisch", "Bitte schreib Kommentare immer auf Englisch"),
        ("à l'avenir demande-moi avant", "À l'avenir demande-moi avant"),
        ("Nein, wir benutzen kein Lombok", "Wir benutzen kein Lombok"),
        ("не используй axios, у нас fetch", "Не используй axios, у нас fetch"),
        ("Schreib nie Kommentare auf Deutsch", "Schreib nie Kommentare auf Deutsch"),
        ("Frag mich immer, bevor du etwas löschst", "Frag mich immer, bevor du etwas löschst"),
        ("Nunca escribas comentarios en español", "Nunca escribas comentarios en español"),
        ("Don't use npm in this project", "Don't use npm in this project"),
        ("You never run the tests before you commit", "You never run the tests before you commit"),
        ("不，我们这里用 pnpm，不用 npm。", "我们这里用 pnpm，不用 npm"),
        ("用 pnpm，不要用 npm", "用 pnpm，不要用 npm"),
        ("请记住，金额都用分表示。", "请记住，金额都用分表示"),
        ("今後はコミット前に必ずlintを実行してください", "今後はコミット前に必ずlintを実行してください"),
        ("npm 말고 pnpm을 사용해", "npm 말고 pnpm을 사용해"),
    ],
)
def test_rule_in_a_correction_is_found(prompt: str, rule: str) -> None:
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
        "No, I have not seen that error before.",
        "Always fails with a timeout, see the log",
        'never seen this before: "x is not a function"',
        "use postgres instead of sqlite for this script",
        "Add a login page. Don't touch the backend.",
        "don't commit yet, I want to look first",
        "don't worry about the tests",
        "why do we always get 403 here",
        "Who calls this? I thought we never used it",
        "We never finished the refactoring of orders",
        "the model doesn't converge anymore, what did we change?",
        "usa la segunda opción en vez de la primera",
        "erstmal nicht committen, bitte",
        "先不要提交",
        "I prefer your version",
        "The total should never be negative",
        "We should never get here, but we do",
        "Take the value from the header, not from the query",
        "No, use the other endpoint",
        "Don't use the cache in this request",
        "You always get a 403 when the token is expired",
        "Never show the tooltip on touch devices",
        "Stop showing the spinner when the request fails",
        "Always the same error",
        "Set it to 30 seconds, never more than 60",
        "Läuft immer noch nicht rund",
        "Keine Ahnung, warum das nicht geht",
        "Bitte nimm die vorhandene Funktion, statt eine neue zu schreiben",
        "Wir haben zwei Configs, nur die zweite wird benutzt",
        "Usa la función existente en lugar de escribir una nueva",
        "Nunca funciona con proxy",
        "表单提交时按钮应该被禁用。",
        "添加错误处理，但不要修改函数签名。",
        "特别是登录页面，需要重新设计。",
        "登录以后跳转到首页。",
        "为什么我们不用缓存",
        "404ではなく500が返ってきます。",
        "保存ボタンを押すと必ず落ちます。",
        "404 대신 500이 나옵니다.",
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
