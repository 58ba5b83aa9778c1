"""The file of known false statements."""

import pytest
from support.each import each

from gitmem.commands.adopt.baseline import format_baseline, list_entries, list_gone, mark_known, parse_baseline
from gitmem.commands.adopt.claims.claim import PATH, VERSION, Claim
from gitmem.commands.adopt.documents import GUIDE, Document
from gitmem.commands.adopt.findings import FALSE, HOLDS, KNOWN, Adoption, JudgedClaim, Mention
from gitmem.commands.adopt.statements import split
from gitmem.errors import UsageError

(STATEMENT,) = split("- text\n")


def finding(path, kind, token, stated="", *, line=1, verdict=FALSE):
    claim = Claim(kind, line, token, token, stated)
    return JudgedClaim(Mention(Document(path, GUIDE, ""), STATEMENT, claim), verdict)


def adoption(*findings):
    documents = list(dict.fromkeys(one.document for one in findings))
    return Adoption("c" * 40, documents, findings, [])


def test_file_is_sorted_without_line_numbers_and_is_read_back():
    found = adoption(
        finding("b.md", PATH, '说明\u202e\\"x'),
        finding("a.md", VERSION, "Go 1.24+", "1.24", line=9),
        finding("a.md", VERSION, "Go 1.24+", "1.24", line=7),
        finding("a.md", PATH, "holds.py", verdict=HOLDS),
        finding("odd\udcff.md", PATH, "x"),
    )

    text = format_baseline(list_entries(found))

    assert text.split("\n")[0] == '{"document": "a.md", "kind": "version", "token": "Go 1.24+", "stated": "1.24"}'
    assert (text.count("\n"), "说明" in text, "\u202e" in text) == (3, True, False)
    written = text.encode("utf-8", "backslashreplace").decode()
    assert parse_baseline(f"\n{written}", "f") == list_entries(found)


OTHERS = (
    *("{", "[]", "3", "known", "[" * 9999, "<<<<<<< HEAD", '{"document": "a.md"}'),
    '{"document": "a", "kind": "path", "token": 3, "stated": ""}',
    '{"document": "a", "kind": "path", "token": "x", "stated": "", "line": "3"}',
)


@each("line", OTHERS)
def test_line_that_is_no_entry_is_refused(line):
    good = format_baseline([("a.md", PATH, "x", "")])

    with pytest.raises(UsageError, match=r"^known\.jsonl:2 is not an entry of a baseline"):
        parse_baseline(good + line, "known.jsonl")


def test_listed_statement_is_known_wherever_it_moved_and_another_value_is_not():
    found = adoption(
        finding("a.md", VERSION, "Go 1.24+", "1.24", line=70),
        finding("a.md", VERSION, "Go 1.23+", "1.23"),
        finding("b.md", VERSION, "Go 1.24+", "1.24"),
    )

    marked = mark_known(found, {("a.md", VERSION, "Go 1.24+", "1.24")})

    assert [one.verdict for one in marked.findings] == [KNOWN, FALSE, FALSE]


def test_entries_are_gone_only_if_their_documents_were_read():
    known, corrected, unread = (("a.md", PATH, "x", ""), ("a.md", PATH, "y", ""), ("b.md", PATH, "x", ""))
    found = mark_known(adoption(finding("a.md", PATH, "x")), {known})

    assert list_gone(found, [unread, known, corrected], is_complete=False) == [corrected]
    assert list_gone(found, [unread, known, corrected], is_complete=True) == [corrected, unread]
