"""The link is made from the remote's URL, for every forge and form, without secrets."""

from __future__ import annotations

from support.each import each

from gitmem.commands.propose.link import link

GITHUB = "https://github.com/ana/service/compare/memory...gitmem/auth?expand=1"
QUERY = "merge_request%5Bsource_branch%5D=gitmem%2Fauth&merge_request%5Btarget_branch%5D=memory"
GITLAB = f"https://gitlab.com/team/sub/service/-/merge_requests/new?{QUERY}"
CLOUD = "https://bitbucket.org/team/service/pull-requests/new?source=gitmem%2Fauth&dest=memory"
CENTER = "create&sourceBranch=refs%2Fheads%2Fgitmem%2Fauth&targetBranch=refs%2Fheads%2Fmemory"


@each(
    ("url", "page"),
    [
        ("https://github.com/ana/service.git", GITHUB),
        ("https://github.com/ana/service/", GITHUB),
        ("https://ana:ghp_secret@github.com/ana/service.git", GITHUB),
        ("https://x-access-token:secret@GitHub.com:443/ana/service", GITHUB.replace(".com", ".com:443")),
        ("git@github.com:ana/service.git", GITHUB),
        ("github.com:ana/service", GITHUB),
        ("ssh://git@github.com/ana/service.git", GITHUB),
        ("ssh://git@ssh.github.com:443/ana/service.git", GITHUB),
        ("git://github.com/ana/service.git", GITHUB),
        ("git@github.example.org:ana/service.git", GITHUB.replace("github.com", "github.example.org")),
        ("http://github.local:8080/ana/service", GITHUB.replace("https://github.com", "http://github.local:8080")),
        ("git@gitlab.com:team/sub/service.git", GITLAB),
        ("https://oauth2:glpat-secret@gitlab.com/team/sub/service.git", GITLAB),
        ("ssh://git@gitlab.example.org:2222/t/s.git", f"https://gitlab.example.org/t/s/-/merge_requests/new?{QUERY}"),
        ("git@codeberg.org:ana/service.git", "https://codeberg.org/ana/service/compare/memory...gitmem/auth"),
        ("https://gitea.local:3000/a/s.git", "https://gitea.local:3000/a/s/compare/memory...gitmem/auth"),
        ("ssh://forgejo@forgejo.local/a/s.git", "https://forgejo.local/a/s/compare/memory...gitmem/auth"),
        ("git@bitbucket.org:team/service.git", CLOUD),
        ("https://ana@bitbucket.org/team/service.git", CLOUD),
        (
            "ssh://git@bitbucket.local:7999/proj/service.git",
            f"https://bitbucket.local/projects/proj/repos/service/pull-requests?{CENTER}",
        ),
        (
            "https://bitbucket.local/scm/proj/service.git",
            f"https://bitbucket.local/projects/proj/repos/service/pull-requests?{CENTER}",
        ),
        (
            "ssh://git@bitbucket.local/~ana/service.git",
            f"https://bitbucket.local/users/ana/repos/service/pull-requests?{CENTER}",
        ),
        # What nothing can be told of: plain words are printed.
        ("https://git.example.org/ana/service.git", ""),
        ("git@github-work:ana/service.git", ""),
        ("/srv/git/service.git", ""),
        ("../hub.git", ""),
        ("file:///srv/github.com/ana/service.git", ""),
        ("C:/github.com/ana/service.git", ""),
        ("https://github.com/service.git", ""),
        ("https://github.com/a/../b", ""),
        ("https://github.com:bad/a/b", ""),
        ("https://github.com\x1b]0;x\x07.evil.org/a/b", ""),
        ("", ""),
    ],
)
def test_link_opens_a_pull_request_on_every_forge(url: str, page: str) -> None:
    assert link(url, branch="gitmem/auth", base="memory") == page


def test_odd_characters_in_path_and_branch_are_quoted() -> None:
    page = link("https://github.com/ana/a%20b\x1b?x#y", branch="gitmem/a", base="mem?ory")

    assert page == "https://github.com/ana/a%20b%1B/compare/mem%3Fory...gitmem/a?expand=1"
