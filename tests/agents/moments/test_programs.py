"""How command lines are split into commands and words."""

from __future__ import annotations

import time

from support.each import each

from gitmem.agents.moments.programs import commands_in, is_git, without_prefix, without_runner


@each(
    ("line", "first_words"),
    [
        ("make a && (cd b; tox) | tee c", ["make", "cd", "tox", "tee"]),
        ("git commit -m 'never; rails db:reset' && ls", ["git", "ls"]),
        ('git commit -m "it\'s done; tox"\ntox', ["git", "tox"]),
        ("echo 'one\nrails db:reset' && ls", ["echo", "ls"]),
        ("grep -E 'a|b (c' x", ["grep"]),
        ("python - <<'EOF'\nprint('tox'); tox\nEOF\nmake a", ["python", "make"]),
        ("psql shop <<SQL\ntruncate x;\nSQL", ["psql"]),
        ("bash <<EOF\ntox\nEOF", ["bash", "tox", "EOF"]),
        ("bash -lc 'cd a && tox' && ls", ["bash", "cd", "tox", "ls"]),
        ("ssh host 'tox'", ["ssh", "tox"]),
        ("# tox\nmake a", ["make"]),
        ("docker run \\\n  --rm x", ["docker"]),
        ("echo $((1<<2))\nmake a", ["echo", "1<<2", "make"]),
        ("git commit -m \"$(cat <<'EOF'\ndon't; tox\nEOF\n)\" && ls", ["git", "$", "cat", "ls"]),
        ("echo don\\'t; ls", ["echo", "ls"]),
        ("cd app  # don't forget\ngit push -f", ["cd", "git"]),
        ("ls a#b 'c # d' # tox; ls\nmake", ["ls", "make"]),
        ("bash -c 'tox # fast' && ls", ["bash", "tox", "ls"]),
        ('echo "a\\\\"; tox', ["echo", "tox"]),
        ("x=$((1<<shift))\ntox", ["x=$", "1<<shift", "tox"]),
        ("x=$(( 1 << n ))\ntox\nn", ["x=$", "1", "tox", "n"]),
        ("dash <<EOF\ntox\nEOF", ["dash", "tox", "EOF"]),
        ("cat <<EOF\ntox", ["cat", "tox"]),
        ("echo don't\ntox; ls", ["echo", "tox", "ls"]),
        ("echo 'a'\necho don't && ls\ntox", ["echo", "echo", "ls", "tox"]),
    ],
)
def test_quoted_text_and_what_a_program_reads_are_no_commands(line: str, first_words: list[str]) -> None:
    assert [command.split()[0] for command in commands_in(line) if command.split()] == first_words


@each(
    ("line", "run"),
    [
        ("timeout 60 python -m pytest -x", "pytest -x"),
        ("sudo poetry run manage.py x", "manage.py x"),
        ("python manage.py migrate", "manage.py migrate"),
        ("python -c x", "python -c x"),
        ("sudo", "sudo"),
        ("python -u manage.py migrate", "manage.py migrate"),
        ("python3 -W ignore -c x", "python3 -W ignore -c x"),
        ("python -u -m pytest -x", "pytest -x"),
        ("bash -x deploy.sh prod", "deploy.sh prod"),
        ("node --inspect app.js run", "app.js run"),
        ("pytest -x a.py", "pytest -x a.py"),
    ],
)
def test_what_runs_a_command_is_left_out(line: str, run: str) -> None:
    assert " ".join(without_runner(line.split())) == run


def test_what_precedes_the_program_of_a_command_is_left_out() -> None:
    lines = ("then A=1 env B=2 timeout 60 git push", "! git push", "git push", "while sudo C=3 git push")

    assert {" ".join(without_prefix(line.split())) for line in lines} == {"git push"}
    assert without_prefix(["A=1"]) == without_prefix([]) == []
    assert [is_git(word) for word in ("git", "/usr/bin/git", "\\git", "git-lfs", "")] == [True] * 3 + [False] * 2


def test_long_line_is_read_in_bounded_time() -> None:
    begun = time.process_time()
    commands_in("git commit -m 'a\n" * 20_000)
    commands_in('bash -c "a" ' * 20_000)
    commands_in("cat <<EOF\n# don't\n" * 20_000)
    without_prefix("then A=1 ".split() * 20_000)

    assert time.process_time() - begun < 2  # 0.2 s; 10 if all before each mark were read
