"""What a run used of the world: other machines, and git's tags and branches where it asked for them."""

from __future__ import annotations

import shutil

import pytest
from conftest import git
from support.each import each

from benchmarks.awkward import FILES, Code, run
from gitmem.verify.trace.outside import describe_outside, find_outside
from gitmem.verify.trace.trace import parse_trace

STRACE = shutil.which("strace") or ""
START = '10 execve("/bin/sh", ["sh"], 0x7 /* 1 var */) = 0\n'
END = "10 exit_group(0) = ?\n10 +++ exited with 0 +++\n"
V4 = '10 connect(3<socket:[1]>, {{sa_family=AF_INET, sin_port=htons({}), sin_addr=inet_addr("{}")}}, 16) = {}\n'
V6 = (
    "10 connect(3<socket:[1]>, {{sa_family=AF_INET6, sin6_port=htons({}), sin6_flowinfo=htonl(0),"
    ' inet_pton(AF_INET6, "{}", &sin6_addr), sin6_scope_id=0}}, 28) = {}\n'
)


@each(
    ("line", "is_online"),
    [
        (V4.format(443, "140.82.121.4", 0), True),
        (V4.format(443, "140.82.121.4", "-1 EINPROGRESS (Operation now in progress)"), True),
        (V6.format(443, "2606:50c0::1", 0), True),
        (V4.format(53, "127.0.0.53", 0), True),
        (V4.format(8000, "127.0.0.1", 0), False),
        (V6.format(8000, "::1", 0), False),
        (V4.format(443, "140.82.121.4", "-1 ENETUNREACH (Network is unreachable)"), False),
        ('10 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/x"}, 9) = 0\n', False),
    ],
)
def test_run_is_online_where_it_reaches_for_another_machine(line, is_online):
    assert parse_trace((START + line + END).encode(), "/g").is_online == is_online


@pytest.mark.skipif(not STRACE, reason="strace is not installed")
@pytest.mark.parametrize(
    ("command", "outside"),
    [
        ("git tag -l 'v*'", "tags"),
        ("git describe --tags --always", "tags"),
        ("git rev-parse --verify v1.0", "tags"),
        ("git rev-parse --verify main", "tags"),
        ("git for-each-ref refs/tags", "tags"),
        ("git log -1 --format=%H", ""),
        ("git status --porcelain", ""),
        ("git show HEAD:a", ""),
        ("git diff --quiet HEAD", ""),
        ("git grep -q one", ""),
        ("git ls-files d", ""),
        ("git blame a", ""),
        ("cat a", ""),
    ],
)
def test_check_that_asks_for_tags_or_branches_depends_on_the_world(tmp_path, command, outside):
    code, ground = Code(FILES), tmp_path.resolve()
    code.write(ground, has_git=True)
    for argv in (["commit", "-qm", "x"], ["tag", "v1.0"], ["pack-refs", "--all"], ["checkout", "-q", "--detach"]):
        git(ground, "-c", "user.name=a", "-c", "user.email=a@b", *argv)

    ran = run(f"{command} || :", ground, STRACE)

    assert find_outside([parse_trace(ran.trace or b"", str(ground))], str(ground), code.places) == outside


def test_folder_of_the_code_that_is_named_like_git_s_own_is_no_tag():
    code = Code({"src/refs/tags/x": "1\n"})
    line = '10 openat(AT_FDCWD</g>, "src/refs/tags/x", O_RDONLY) = 3</g/src/refs/tags/x>\n'

    assert find_outside([parse_trace((START + line + END).encode(), "/g")], "/g", code.places) == ""


def test_each_kind_has_words():
    assert [describe_outside(word) for word in ("network", "tags", "declared")] == [
        "the network",
        "git's tags or branches",
        "the world outside the repository",
    ]


def test_refs_of_another_repository_say_nothing_of_this_one():
    line = '10 openat(AT_FDCWD, "{}/refs/tags/v1", O_RDONLY) = 3\n'
    found = {
        place: find_outside(
            [parse_trace((START + line.format(place) + END).encode(), "/g")], "/g", Code(FILES).places, "/r/.git"
        )
        for place in ("/g/.git", "/r/.git", "/root/.pyenv/.git")
    }

    assert found == {"/g/.git": "tags", "/r/.git": "tags", "/root/.pyenv/.git": ""}
