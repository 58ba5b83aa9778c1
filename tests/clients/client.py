"""The real clients: how each is installed, pointed at a model on this machine, and run without a terminal."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Some clients need a newer Node than distributions have; the package `node` itself needs a script of npm's.
NODE = f"node-{sys.platform}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}@22"
MODEL = "gpt-5.5"
KEY = "no-key"
CLINE = "openai-compatible"


@dataclass(frozen=True)
class Client:
    """One client.

    Attributes:
        client: Its name in ``gitmem install``.
        package: Its package of npm.
        program: The program of that package.
        prompt: Its arguments for one prompt, which follows them.
        again: Its arguments for one more prompt in the last session.
        prepare: Writes what it reads in a home folder, and returns its environment; given the home, the project and
            the model's address.
        behind: Arguments that follow the prompt.
    """

    client: str
    package: str
    program: str
    prompt: tuple[str, ...]
    again: tuple[str, ...]
    prepare: Callable[[Path, Path, str], dict[str, str]]
    behind: tuple[str, ...] = field(default=())


def _claude(_home: Path, _project: Path, url: str) -> dict[str, str]:
    return {
        **{"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"},
        **{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"},
    }


def _codex(home: Path, project: Path, url: str) -> dict[str, str]:
    _write(
        home / ".codex/config.toml",
        f'model = "{MODEL}"\nmodel_provider = "local"\n'
        f'[model_providers.local]\nname = "local"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
        f'[projects."{project}"]\ntrust_level = "trusted"\n',
    )
    return {"CODEX_HOME": str(home / ".codex")}


def _gemini(home: Path, _project: Path, url: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True},
        # Which asks the model for JSON after 30 turns, and waits for minutes where it gets none.
        "model": {"disableLoopDetection": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    _write(home / ".gemini/settings.json", json.dumps(settings))
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def _copilot(_home: Path, _project: Path, url: str) -> dict[str, str]:
    return {
        **{"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_API_KEY": KEY, "COPILOT_MODEL": MODEL},
        **{"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_ALLOW_ALL": "true"},
    }


def _opencode(home: Path, _project: Path, url: str) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "local",
        "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {MODEL: {"name": MODEL, "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}},
    }
    settings = {"model": f"local/{MODEL}", "provider": {"local": provider}, "autoupdate": False, "share": "disabled"}
    _write(home / ".config/opencode/opencode.json", json.dumps(settings))
    return {"OPENCODE_DISABLE_AUTOUPDATE": "true", "OPENCODE_DISABLE_MODELS_FETCH": "true"}


def _pi(home: Path, _project: Path, url: str) -> dict[str, str]:
    model = {"id": MODEL, "name": MODEL, "contextWindow": 200_000, "maxTokens": 8_000}
    provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": KEY, "models": [model]}
    _write(home / ".pi/agent/models.json", json.dumps({"providers": {"local": provider}}))
    return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def _qwen(home: Path, _project: Path, url: str) -> dict[str, str]:
    settings = {"security": {"auth": {"selectedType": "openai"}}, "model": {"name": MODEL}}
    settings |= {"general": {"disableAutoUpdate": True}, "privacy": {"usageStatisticsEnabled": False}}
    _write(home / ".qwen/settings.json", json.dumps(settings))
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": MODEL}


def _cline(home: Path, _project: Path, url: str) -> dict[str, str]:
    settings = {"provider": CLINE, "apiKey": KEY, "model": MODEL, "baseUrl": f"{url}/v1"}
    providers = {CLINE: {"settings": settings, "updatedAt": "2026-11-28T00:00:00.000Z", "tokenSource": "manual"}}
    known = {"version": 1, "lastUsedProvider": CLINE, "modes": {}, "providers": providers}
    _write(home / ".cline/data/settings/providers.json", json.dumps(known))
    return {"CLINE_TELEMETRY_DISABLED": "1"}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


_CODEX = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")
_COPILOT = ("-s", "--allow-all-paths")
# A model that is named is not chosen by another request.
_GEMINI = ("--yolo", "-m", "gemini-2.5-pro")
_PI = ("--provider", "local", "--model", MODEL, "--approve", "-p")
CLIENTS = {
    client.client: client
    for client in (
        Client(
            "claude-code",
            "@anthropic-ai/claude-code",
            "claude",
            ("--dangerously-skip-permissions", "-p"),
            ("--dangerously-skip-permissions", "-c", "-p"),
            _claude,
        ),
        Client("codex", "@openai/codex", "codex", ("exec", *_CODEX), ("exec", *_CODEX, "resume", "--last"), _codex),
        Client("gemini", "@google/gemini-cli", "gemini", (*_GEMINI, "-p"), (*_GEMINI, "-r", "latest", "-p"), _gemini),
        Client("copilot", "@github/copilot", "copilot", (*_COPILOT, "-p"), (*_COPILOT, "--continue", "-p"), _copilot),
        Client("opencode", "opencode-ai", "opencode", ("run",), ("run", "-c"), _opencode),
        Client(
            "pi",
            "@earendil-works/pi-coding-agent@0.87.1",  # the newest whose own packages npm has (November 2026)
            "pi",
            _PI,
            ("-c", *_PI),
            _pi,
        ),
        Client("qwen", "@qwen-code/qwen-code", "qwen", ("--yolo", "-p"), ("--yolo", "-c", "-p"), _qwen),
        # A session is continued by its name only, which the command line does not print.
        Client("cline", "cline", "cline", ("--auto-approve", "true"), ("--auto-approve", "true"), _cline),
    )
}
