"""One note on a merge request of GitLab, by its REST calls; strangers' notes are neither edited nor trusted."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support.forge_server import TOKEN, Handler, Hub

from gitmem.errors import ConfigError
from gitmem.git.forges.client import Forge
from gitmem.plugins.forge.note import gitlab_place, keep
from gitmem.verify.overview.notice.document import LISTS

SIGN = "<!-- gitmem comment check -->"


class GitLab(Handler):
    """What GitLab answers about the notes of one merge request."""

    def _route(self, path: str, body: Any) -> tuple[int, dict[str, str], Any]:
        notes, asked = self.server.comments, f"{self.command} {path}"
        if asked == "GET /api/v4/user":
            return 200, {}, {"username": "project_1_bot"}
        if asked == "GET /api/v4/projects/1/merge_requests/12/notes":
            return self._page(notes, {"page": "1"})
        if asked == "POST /api/v4/projects/1/merge_requests/12/notes":
            notes.append({"id": len(notes) + 1, "body": body["body"], "author": {"username": "project_1_bot"}})
            return 201, {}, notes[-1]
        if match := re.fullmatch(r"PUT /api/v4/projects/1/merge_requests/12/notes/(\d+)", asked):
            return self._change(notes, "id", int(match[1]), body)
        return 404, {}, {"message": "404 Not found"}

    do_PUT = Handler.do_GET


@pytest.fixture
def gitlab(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Hub:
    hub.RequestHandlerClass = GitLab
    project = "https://gitlab.example/acme/shop"
    values = {"CI_API_V4_URL": f"{hub.address}/api/v4", "CI_PROJECT_ID": "2", "CI_MERGE_REQUEST_PROJECT_ID": "1"}
    values |= {
        "CI_MERGE_REQUEST_IID": "12",
        "CI_MERGE_REQUEST_PROJECT_URL": project,
        "CI_JOB_URL": f"{project}/-/jobs/7",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return hub


def tell(*keys: str) -> str:
    broken = [{"key": key, "title": f"Title of {key}", "changed": [{"path": "a.py", "line": 3}]} for key in keys]
    text = json.dumps({name: [] for name in LISTS} | {"newly_false": broken, "head": "a" * 40})
    return keep(Forge(gitlab_place(), TOKEN, sleep=lambda _: None), "check", text)


def test_note_is_created_once_and_then_updated(gitlab: Hub) -> None:
    assert [tell(), tell("port"), tell("port"), tell()] == ["none", "created", "unchanged", "updated"]
    assert len(gitlab.comments) == 1
    assert "This change makes no fact false" in gitlab.comments[0]["body"]


def test_links_are_gitlab_s_and_a_stranger_s_note_stays(gitlab: Hub) -> None:
    gitlab.comments.append({"id": 1, "body": f"{SIGN}\nAll is well", "author": {"username": "mallory"}})

    tell("port")

    assert gitlab.comments[0]["body"] == f"{SIGN}\nAll is well"
    assert f"(https://gitlab.example/acme/shop/-/blob/{'a' * 40}/a.py#L3)" in gitlab.comments[1]["body"]


def test_branch_pipeline_knows_its_merge_request_by_another_variable(
    gitlab: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI_MERGE_REQUEST_IID")
    with pytest.raises(ConfigError, match="no merge request is open"):
        gitlab_place()
    monkeypatch.setenv("CI_OPEN_MERGE_REQUESTS", "acme/shop!12,acme/shop!13")

    assert gitlab_place().api.endswith("/projects/1/merge_requests/12")
