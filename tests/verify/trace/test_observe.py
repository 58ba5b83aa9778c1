"""What a run read of the code, of real runs under strace: nothing that could change its answer may be left out."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each

from benchmarks.awkward import EXCHANGE, FILES, PYTHON, TEXTS, Code, answer

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


def reads_of(command: str, files: dict[str, str] = FILES) -> str:
    seen = answer(Code(files), command, strace=shutil.which("strace") or "")[1]
    return seen.text if seen else "unknown"


@each(
    ("command", "reads"),
    [
        ("cat b.txt", "1 =b.txt"),
        ("test -e d/new", "1 =d/new"),
        ("test -e new/x || test -e new/y", "1 =new"),
        ("cd d/e && ls ../nothing; cd - && . ./run.sh", "1 =a =d/e =d/nothing =run.sh"),
        ("./run.sh", "1 =a =run.sh"),
        ("set -- d/*; test $# -eq 3", "1 /d"),
        ("find d -name '*.py'", "1 /d /d/e"),
        ("grep -rq four d", "1 *d =a"),
        ("cat to-d/a", "1 =d/a =to-d"),
        ("test -e to-d/none", "1 =d/none =to-d"),
        ("cat d/up", "1 =a =d/up"),
        ("git ls-files d/e", "1 ~d/e"),
        ("git rev-parse --show-toplevel", "1"),
        ("git grep -q three -- d/e", "1 =.gitattributes =d/.gitattributes =d/e/.gitattributes =d/e/c.py =d/e/n.txt ~"),
        ("git log -1", "unknown"),
        ("cat .git/HEAD", "unknown"),
        ("ln -s d made && test -e made/other", "1 =d/other =made"),
        ("mkdir out && cp a out/a && cat out/a", "1 =a =out"),
        ("mv d/e moved && cat moved/n.txt", "1 *d/e =moved"),
        ("strace -o /dev/null cat a", "unknown"),
        ("mv d moved && cat moved/a", "unknown"),
        ("rm d/e/c.py d/e/n.txt && rmdir d/e", "1 *d/e"),
        ("rm d/e/c.py; rm -d d/e", "1 /d/e =d/e/c.py"),
        (PYTHON + ' \'import os; os.mkdir("x"); os.rename("x", "d/e")\'', "1 /d/e =x"),
        ("echo > new/x", "1 =new"),
        ("mkfifo d/new", "1 =d =d/new"),
        ("mv to-d x && test -e x/new", "1 =d =d/new =to-d =x"),
        ("ln to-d x && test -e x/new", "1 =d =d/new =to-d =x"),
        (PYTHON + ' \'import os; os.rename("d/", "x")\'', "unknown"),
        (EXCHANGE.format("a", "d"), "unknown"),
        ("mkdir m && cd m && mv ../m ../d/m && test -e ../new", "1 =d =d/m =d/new =m"),
        ("true", "1"),
        ("(sleep 0; cat a) & wait", "1 =a"),
        ("grep -r . . >/dev/null", "unknown"),
        ("exec 3< d; test -e /dev/fd/3/new", "unknown"),
        ("exec 3< a; cat /dev/fd/3", "1 =a"),
        ("GIT_ICASE_PATHSPECS=1 git ls-files D", "unknown"),
        (PYTHON + " 'import socket; socket.socket(socket.AF_UNIX).connect(\"d/new\")'", "1 =d/new"),
    ],
)
def test_run_reads(command, reads):
    assert (reads_of(command) or "unknown") == reads


PLACES = ("a", "b.txt", "d", "d/a", "d/e", "d/e/c.py", "d/new.py", "new", "new/x", "run.sh", "to-d", "to-d/a", "d/up")
COMMANDS = (
    "cat {0}",
    "test -f {0} && test ! -e {1}",
    "test -x {0} || ls {1}",
    "ls -a {0}",
    "ls -F {0}; readlink {1}",
    "cd {0} && ls .. && cat a",
    "find {0} -name '*.py' -o -type l",
    "find . -path ./.git -prune -o -name 'n*' -print",
    "grep -rh one {0} {1}",
    "set -- {0}/*; echo $#",
    ". ./{0}; cat {1}",
    "./{0}; echo $?",
    "git ls-files {0}",
    "git ls-files -o -- {0}; git ls-files '*.py'",
    "git grep -l one -- {0}",
    "ln -s {0} made; cat made/a made; test -e made/new.py",
    "cp -r {0} copy && cat copy/a copy/e/c.py",
    "mv {0} moved && cat moved/a moved/c.py",
    "mkdir {0} && touch {0}/x; ls {0}",
    "(cd d && cat e/c.py) & wait; cat {0} | wc -l",
    PYTHON + " 'print(open(\"{0}\").read())'",
    PYTHON + ' \'import os; print(sorted(os.listdir("{0}")), os.path.exists("{1}"))\'',
    PYTHON + " 'import sys; sys.path.insert(0, \"{0}\"); import c; print(c.X)'",
    PYTHON + " 'import glob; print(sorted(glob.glob(\"{0}/**/*.py\", recursive=True)))'",
    """PYTHON 'print(open("{0}").read())'""",
    """PYTHON 'import os; print(sorted(os.listdir("{0}")), os.path.exists("{1}"))'""",
    """PYTHON 'import sys; sys.path.insert(0, "{0}"); import c; print(c.X)'""",
    """PYTHON 'import glob; print(sorted(glob.glob("{0}/**/*.py", recursive=True)))'""",
    """PYTHON 'import os, _thread, time; _thread.start_new_thread(os.chdir, ("d",)); time.sleep(0.1); open("a")'""",
)


@st.composite
def changes(draw):
    """The files, and what became of them: one or two are other, new, gone, or stand where a folder was."""
    files = dict(FILES)
    for place in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=2, unique=True)):
        text = draw(st.sampled_from([None, *TEXTS]))
        gone = [path for path in files if path == place or path.startswith(f"{place}/") or place.startswith(f"{path}/")]
        for path in gone:
            del files[path]
        if text is not None:
            files[place] = text
    return files


@settings(max_examples=15)
@given(
    command=st.sampled_from(COMMANDS),
    words=st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES)),
    changed=changes(),
)
def test_an_answer_never_changes_unless_the_digest_does(command, words, changed):
    line, strace = command.format(*words).replace("PYTHON", PYTHON), shutil.which("strace") or ""
    before, after = Code(FILES), Code(changed)

    said, seen = answer(before, line, strace=strace)

    if seen is None or not seen.text:
        return  # the whole tree
    if before.places.digest(seen.text, ()) == after.places.digest(seen.text, ()):
        assert answer(after, line)[0] == said
