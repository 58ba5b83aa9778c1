"""The memory for each kind of statement."""

from support.each import each

from gitmem.commands.adopt.documents import GUIDE, INSTRUCTIONS, Document
from gitmem.commands.adopt.memories import TITLE_LIMIT, hash_of, rule_kind, title_of, title_of_check
from gitmem.commands.adopt.statements import split

RULES = [
    ("- Never commit a file with secrets", "convention"),
    ("- You **must** run the migration before a release", "convention"),
    ("- Write to the log. (We never print.)", "convention"),
    ("- Secrets are *never* logged, also not in tests", "convention"),
    ("- Run the formatter, and don't edit its output", "convention"),
    ("- `make fmt` (all files) Don't run it alone", "convention"),
    ("- Prefer composition over inheritance", "convention"),
    ("- Please avoid global state in the services", "convention"),
    ("- Use `pnpm`, not `npm`, in this repository", "convention"),
    ("- Errors should be wrapped with `%w`", "convention"),
    ("- Log with `log`; `print` is forbidden in scripts", "convention"),
    ("- Pull requests without tests will not be merged", "convention"),
    ("- Only maintainers may merge to `release`", "convention"),
    ("- Flags have to be removed after two releases", "convention"),
    ("- The cache is always warm after a request", ""),
    ("- The parser must have been called by the runtime", ""),
    ("- Users must have a verified address to see it", ""),
    ("- Do not worry if the first build takes long", ""),
    ("- Never used this framework before?", ""),
    ("- You should be able to see the page", ""),
    ("- Make sure you have Python 3.11 installed", ""),
    ("- Keep in mind that the build takes long", ""),
    ("- Old releases should still work with it", ""),
    ("- Use composition over inheritance in new code", "convention"),
    ("- Use `const` over `let` where it works", "convention"),
    ("- Changes to old releases will not be accepted", "convention"),
    ("- Keep functions small: one thing for each", "convention"),
    ("- Use the slider to move over the map", ""),
    ("- Use Ctrl+K to hover over a cell", ""),
    ("- Use this page over the next days", ""),
    ("- Keep: number of backups to store", ""),
    ("- **Avoid**: list of hosts to leave out", ""),
    ("- Keep-alive: seconds until it is closed", ""),
    ("- Ensure is a keyword in Ruby", ""),
    ("- Over time it will not be accepted by old clients", ""),
    ("- Test the examples so that they don't go stale", ""),
    ("- The check complains if they do not match", ""),
    ("- A link from one page doesn't always mean one back", ""),
    ("- You do not need to rebuild after an edit", ""),
    ("- The cache never grows, and we don't know why", ""),
    ("- Warning: the cache keeps old tokens for a day", "gotcha"),
    ("- The service reads its settings at start", ""),
    ("- Always do this:", ""),
    ("- Never this", ""),
    ("| Never | commit a file with secrets |", ""),
    ("```sh\necho never commit a file with secrets\n```", ""),
]


@each(("text", "kind"), RULES)
def test_clear_rules_alone_become_memories(text, kind):
    document = Document("AGENTS.md", INSTRUCTIONS, "")

    assert [rule_kind(document, one) for one in split(text)] == [kind]


def test_rules_are_not_imported_from_a_readme():
    (statement,) = split(RULES[0][0])

    assert rule_kind(Document("README.md", GUIDE, ""), statement) == ""
    assert rule_kind(Document("CONTRIBUTING.md", GUIDE, ""), statement) == "convention"


@each(
    ("text", "title"),
    [
        ("- [ ] **Language:** Go", "Language: Go"),
        ("│   ├── tools/   # Tools", "tools/ # Tools"),
        ("| `a` | 3 |", "`a` | 3"),
        ("> 1. Go", "Go"),
        ("--fix corrects", "--fix corrects"),
    ],
)
def test_title_is_the_sentence_without_marks(text, title):
    assert title_of(text) == title


def test_long_title_is_cut():
    assert len(title_of("word " * 100)) <= TITLE_LIMIT


def test_sentence_is_recognised_however_it_is_wrapped():
    assert hash_of("a  b\n c") == hash_of("a b c") != hash_of("a b d")


@each(
    ("check", "title"),
    [
        ({"matches": r"^\s+db:", "in": "compose.yml"}, r"`compose.yml` matches `^\s+db:`"),
        ({"lacks": '"react"', "in": "package.json"}, '`"react"` does not occur in `package.json`'),
    ],
)
def test_title_says_what_a_check_of_a_file_proves(check, title):
    assert title_of_check(check) == title
