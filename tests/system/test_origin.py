"""Where gitmem came from: what an installer recorded becomes what a forge installs, or a reason why not."""

from __future__ import annotations

import json
import shlex
import sys

from support.each import each

from gitmem.commands.install.ci_files import need_pinned
from gitmem.system.origin import extra_hint, find_origin, of_extra, parse_record

URL, COMMIT, HASH = "https://git.example.org/tools/gitmem", "1234567890" * 4, "ab" * 32


def record(url: str, **info: object) -> str:
    return json.dumps({"url": url, **info})


@each(
    ("message", "package"),
    [
        (record(URL, vcs_info={"vcs": "git", "commit_id": COMMIT}), f"git+{URL}@{COMMIT}"),
        (record(f"{URL}.tar.gz", archive_info={"hashes": {"sha256": HASH}}), f"{URL}.tar.gz#sha256={HASH}"),
        (record(f"{URL}.tar.gz", archive_info={"hash": f"sha256={HASH}"}), f"{URL}.tar.gz#sha256={HASH}"),
    ],
)
def test_commit_or_hash_is_what_a_forge_installs(message: str, package: str) -> None:
    need_pinned(package)

    assert parse_record(message).package == package


@each(
    ("message", "reason"),
    [
        (None, "from a package index"),
        ("{", "from a package index"),
        ("[]", "from a package index"),
        (record("file:///home/ana/gitmem", dir_info={"editable": True}), "from file:///home/ana/gitmem"),
        (record("ssh://git@example.org/x", vcs_info={"vcs": "git", "commit_id": COMMIT}), "from ssh://example.org/x"),
        (
            record("https://ana:t0k3n@example.org/x", vcs_info={"vcs": "git", "commit_id": COMMIT}),
            "https://example.org",
        ),
        (record(URL, vcs_info={"vcs": "hg", "commit_id": COMMIT}), "neither a git commit nor a hash"),
        (record(f"{URL}.tar.gz", archive_info={"hash": f"md5={HASH}"}), "neither a git commit nor a hash"),
    ],
)
def test_what_a_forge_cannot_fetch_again_has_a_reason(message: str | None, reason: str) -> None:
    found = parse_record(message)

    assert found.package == ""
    assert reason in found.reason
    assert "t0k3n" not in found.reason


def test_this_gitmem_has_one_or_the_other() -> None:
    found = find_origin()

    assert bool(found.package) != bool(found.reason)


def test_hint_for_an_extra_installs_published_packages_beside_the_running_gitmem() -> None:
    words = shlex.split(extra_hint("mcp"))

    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    assert [word.rstrip("<>=,.0123456789") for word in words[4:]] == ["mcp"]


def test_only_requirements_of_the_extra_are_named() -> None:
    lines = ["PyYAML>=6", "mcp<3,>=2.3 ; extra == 'mcp'", 'numpy>=1.26; extra == "http"']

    assert of_extra(lines, "mcp") == ["mcp<3,>=2.3"]
    assert of_extra(lines, "none") == []
