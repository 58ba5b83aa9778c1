"""The verbs of ``gitmem forge`` as the script of a workflow's job runs them: whole processes, and the token nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.console import GITMEM, environment, run
from support.forge_server import COMMIT, TOKEN, pull, serving


@pytest.mark.whole_system
def test_a_job_tells_the_forge_and_its_log_never_has_the_token(tmp_path: Path, repo: Path) -> None:
    page, empty = tmp_path / "page.md", tmp_path / "elsewhere"
    page.write_text("**hello** @bob\n::error::x\n")
    empty.mkdir()
    comment = ["forge", "comment", "--kind", "check", "--commit", COMMIT]
    with serving() as hub:
        hub.pulls = [pull(12, repo="mallory/shop")]
        env = environment(**hub.environment(GITHUB_ACTIONS="true"))

        def gitmem(*words: str, cwd: Path = repo, **options: str):
            return run([str(GITMEM), *words], cwd, env=env, **options)

        run([str(GITMEM), "init"], repo)
        done = [
            gitmem(*comment, str(page), cwd=empty),  # a job that comments has no clone
            gitmem(*comment, "-", cwd=empty, input="**hello** @bob\n::error::x\n"),
            gitmem("forge", "issue"),
            gitmem("forge", "pull", "--head", "gitmem/verify"),
        ]
        dry = gitmem(*comment, "--dry-run", str(page))
        hub.plan("GET /pulls", (403, {}, {"message": f"no {TOKEN}"}))
        refused = gitmem("forge", "pull", "--head", "x")

    assert [(one.status, one.out) for one in done] == [
        (0, f"{hub.comments[0]['html_url']}\n"),
        (0, f"{hub.comments[0]['html_url']}\n"),
        (0, ""),
        (0, f"{hub.pulls[1]['html_url']}\n"),
    ]
    assert hub.writes() == ["POST /issues/12/comments", "POST /pulls"]
    assert "**hello** @&#8203;bob\n" in hub.comments[0]["body"]
    assert not any(line.startswith("::") for line in dry.out.split("\n"))
    assert refused.status == 3
    assert "the forge refused GET /repos/acme/shop/pulls (403): no ***" in refused.err
    assert all(TOKEN not in one.out + one.err for one in (*done, dry, refused))
    assert hub.headers[0]["authorization"] == f"Bearer {TOKEN}"
