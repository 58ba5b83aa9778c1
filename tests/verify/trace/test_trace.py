"""Reading what strace writes: processes, threads, folders, links, and when a trace says nothing."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.verify.trace.trace import UNKNOWN, OpaqueError, parse_trace

START = '10 execve("/bin/sh", ["sh", "-c", "x"], 0x7ff /* 7 vars */) = 0\n'
END = "10 exit_group(0) = ?\n10 +++ exited with 0 +++\n"
FORK = "clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7fe)"
THREAD = "clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD)"


def events(*lines: str, start: str = START, end: str = END):
    """Kind and path of what the lines tell, behind a first program."""
    text = start + "".join(f"{line}\n" for line in lines) + end
    return [(event[0], event[1]) for event in parse_trace(text.encode("latin-1"), "/g").events][2 if start else 0 :]


@each(
    ("line", "found"),
    [
        ('10 openat(AT_FDCWD</g>, "a", O_RDONLY) = 3</g/a>', [("opened", "/g/a")]),
        ('10 openat(AT_FDCWD</g>, "l/a", O_RDONLY) = 3</g/d/a>', [("opened", "/g/l/a"), ("opened", "/g/d/a")]),
        ('10 openat(5</g/d>, "a", O_RDONLY) = -1 ENOENT (No such file or directory)', [("opened", "/g/d/a")]),
        ('10 openat(AT_FDCWD</g>, ".", O_RDONLY|O_DIRECTORY) = 3</g>', [("looked", "/g/."), ("looked", "/g")]),
        ('10 access("x) = 3", F_OK) = -1 ENOENT (No such file or directory)', [("looked", "/g/x) = 3")]),
        ('10 newfstatat(3</g/a>, "", {st_mode=S_IFREG|0644, ...}, AT_EMPTY_PATH) = 0', []),
        ("10 getdents64(3</g/d>, 0x55 /* 4 entries */, 32768) = 120", [("listed", "/g/d")]),
        ('10 readlink("/g/l", "d", 4096) = 1', [("looked", "/g/l")]),
        ('10 linkat(AT_FDCWD</g>, "a", 4</g/d>, "b", 0) = 0',
         [("named", "/g/a"), ("looked", "/g/d/b"), ("looked", "/g/d")]),
        ('10 symlink("d", "new") = 0', [("linked", "/g/new"), ("looked", "/g")]),
        ('10 symlinkat("d", AT_FDCWD</g>, "new") = -1 EEXIST (File exists)', [("looked", "/g/new"), ("looked", "/g")]),
        ('10 rename("a", "b") = 0', [("looked", "/g/b"), ("listed", "/g/b"), ("moved", "/g/a"), ("looked", "/g")]),
        ('10 rmdir("d/") = 0', [("listed", "/g/d/")]),
        ('10 unlinkat(3</g/d>, "e", AT_REMOVEDIR) = -1 ENOTEMPTY (Directory not empty)', [("listed", "/g/d/e")]),
        ('10 unlinkat(3</g/d>, "e", 0) = 0', [("looked", "/g/d/e")]),
        ('10 openat(AT_FDCWD</g>, "n/x", O_WRONLY|O_CREAT, 0666) = -1 ENOENT (No such file or directory)',
         [("opened", "/g/n/x"), ("looked", "/g/n")]),
        ('10 utimensat(3</g/a>, NULL, NULL, 0) = 0', []),
        ('10 stat(0x7ffe01, 0x7ffe02) = -1 EFAULT (Bad address)', []),
        ('10 openat(3</g/gone>(deleted), "a", O_RDONLY) = -1 ENOENT (No such file)', [("opened", "/g/gone/a")]),
        (r'10 access("w\1\303\251\n\".txt", F_OK) = 0', [("looked", "/g/w\x01é\n\".txt")]),
        (r'10 access("\377", F_OK) = 0', [("looked", "/g/\udcff")]),
        ('10 openat2(AT_FDCWD</g>, "a", {flags=O_RDONLY, resolve=0}, 24) = 3</g/a>', [("opened", "/g/a")]),
        ('10 mount("a", "b", "c", 0, NULL) = -1 EPERM (Operation not permitted)', []),
        ("10 --- stopped by SIGTTOU ---", []),
    ],
)  # fmt: skip
def test_call_names_its_paths(line, found):
    assert events(line) == found


@each(
    "lines",
    [
        ['10 chdir("d") = 0', '10 access("a", F_OK) = 0'],
        ["10 fchdir(3</g/d>) = 0", '10 access("a", F_OK) = 0'],
        ['10 chdir("x") = -1 ENOENT (No such file)', '10 chdir("d") = 0', '10 access("a", F_OK) = 0'],
        # A child has its parent's folder, also where it shows up before the call that made it returns.
        ['10 chdir("d") = 0', f"10 {FORK} = 11", '11 access("a", F_OK) = 0'],
        ['10 chdir("d") = 0', f"10 {FORK[:-1]} <unfinished ...>", '11 access("a", F_OK) = 0',
         "10 <... clone resumed>) = 11"],
        # A thread shares it both ways, a process does not.
        [f"10 {THREAD} = 11", '11 chdir("d") = 0', '10 access("a", F_OK) = 0'],
        [f"10 {FORK} = 11", '11 chdir("e") = 0', '10 chdir("d") = 0', '10 access("a", F_OK) = 0'],
        # A number is used again.
        ['10 chdir("d") = 0', f"10 {FORK} = 11", '11 chdir("e") = 0', "11 +++ exited with 0 +++", f"10 {FORK} = 11",
         '11 access("a", F_OK) = 0'],
        # A thread that executes another program has the first one's number from then on.
        [f"10 {THREAD} = 11", '11 chdir("d") = 0', '11 execve("/bin/x", ["x"], 0x7 /* 1 var */ <unfinished ...>',
         "10 +++ superseded by execve in pid 11 +++", "10 <... execve resumed>) = 0", '10 access("a", F_OK) = 0'],
        ['10 access("d/a", F_OK <unfinished ...>', "10 <... access resumed>) = 0"],
    ],
)  # fmt: skip
def test_each_process_has_the_folder_that_it_was_left_in(lines):
    assert events(*lines)[-1] == ("looked", "/g/d/a")


def test_call_without_an_end_counts_as_made():
    late = [f"10 {FORK} = 11", '11 access("a", F_OK <unfinished ...>']

    assert ("looked", "/g/a") in events(*late)
    assert ("looked", "/g/a") in events(*late, "11 +++ killed by SIGKILL +++")
    assert ("looked", "/g/b") not in events(end=END + '11 access("b", F')


def test_a_path_is_reported_again_once_links_have_changed():
    line = '10 access("new/a", F_OK) = 0'

    assert events(line, line, '10 symlink("d", "new") = 0', line) == [
        ("looked", "/g/new/a"), ("linked", "/g/new"), ("looked", "/g"), ("looked", "/g/new/a"),
    ]  # fmt: skip


def test_a_program_is_reported_with_its_arguments_where_that_matters():
    run = '10 execve("/usr/bin/git", ["git", "ls-files", "a b"], 0x7ff /* 7 vars */) = 0'
    cut = '10 execve("/usr/bin/git", ["git", "ls-files", "aaa"...], 0x7ff /* 7 vars */) = 0'
    line = '10 openat(AT_FDCWD</g>, ".git/index", O_RDONLY) = 3</g/.git/index>\n'

    programs = [parse_trace((START + text + "\n" + line + END).encode(), "/g").events[-1][2] for text in (run, cut)]

    assert programs == [("/g", "/usr/bin/git", "ls-files", "a b"), ("/g", "/usr/bin/git", "ls-files", "aaa", UNKNOWN)]


@each(
    "text",
    [
        "",
        START,  # nobody saw the end: the tracer was killed
        END,  # nor that it began: strace could not run it
        START + "10 exit_group(0",
        START + "strace: something is wrong\n" + END,
        START + '10 openat(3, "a", O_RDONLY) = 4\n' + END.replace("10 exit", "99 exit"),
        START + f"10 {FORK[:-1]}|CLONE_UNTRACED) = 11\n" + END,
        START + "11 getcwd(0x7, 1) = 5\n" + END,
        START + "10 getdents64(3, 0x55, 32768) = 120\n" + END,
        START + "10 io_uring_setup(8, 0x7ff) = 3\n" + END,
        START + "10 io_uring_setup(8, 0x7ff) = -1 ENOSYS (Function not implemented)\n" + END,
        START + "10 ptrace(PTRACE_TRACEME) = -1 EPERM (Operation not permitted)\n" + END,
        START + '10 chroot("d") = 0\n' + END,
        START + '10 mount("a", "b", "c", MS_BIND, NULL) = 0\n' + END,
        START + '10 open_by_handle_at(3</g>, {...}, O_RDONLY) = 4</g/a>\n' + END,
        START + '10 stat("aaa"..., {}) = 0\n' + END,
        START + "10 <... stat resumed>) = 0\n" + END,
    ],
)  # fmt: skip
def test_a_trace_that_does_not_tell_all_is_refused(text):
    with pytest.raises(OpaqueError):
        parse_trace(text.encode(), "/g")


@given(st.text(st.sampled_from('"\\<>(),=0123 ab./\n-'), max_size=60))
def test_no_line_breaks_the_reader(said):
    try:
        parse_trace(f"{START}10 openat({said}\n{END}".encode(), "/g")
    except OpaqueError:
        return


@given(st.binary(min_size=1, max_size=20).filter(lambda raw: not {0, 47} & set(raw)))
def test_every_name_is_read_back(raw):
    quoted = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in raw)

    assert events(f'10 access("{quoted}", F_OK) = 0') == [("looked", "/g/" + os.fsdecode(raw))]
