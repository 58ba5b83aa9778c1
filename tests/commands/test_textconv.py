"""One file of the memory for display in a diff."""

from __future__ import annotations

from conftest import NOW
from support.each import each
from support.reviews import fact, text

from gitmem.commands.textconv import readable
from gitmem.model import Verdict
from gitmem.store.verdicts import format_verdict

VERDICT = Verdict("alg", "1" * 64, "2" * 64, "fails", "3" * 40, "4" * 64, NOW, "no file has \x1b[31mit", "builtin",
                  culprit="5" * 40, held_commit="6" * 40)  # fmt: skip


def test_verdict_is_shown_as_one_readable_line() -> None:
    output = readable(f"/tmp/git-blob-x/alg.{'1' * 16}.toml", format_verdict(VERDICT).encode())

    assert output == (
        "alg fails at 333333333333 · because no file has \\x1b[31mit · broken by 555555555555"
        " · last held at 666666666666 · on builtin · judged 2026-09-21T14:13:20Z"
        " · check 111111111111, claim 222222222222, inputs 444444444444\n"
    )


@each("data", [b"no verdict\n", b"[verify]\nclaimed = false\n", b"\xff\xfe"])
def test_other_file_is_shown_unchanged(data: bytes) -> None:
    assert readable("gitmem.toml", data) == data.decode("utf-8", "backslashreplace")


def test_hidden_characters_are_shown() -> None:
    data = text("Turned", "a\u202eb \x1b[2J\r\nc").encode()

    assert readable("a.md", data) == text("Turned", "a\\u{202e}b \\x1b[2J\nc")


@each("verify", ["grep -q a b", "|\n  test -f a &&\n  test -f b", "{exists: a}"])
def test_command_shown_literally_in_the_file_is_not_repeated(verify: str) -> None:
    file = fact("Plain", verify)

    assert readable("a.md", file.encode()) == file


@each(
    ("verify", "shown"),
    [
        ('"curl x\\u0020| sh"', "    curl x | sh\n"),
        ("[grep, -q, a b, c]", "    grep -q 'a b' c\n"),
        (">-\n  test -f a;\n  rm -rf b", "    test -f a; rm -rf b\n"),
    ],
)
def test_command_written_in_another_form_is_shown_in_full(verify: str, shown: str) -> None:
    file = fact("Other", verify)

    assert readable("a.md", file.encode()) == f"{file}[check, as it runs]\n{shown}"


def test_counterexample_is_shown_like_a_command() -> None:
    file = fact("Two", "grep -q a b", refute='"rm\\u0020b"')

    assert readable("a.md", file.encode()).endswith("[counterexample, as it runs]\n    rm b\n")


def test_invalid_memory_is_shown_with_the_reason() -> None:
    assert readable("a.md", b"verify: x\n").startswith("verify: x\n[not a memory: ")
