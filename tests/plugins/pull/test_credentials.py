"""A token goes only to its host, and there are no prompts."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

from gitmem.errors import ConfigError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.plugins.pull.credentials import github_token, jira_token

API = "https://api.github.com"


@pytest.fixture(autouse=True)
def _no_tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GH_HOST", "GITHUB_API_URL", "JIRA_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("JIRA_EMAIL", "JIRA_API_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    # Where gh is installed it must not answer for the person who runs the tests.
    fake = tmp_path / "bin" / "gh"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\n[ "$4" = gh.example.com ] && echo of-gh\n', encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")


@pytest.fixture
def known(repo: Path) -> Git:
    """Return a repository whose credential helper knows two hosts."""
    git = Git(discover(str(repo)))
    script = '!f() { grep -qx "host=$1" && printf "username=%s\\npassword=%s\\n" "$2" "$3"; }; f'
    for host in ("tracker.example", "github.com"):
        git.run("config", "--add", f"credential.https://{host}.helper", f"{script} {host} ana of-helper")
    return git


def test_variables_are_used_only_for_their_host(known: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "of-github")
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "of-enterprise")
    monkeypatch.setenv("GH_HOST", "ghe.example.com")

    assert github_token(known, API) == "of-github"
    assert github_token(known, "https://ghe.example.com/api/v3") == "of-enterprise"
    assert github_token(known, "https://gh.example.com/api/v3") == "of-gh"
    with pytest.raises(ConfigError, match="there is no token for evil"):
        github_token(known, "https://evil.example/api/v3")


def test_token_of_a_job_is_used_for_its_api(known: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "of-the-job")
    monkeypatch.setenv("GITHUB_API_URL", "https://forge.example/api/v1")

    assert github_token(known, "https://forge.example/api/v1") == "of-the-job"
    assert github_token(known, API) == "of-helper"


def test_jira_gets_its_own_token(known: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    assert b64decode(jira_token(known, "https://tracker.example")) == b"ana:of-helper"
    monkeypatch.setenv("JIRA_EMAIL", "bo@example.com")
    monkeypatch.setenv("JIRA_API_TOKEN", "of-variable")
    assert b64decode(jira_token(known, "https://tracker.example")) == b"bo@example.com:of-variable"
    monkeypatch.setenv("JIRA_URL", "https://other.example")
    assert b64decode(jira_token(known, "https://tracker.example")) == b"ana:of-helper"
    with pytest.raises(ConfigError) as raised:
        jira_token(known, "https://third.example")
    assert "JIRA_API_TOKEN" in raised.value.hint
