"""Comments are found in every form that the tools accept, and in no other command."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.each import each

from gitmem.agents.capture.comments import Comment, find_comments

SAYS = "LEARNED: retries must be idempotent"


@each(
    ("line", "task"),
    [
        (f'bd comment BD-001 "{SAYS}"', "BD-001"),
        (f"bd comment BD-001 {SAYS}", "BD-001"),
        (f"bd comments add shop-12 '{SAYS}'", "shop-12"),
        (f"bd comments add shop-12 -a Ana '{SAYS}'", "shop-12"),
        (f'bd note shop-12 "{SAYS}"', "shop-12"),
        (f'bd update shop-12 --status open --append-notes "{SAYS}"', "shop-12"),
        (f'bd update --append-notes="{SAYS}" shop-12', "shop-12"),
        (f'bd -C /srv/shop --json --actor me comment shop-12 "{SAYS}"', "shop-12"),
        (f'cd x && FOO=1 sudo -u me env -u A B=c npx -y bd comment shop-12 "{SAYS}"', "shop-12"),
        (f'timeout 5 /usr/local/bin/bd comment shop-12 "{SAYS}" 2>&1 | tail -1', "shop-12"),
        (f"bash -lc 'bd comment shop-12 \"{SAYS}\"'", "shop-12"),
        (f'echo "{SAYS}" | bd comment shop-12 --stdin', "shop-12"),
        ("printf '%s: %s' LEARNED 'retries must be idempotent' | bd note shop-12 --stdin", "shop-12"),
        (f"bd comment shop-12 --stdin <<'EOF'\n{SAYS}\nEOF", "shop-12"),
        (f"cat <<'EOF' | bd comment shop-12 --stdin\n{SAYS}\nEOF\nbd sync", "shop-12"),
        (f"bd comment shop-12 --stdin <<< '{SAYS}'", "shop-12"),
        (f"bd comment shop-12 \"$(cat <<'EOF'\n{SAYS}\nEOF\n)\"", "shop-12"),
        (f'git add . && git commit -m "LEARNED: no" && bd comment shop-12 "{SAYS}"', "shop-12"),
        (f'bd comment "$ID" "{SAYS}"', ""),
    ],
)
def test_comment_of_beads_is_found(line: str, task: str) -> None:
    (found,) = find_comments(line)

    assert (found.text.strip(), found.task, found.skipped) == (SAYS, task, "")


@each(
    ("line", "ref"),
    [
        (f'gh issue comment 5 --body "{SAYS}"', "#5"),
        (f"gh pr comment 5 -b '{SAYS}'", "#5"),
        (f'gh -R acme/shop pr comment 5 --body="{SAYS}"', "acme/shop#5"),
        (f'gh pr review 5 --approve -c --body "{SAYS}"', "#5"),
        (f'gh issue close 5 --comment "{SAYS}"', "#5"),
        (f'gh pr comment https://github.com/acme/shop/pull/5 -b "{SAYS}"', "acme/shop#5"),
        (f"gh issue comment 5 --body-file - <<-'EOF'\n\t{SAYS}\n\tEOF", "#5"),
        (f"gh issue comment 5 -F- <<EOF\n{SAYS}\nEOF", "#5"),
        (f"gh pr comment 5 --body \"$(cat <<'EOF'\n{SAYS}\nEOF\n)\"", "#5"),
    ],
)
def test_comment_on_github_is_found(line: str, ref: str) -> None:
    (found,) = find_comments(line)

    assert (found.text.strip(), found.refs) == (SAYS, (ref,))


def test_comment_in_a_file_names_the_file() -> None:
    lines = [
        "bd comment s-1 --file notes/a.md",
        "gh pr comment 5 -F notes/a.md",
        "cat notes/a.md | bd note s-1 --stdin",
    ]

    assert [find_comments(line)[0].file for line in [*lines, "bd note s-1 --stdin < notes/a.md"]] == ["notes/a.md"] * 4


@each(
    "line",
    [
        'bd comment s-1 "LEARNED: $(date)"',
        'bd comment s-1 "LEARNED: $X"',
        "bd comment s-1 --stdin <<EOF\nLEARNED: ${X}\nEOF",
        'bd comment s-1 "LEARNED: `date`"',
        "curl x | bd comment s-1 --stdin",
        'bd comment s-1 --file "$F"',
    ],
)
def test_what_only_a_shell_knows_is_skipped_with_the_reason(line: str) -> None:
    (found,) = find_comments(line)

    assert (found.text, found.file) == ("", "")
    assert found.skipped


@each(
    ("line", "text"),
    [
        ('bd comment s-1 "LEARNED: run `make test` first"', "LEARNED: run `make test` first"),
        ('bd comment s-1 "LEARNED: set $TZ to UTC"', "LEARNED: set $TZ to UTC"),
        ('bd comment s-1 "LEARNED: $(date) is in local time"', "LEARNED: $(date) is in local time"),
        ("bd comment s-1 LEARNED: ${HOME}/x is read", "LEARNED: ${HOME}/x is read"),
        ("bd comment s-1 --stdin <<EOF\nLEARNED: $X is unset\nEOF", "LEARNED: $X is unset\n"),
        ('$SUDO bd comment s-1 "LEARNED: it needs root"', "LEARNED: it needs root"),
        ('gh pr comment 5 -b "LEARNED: costs $5 and \\$6"', "LEARNED: costs $5 and $6"),
    ],
)
def test_text_is_kept_as_it_was_typed(line: str, text: str) -> None:
    (found,) = find_comments(line)

    assert (found.text, found.skipped) == (text, "")


def test_close_says_how_a_task_ended() -> None:
    assert find_comments('bd close s-1 --reason "The pool was too small"') == [
        Comment("The pool was too small", "s-1", is_end=True)
    ]


@each(
    "line",
    [
        'git commit -m "LEARNED: kept by the hook of git"',
        'echo "LEARNED: to nobody"',
        'bd create "LEARNED: a title"',
        "bd comments s-1",
        'bd remember "LEARNED: beads keeps it"',
        'gh pr create --body "LEARNED: x"',
        'gh issue list --search "LEARNED: x"',
        'abd comment s-1 "LEARNED: x"',
        "# bd comment s-1 'LEARNED: x'",
        "grep 'bd comment s-1 \"LEARNED: x\"' -r .",
    ],
)
def test_other_commands_are_no_comments(line: str) -> None:
    assert find_comments(line) == []


PARTS = st.sampled_from(
    [
        *(
            "bd ",
            "gh ",
            "comment ",
            "comments add ",
            "pr ",
            "issue ",
            "s-1 ",
            "--stdin ",
            "--body ",
            "-F ",
            "- ",
            "--file ",
        ),
        *(
            "echo ",
            "printf ",
            "'%s%d' ",
            "| ",
            "&& ",
            "<<EOF ",
            "\nEOF\n",
            "'LEARNED: x' ",
            '"$x" ',
            "$(",
            ")",
            "-- ",
            "=",
        ),
        *("sudo ", "-u ", "env ", "bash -c ", "timeout ", "--close ", "close ", "--reason ", "cat ", "< ", "\\", '"'),
    ]
)


@given(st.lists(PARTS, max_size=30).map("".join))
@example("sudo -u ")
def test_no_command_line_is_too_odd(line: str) -> None:
    assert len(find_comments(line)) <= 20


def test_nothing_is_run(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    find_comments('touch made; bd comment s-1 "$(touch made)" `touch made` <(touch made)')

    assert list(tmp_path.iterdir()) == []
