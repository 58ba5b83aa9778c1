"""A small Python library with 39 facts, two memories that require them, and branches that change it in many ways."""

from __future__ import annotations

from pathlib import Path

from conftest import NOW, git, put_files
from support.facts import make_fact, make_memory, tracked

CODE = {
    "pyproject.toml": '[project]\nname = "courier"\nversion = "1.4.0"\nrequires-python = ">=3.10"\n'
    'dependencies = ["httpx>=0.27,<0.28"]\n\n[tool.ruff]\nline-length = 100\n',
    "README.md": "# Courier\n\nSends parcels.\n",
    "docs/guide.md": "# Guide\n\nCreate a Client.\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.4.0\n\nFaster.\n",
    "LICENSE": "MIT\n",
    "Dockerfile": "FROM python:3.12\nEXPOSE 8080\n",
    "Makefile": "ports:\n\tgrep -q 'PORT = 8080' src/courier/server.py\n\nlint:\n\t! grep -rn 'print(' src\n",
    "scripts/imports.py": "import pathlib, sys\n"
    "sys.exit(any('import requests' in p.read_text() for p in pathlib.Path('src').rglob('*.py')))\n",
    "scripts/changelog.sh": "version=$(sed -n 's/^version = \"\\(.*\\)\"/\\1/p' pyproject.toml)\n"
    'grep -q "^## $version" CHANGELOG.md\n',
    "scripts/size.sh": "test $(find src -name '*.py' | wc -l) -lt 50\n",
    "src/courier/__init__.py": '__version__ = "1.4.0"\n',
    "src/courier/client.py": "import httpx\n\n\nclass Client:\n    def __init__(self, timeout=5):\n"
    "        self.timeout = timeout\n\n    def send(self, url):\n        return httpx.get(url, timeout=self.timeout)\n",
    "src/courier/retry.py": "RETRIES = 3\n\n\ndef backoff(attempt):\n    return 2**attempt\n",
    "src/courier/server.py": "PORT = 8080\n\n\nclass Server:\n    port = PORT\n",
    "src/courier/auth.py": 'ALGORITHM = "RS256"\n\n\ndef sign(claims):\n    return claims\n',
    "src/courier/py.typed": "",
    "tests/test_client.py": "def test_client():\n    assert True\n",
    "tests/test_retry.py": "def test_retry():\n    assert True\n",
    ".github/workflows/ci.yml": 'jobs:\n  test:\n    python: ["3.10", "3.11", "3.12"]\n    run: make lint\n',
    ".github/workflows/gitmem-check.yml": "jobs:\n  check:\n    run: gitmem check --base main\n",
    ".github/gitmem-approved": f"{'1' * 64}  ports  make ports\n",
    # A fact of the code tree that is false already.
    **tracked(make_fact("kafka", {"contains": "kafka", "in": "src/**"}, title="Events go through kafka")),
}
CLIENT, RETRY, SERVER, AUTH = (f"src/courier/{name}.py" for name in ("client", "retry", "server", "auth"))
CI = ".github/workflows/ci.yml"
CHECKS = {
    "client-class": {"symbol": "Client", "in": CLIENT},
    "client-file": {"exists": CLIENT},
    "client-sends": {"symbol": "Client.send", "in": CLIENT},
    "timeout-default": {"contains": "timeout=5", "in": CLIENT},
    "timeout-exact": {"matches": "timeout=5\\b", "in": CLIENT},
    "retry-file": {"exists": RETRY},
    "retry-count": {"contains": "RETRIES = 3", "in": RETRY},
    "backoff": {"symbol": "backoff", "in": RETRY},
    "backoff-doubles": {"contains": "2**attempt", "in": RETRY},
    "retry-constant": {"symbol": "RETRIES", "in": RETRY},
    "port-code": {"contains": "PORT = 8080", "in": SERVER},
    "port-docker": {"contains": "EXPOSE 8080", "in": "Dockerfile"},
    "server-class": {"symbol": "Server", "in": SERVER},
    "alg": {"contains": "RS256", "in": AUTH},
    "no-hs256": {"lacks": "HS256", "in": "src/**"},
    "sign": {"symbol": "sign", "in": AUTH},
    "python-floor": {"value": "pyproject.toml#project.requires-python", "is": ">=3.10"},
    "ci-floor": {"contains": '"3.10"', "in": CI},
    "ci-lints": {"contains": "make lint", "in": CI},
    "ci-file": {"exists": CI},
    "httpx-range": {"contains": "httpx>=0.27,<0.28", "in": "pyproject.toml"},
    "httpx-used": {"contains": "import httpx", "in": "src/courier/*.py"},
    "no-requests": {"lacks": "import requests", "in": "src/**"},
    "name": {"value": "pyproject.toml#project.name", "is": "courier"},
    "line-length": {"value": "pyproject.toml#tool.ruff.line-length", "is": "100"},
    "docker-python": {"contains": "python:3.12", "in": "Dockerfile"},
    "tests-client": {"exists": "tests/test_client.py"},
    "tests-retry": {"exists": "tests/test_retry.py"},
    "readme": {"exists": "README.md"},
    "guide": {"exists": "docs/guide.md"},
    "license": {"contains": "MIT", "in": "LICENSE"},
    "typed": {"exists": "src/courier/py.typed"},
}
COMMANDS = {
    "ports": ("make ports", ["src/**", "Makefile"]),
    "imports": ("python3 scripts/imports.py", ["src/**", "scripts/*"]),
    "lint": ("make lint", ["src/**", "Makefile"]),
    "changelog": ("sh scripts/changelog.sh", ["pyproject.toml", "CHANGELOG.md", "scripts/*"]),
    "size": ("sh scripts/size.sh", ["src/**", "scripts/*"]),
    "stub": ("test -f src/courier/py.typed", ["src/**"]),
    # Nothing is known of what it reads, and it waits for approval.
    "waits": ("test -f README.md", []),
}
WAITING = "waits"


