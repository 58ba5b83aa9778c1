"""Which of many names occur in texts."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.vocabulary import Occurrences, Vocabulary
from gitmem.git import Git
from gitmem.git.repository import discover

NAMES = (b"auto_push", b"dry-run", b"@scope/name", b"caf\xc3\xa9", b"Store.open", b"Store.close", b"->")


@each("more", [0, 1000], ids=["few names", "many names"])
@each(
    ("text", "found"),
    [
        (b"x = auto_push(1)", {b"auto_push"}),
        (b"auto_push2 my_auto_push", set()),
        (b"--dry-run", {b"dry-run"}),
        (b"dry-runs or-dry-run dry run", {b"dry-run"}),
        (b"dry-runs", set()),
        (b'"@scope/name/x"', {b"@scope/name"}),
        (b"Store.open() Store close", {b"Store.open"}),
        (b"a -> b", {b"->"}),
        (b"un caf\xc3\xa9", {b"caf\xc3\xa9"}),
        (b"", set()),
    ],
)
def test_only_whole_names_are_found(text, found, more):
    assert Vocabulary((*NAMES, *(b"other%d" % at for at in range(more)))).in_text(text) == found


def test_discarded_name_is_not_found():
    names = Vocabulary((b"one", b"two", b"one.two"))
    assert names.in_text(b"one.two") == {b"one", b"two", b"one.two"}

    names.discard(b"one")
    names.discard(b"one.two")

    assert names.in_text(b"one.two") == {b"two"}
    assert len(names) == 1


def test_text_is_searched_again_for_words_that_are_expected_later(repo):
    commit_files(repo, {"a.py": "first = second\n", "b.bin": "first\0", "c.py": "first\n" * 200_000})
    git = Git(discover(repo))
    oids = {path: oid for _, oid, path in git.list_paths("HEAD")}
    texts = Occurrences(git)

    texts.expect(["first"])
    texts.read(set(oids.values()))
    assert texts.having(["first", "second"]) == {oids["a.py"]}, "neither binary nor large files count"

    texts.expect(["second"])
    texts.read({oids["a.py"]})
    assert texts.having(["second"]) == {oids["a.py"]}
