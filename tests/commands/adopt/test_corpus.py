"""One pass through the code: which names occur, and where others may be defined."""

from conftest import commit_files

from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.corpus import search
from gitmem.git import Git
from gitmem.git.repository import discover


def test_whole_words_are_found_in_code_and_not_in_documents(repo):
    files = {"src/a.py": "auto_push = 1\nLONGER_NAME = 2\n", "src/b.yml": "auto-push: 2\n", "notes.md": "only_here\n",
             "LICENSE": "only_here\n"}  # fmt: skip
    code = Code(Git(discover(repo)), commit_files(repo, files))

    found = search(
        code, ["auto_push", "NAME", "only_here"], {"push": ["auto_push", "auto-push"]}, progress=lambda *_: None
    )

    assert found.present == {"auto_push": "src/a.py"}
    assert sorted(found.files_by_name["push"]) == ["src/a.py", "src/b.yml"]


def test_name_that_code_has_is_not_looked_for_in_data(repo):
    code = Code(
        Git(discover(repo)),
        commit_files(
            repo,
            {
                ".gitignore": "sign_claims.log\n",
                ".log/old.jsonl": '{"text": "sign_claims"}\n',
                "src/a.py": "def sign_claims(): ...\n",
            },
        ),
    )

    found = search(code, ["sign_claims"], {}, progress=lambda *_: None)

    assert found.present == {"sign_claims": "src/a.py"}