def facts() -> dict[str, str]:
    """Return the files of the memory branch."""
    found: dict[str, str] = {}
    for key, check in CHECKS.items():
        found |= make_fact(key, check, title=f"Fact {key.replace('-', ' ')}", by={"who": "ana"})
    for key, (command, paths) in COMMANDS.items():
        found |= make_fact(key, command, title=f"Fact {key}", by={"who": "ana"}, **({"paths": paths} if paths else {}))
    found |= make_memory("gateway", "The gateway listens where the server does", requires=["ports"])
    return found | make_memory("tokens", "Tokens are checked by their keys", "See the vault.", requires=["alg"])


def branches(
    folder: Path, changes: dict[str, dict[str, str | None]], *, parent: str, author: str = "Ana <ana@example.org>"
) -> None:
    """Make a branch ``row/NAME`` for each change of files, by one process; None deletes, ``-> TARGET`` is a link."""
    stream = []
    for name, files in changes.items():
        stream.append(f"commit refs/heads/row/{name}\ncommitter {author} {NOW} +0000\ndata 3\nrow\nfrom {parent}\n")
        for path, content in files.items():
            if content is None:
                stream.append(f"D {path}\n")
                continue
            mode = "120000" if content.startswith("-> ") else "100644"
            data = content.removeprefix("-> ")
            stream.append(f"M {mode} inline {path}\ndata {len(data.encode())}\n{data}\n")
    git(folder, "fast-import", "--quiet", "--date-format=raw", input="".join(stream).encode())


def edited(path: str, old: str, new: str, text: str = "") -> dict[str, str]:
    """Return a file of the library, or a text, with one part replaced."""
    whole = text or CODE[path]
    assert old in whole
    return {path: whole.replace(old, new)}


def make_library(folder: Path) -> None:
    """Write the library with its memory into a repository that has a branch main and a store."""
    stream = ["commit refs/heads/main\ncommitter Ana <ana@example.org> 1790000000 +0000\ndata 7\nlibrary\n"]
    stream += [f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n" for path, text in CODE.items()]
    git(folder, "fast-import", "--quiet", "--date-format=raw", "--force", input="".join(stream).encode())
    git(folder, "reset", "-q", "--hard", "main")
    put_files(folder, facts())
