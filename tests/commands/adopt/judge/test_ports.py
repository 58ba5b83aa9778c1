"""Ports of real repositories."""

import pytest
from conftest import commit_files

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def judged(repo, verdict):
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), ["AGENTS.md"], kinds=("value",))
    return [(one.claim.stated, one.source.where, one.source.actual) for one in adoption.of(verdict)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("compose.yml", '      - "8000:80"'),
        ("Dockerfile", "EXPOSE 8000"),
        ("src/a.py", "app.run(port=8000)"),
        ("src/b.py", 'PORT = int(os.environ.get("PORT", "8000"))'),
        ("src/c.ts", "const port = process.env.PORT || 8000;"),
        ("src/d.ts", "server.listen(8000)"),
        ("src/e.go", 'http.ListenAndServe(":8000", nil)'),
        ("package.json", '{"scripts": {"dev": "vite --port 8000"}}'),
    ],
)
def test_port_is_read_where_it_is_opened_and_false_once_it_is_another(repo, path, line):
    commit_files(repo, {"AGENTS.md": "- The API is at http://localhost:8000/docs\n", path: f"{line}\n"})
    assert judged(repo, HOLDS) == [("8000", f"{path}:1", "8000")]

    commit_files(repo, {path: f"{line}\n".replace("8000", "9000")})

    assert [(stated, where) for stated, where, _ in judged(repo, FALSE)] == [("8000", f"{path}:1")]


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("- Open port 8000", "limit = 8000\n", "limit = 9000\n"),
        ("- Redis is at localhost:6379", "redis = 'localhost:6379'\n", "redis = url()\n"),
        ("- Open port 8000", "# port 9000\n", "port = 9000\n"),
    ],
)
def test_number_that_was_no_port_and_a_server_of_other_people_are_not_judged(repo, text, before, after):
    commit_files(repo, {"AGENTS.md": f"{text}\n", "src/a.py": before})
    commit_files(repo, {"src/a.py": after})

    assert judged(repo, FALSE) == judged(repo, NEVER) == []


def test_usual_port_of_a_listed_program_stays_though_nothing_names_it(repo):
    commit_files(
        repo,
        {
            "AGENTS.md": "- The site is at localhost:5173\n",
            "package.json": '{"scripts": {"dev": "vite --port 5173"}, "devDependencies": {"vite": "^7"}}\n',
        },
    )
    commit_files(repo, {"package.json": '{"scripts": {"dev": "vite"}, "devDependencies": {"vite": "^7"}}\n'})

    assert judged(repo, FALSE) == []


def test_port_written_with_a_sign_between_its_thousands_is_the_same(repo):
    commit_files(repo, {"AGENTS.md": "- The API listens on port 4100\n", "src/a.ts": "const PORT = 4100\n"})
    commit_files(repo, {"src/a.ts": "const PORT = 4_100\n"})

    assert judged(repo, HOLDS) == [("4100", "src/a.ts:1", "4100")]


def test_port_in_a_comment_proves_nothing(repo):
    commit_files(repo, {"AGENTS.md": "- The sample opens localhost:8000\n", "a.yml": "  #  PORT: 8000\n"})

    assert judged(repo, HOLDS) == []


def test_port_of_another_part_proves_nothing_and_accuses_nobody(repo):
    text = "- The docs are at localhost:8000\n- The gateway listens on port 4100\n"
    files = {
        "AGENTS.md": text,
        "plugins/by-name/preview/a.nix": "port = 8000;\n",
        "services/gateway/src/a.ts": "port: 4100\n",
    }
    commit_files(repo, files | {"examples/b/vite.ts": "port: 8000\n"})
    assert judged(repo, HOLDS) == [("4100", "services/gateway/src/a.ts:1", "4100")]

    commit_files(repo, {"plugins/by-name/preview/a.nix": "port = 9000;\n", "examples/b/vite.ts": "port: 9000\n"})

    assert judged(repo, FALSE) == []


def test_port_that_nothing_declares_any_more_is_not_false(repo):
    commit_files(repo, {"AGENTS.md": "- The debugger uses port 9003\n", "docker/debug.ini": "port = 9003\n"})
    commit_files(repo, {"docker/debug.ini": "image = x\n"})
    assert judged(repo, FALSE) == []

    (repo / "docker/debug.ini").unlink()
    commit_files(repo, {"a.py": ""})

    assert judged(repo, FALSE) == []


def test_several_ports_of_now_are_named(repo):
    commit_files(repo, {"AGENTS.md": "- Open port 8000\n", "a.yml": "port: 8000\n"})
    commit_files(repo, {"a.yml": "port: 9000\nport: 9001\n"})

    assert judged(repo, FALSE) == [("8000", "a.yml:1", "9000 and 9001")]


def test_file_that_a_sentence_names_decides_its_port(repo):
    said = "- The cache is on port 6379 (`compose.yml`).\n- The store is on port 6390 (`compose.yml`).\n"
    compose = "services:\n  cache:\n    ports:\n      - 6379:6379\n"
    commit_files(repo, {"AGENTS.md": said, "compose.yml": compose, "src/a.py": "PORT = 6390\n"})

    assert judged(repo, HOLDS) == [("6379", "compose.yml:4", "6379")]
    assert judged(repo, NEVER) == [("6390", "compose.yml:4", "6379")]


def test_named_file_that_has_the_port_in_another_way_or_a_usual_one_is_not_held_against_it(repo):
    said = "- `a.js` exposes metrics on port 9464.\n\n- Behind the proxy, `a.js` is on port 443.\n\n"
    said += "- `a.js` gets a port, e.g. port 28311.\n- When port 3000 is taken, change `a.js`.\n"
    commit_files(repo, {"AGENTS.md": said, "a.js": "const PORT = 4100;\nconst metrics = 9464;\n"})

    assert judged(repo, NEVER) == []
