"""Links lead to the forge's own pages and nowhere else, whatever a file is called."""

from __future__ import annotations

from support.each import each

from gitmem.verify.overview.notice.permalinks import Links, commits_of, files_of

CODE, MEMORY = "a" * 40, "b" * 40
SITE = "https://forge.example/acme/shop"


@each(
    ("form", "file", "commit"),
    [
        ("github", f"/blob/{CODE}/src/a%20b.py#L3", f"/commit/{CODE}"),
        ("gitlab", f"/-/blob/{CODE}/src/a%20b.py#L3", f"/-/commit/{CODE}"),
        ("forgejo", f"/src/commit/{CODE}/src/a%20b.py#L3", f"/commit/{CODE}"),
    ],
)
def test_each_forge_has_its_own_addresses(form: str, file: str, commit: str) -> None:
    links = Links(SITE, CODE, MEMORY, form)

    assert links.file("src/a b.py", 3) == f"[src/a b.py:3]({SITE}{file})"
    assert links.commit(CODE) == f"[`{CODE[:12]}`]({SITE}{commit})"
    assert f"{MEMORY}/facts/a.md" in links.file("facts/a.md", is_memory=True)


@each("path", ["../../x", "a//b", "/etc/passwd", "", ".", "a\x1bb"])
def test_path_out_of_the_repository_gets_no_link(path: str) -> None:
    assert "](" not in Links(SITE, CODE, MEMORY).file(path, 3)


def test_hostile_parts_stay_inside_the_link() -> None:
    shown = Links(SITE, CODE, MEMORY).file("a/b)](https:c.py", shown="x](https://evil.example)")

    assert shown.count("](") == 1
    assert "%29%5D%28https%3Ac.py" in shown


@each("commit", ["", "abc", "A" * 40, f"{CODE}/..", "-" * 40])
def test_text_that_is_not_a_commit_gets_no_link(commit: str) -> None:
    assert Links(SITE, CODE, MEMORY).commit(commit) == ""
    assert "](" not in Links(SITE, commit, commit).file("a.py")


def test_without_a_site_places_are_text() -> None:
    assert Links().file("a.py", 3) == "a.py:3"
    assert Links().commit(CODE) == f"`{CODE[:12]}`"


@each(
    ("url", "address"),
    [
        ("https://github.com/acme/app.git", "https://github.com/acme/app/commit/"),
        ("https://ana:t0k3n@github.com/acme/app", "https://github.com/acme/app/commit/"),
        ("git@github.com:acme/app.git", "https://github.com/acme/app/commit/"),
        ("ssh://git@gitlab.acme.org:2222/group/sub/app.git", "https://gitlab.acme.org/group/sub/app/-/commit/"),
        ("https://codeberg.org/acme/app/", "https://codeberg.org/acme/app/commit/"),
        ("/srv/git/app.git", ""),
        ("https://git.acme.org/acme/app", ""),
        ('https://github.com/acme/"><script>', ""),
        ("https://github.com/acme", ""),
    ],
)
def test_commits_of_a_remote_on_a_known_forge_have_an_address(url: str, address: str) -> None:
    assert commits_of(url) == address


@each(
    ("url", "address"),
    [
        ("git@github.com:acme/app.git", f"https://github.com/acme/app/blob/{CODE}/"),
        ("https://gitlab.acme.org/group/app.git", f"https://gitlab.acme.org/group/app/-/blob/{CODE}/"),
        ("https://codeberg.org/acme/app", f"https://codeberg.org/acme/app/src/commit/{CODE}/"),
        ("/srv/git/app.git", ""),
    ],
)
def test_files_of_a_commit_on_a_known_forge_have_an_address(url: str, address: str) -> None:
    assert files_of(url, CODE) == address
