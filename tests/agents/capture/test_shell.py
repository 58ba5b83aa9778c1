"""Command lines are parsed like a shell does, and never run."""

from __future__ import annotations

import subprocess

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.agents.capture.shell import Word, list_commands


def words(line: str) -> list[list[str]]:
    """Return the words of each command."""
    return [[word.text for word in command.words] for command in list_commands(line)]


@each(
    "line",
    [
        "say a b",
        "say 'a b' \"c d\" e\\ f",
        "say 'it'\\''s' \"a \\\"b\\\" \\$c \\x\"",
        "say $'a\\nb\\t\\x41\\u00e9'",
        "say a\"b\"'c'd",
        "say one; say two && say three",
        "say a # no b",
        "say a#b",
        "say a \\\n  b",
        "say 'a\nb'",
        "say 2>/dev/null a 2>&1 b",
        "(say a); { say b; }",
        "if say a; then say b; fi",
        'say "$" "a $ b" $',
        "say ''",
        "! say a",
        "say \"$(cat <<'EOF'\nit isn't $x (or `y`)\n\nmore\nEOF\n)\"",
        "say ä 漢 é",
    ],
)
def test_words_are_those_that_a_shell_makes(line: str) -> None:
    script = 'say() { for word; do printf "%s\\0" "$word"; done; printf "\\1"; }\n'
    done = subprocess.run(["bash", "-c", script + line], capture_output=True, check=False)
    by_bash = [part.split("\0")[:-1] for part in done.stdout.decode().split("\1")[:-1]]

    found = [one[1:] for one in words(line) if one[0] == "say"]

    assert found == by_bash != []


@each(
    "word",
    [
        "$x",
        '"a $x"',
        '"$(date)"',
        "`date`",
        "${x:-y}",
        "$((1 + 2))",
        '"$(cat f)"',
        "$1",
        "<(ls)",
        '"$(cat <<E\n$x\nE\n)"',
    ],
)
def test_what_only_a_shell_knows_is_unknown(word: str) -> None:
    (command, *_) = [c for c in list_commands(f"say {word} after") if c.words and c.words[0].text == "say"]

    assert [one.is_known for one in command.words] == [True, False, True]


@each(
    ("line", "fed"),
    [
        ("cat <<EOF\na\nb\nEOF\n", Word("a\nb\n")),
        ("cat <<'EOF'\n$a `b`\nEOF", Word("$a `b`\n")),
        ('cat <<-"EOF"\n\ta\n\tEOF\n', Word("a\n")),
        ("cat <<EOF\n\\$a\nEOF\n", Word("$a\n")),
        ("cat <<EOF\n$a\nEOF\n", Word("$a\n", is_known=False)),
        ("cat <<< 'a b'", Word("a b\n")),
        ("cat <<EOF | other\na\nEOF\n", Word("a\n")),
        ("cat <<EOF\nnever ended", Word("never ended\n")),
    ],
)
def test_here_documents_are_what_a_command_reads(line: str, fed: Word) -> None:
    assert list_commands(line)[0].fed == fed


def test_two_here_documents_of_one_line_are_distinguished() -> None:
    one, two = list_commands("cat <<A; cat <<'B'\nfirst\nA\nsecond\nB\n")

    assert (one.fed, two.fed) == (Word("first\n"), Word("second\n"))


def test_how_commands_hang_together_is_reported() -> None:
    found = list_commands("a | b && c || d; e & f\ng |& h")

    assert [command.joined for command in found] == ["", "|", "&&", "||", ";", "&", ";", "|"]


@each("line", ["say 'a", 'say "a', "say $(a", "say `a", "a\0b", "say " + "$(" * 50, "x" * 300_000])
def test_line_that_no_shell_takes_gives_nothing(line: str) -> None:
    assert list_commands(line) == []


SIGNS = st.sampled_from(
    [*"'\"\\$`(){}<>|&; \n\t#=-", "<<", "<<-", "EOF", "$(", "${", "a", "bd", "comment", "\nEOF\n", "$'", "ß", "\ud800"]
)


@given(st.lists(SIGNS, max_size=40).map("".join))
def test_no_line_is_too_odd(line: str) -> None:
    for command in list_commands(line):
        assert all(isinstance(word.text, str) for word in command.words)


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20), min_size=1))
def test_quoted_words_come_back_as_they_were(given_words: list[str]) -> None:
    line = "say " + " ".join("'" + word.replace("\r\n", "\n").replace("'", "'\\''") + "'" for word in given_words)

    assert words(line) == [["say", *(word.replace("\r\n", "\n") for word in given_words)]]
