"""Options of a forge's jobs: the file ``.github/gitmem.toml``, and pins of actions. Pure."""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches

from gitmem.errors import ConfigError
from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

OPTIONS_PATH = ".github/gitmem.toml"
GITHUB, GITLAB, FORGEJO, GITEA = "github", "gitlab", "forgejo", "gitea"
# Actions pinned by commit, since tags can move; from their repositories' tags.
ACTIONS = {
    "checkout": "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
    "setup-python": "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0",
    "upload-artifact": "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0",
    "download-artifact": "actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1",
}
# Versions that Forgejo, Gitea and older runners can run: newer versions of artifacts need GitHub itself.
V3_ACTIONS = {
    "checkout": "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2",
    "upload-artifact": "actions/upload-artifact@a8a3f3ad30e3422c9c7b888a15615d19a852ae32 # v3.1.3",
    "download-artifact": "actions/download-artifact@9bc31d5ccc31df68ecc42ccf4149144866c47d8a # v3.0.2",
}
ACTIONS_OF = {GITHUB: ACTIONS, GITLAB: {}, FORGEJO: V3_ACTIONS, GITEA: V3_ACTIONS}
# The label that each machine has after installation.
RUNNERS = {GITHUB: "ubuntu-24.04", GITLAB: "", FORGEJO: "docker", GITEA: "ubuntu-latest"}
_PIN = re.compile(r"([\w.-]+(?:/[\w.-]+)+)@([0-9a-f]{40})(?: # (v?\d[\w.]*))?")
_USES = re.compile(rf"(?m)^ *-? *uses: ({_PIN.pattern})$")
# Values that need no quoting in YAML: a runner's labels, a version of Python.
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
_PYTHON = re.compile(r"3\.\d+")


@frozen
class CiOptions:
    """The options.

    Attributes:
        every: How often verify jobs run, a word of ``HOURS_BY_NAME``.
        shards: The number of machines that share one job.
        package: The gitmem that jobs install, in a form of ``package.need_pinned``; ``.`` is this repository's code.
        branch: The memory branch.
        minute, hour: When they run, or first run on a day, UTC.
        default: The default branch of the code.
        runner: The labels of the machines that jobs run on; empty for the forge's default.
        python: The version of Python to set up.
        adopt: Whether a job compares documents with the code.
        has_merge_pipelines: For GitLab, whether the project's own jobs run in pipelines of merge requests.
        pins: Actions by their names in ``ACTIONS``, if different from the forge's in ``ACTIONS_OF``.
    """

    every: str = "daily"
    shards: int = 1
    package: str = ""
    branch: str = "memory"
    minute: int = 17
    hour: int = 3
    default: str = "main"
    runner: tuple[str, ...] = ()
    python: str = "3.12"
    adopt: bool = False
    has_merge_pipelines: bool = True
    pins: tuple[tuple[str, str], ...] = ()

    def runs_on(self, forge: str) -> str:
        """Return the machines in the form of a forge's workflow."""
        labels = self.runner or (RUNNERS[forge],)
        return labels[0] if len(labels) == 1 else f"[{', '.join(labels)}]"

    def actions(self, forge: str) -> dict[str, str]:
        """Return the actions of a forge's workflows, by name."""
        return ACTIONS_OF[forge] | dict(self.pins)


def read_options(text: str) -> dict[str, Any]:
    """Return the options in a file, by their names in ``CiOptions``.

    Raises:
        ConfigError: It is not TOML, or has an unknown option or an invalid value.
    """
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as err:  # also a number of 5,000 digits, and a value in a thousand brackets
        raise ConfigError(f"invalid TOML: {err}", file=OPTIONS_PATH, key="") from err
    options: dict[str, Any] = {}
    for name, value in table.items():
        if name not in _READERS:
            raise _unknown(name, _READERS)
        field, reader = _READERS[name]
        options[field] = reader(name, value)
    return options


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _invalid(name, "must be a text")
    return value


def _runner(name: str, value: object) -> tuple[str, ...]:
    labels = [value] if isinstance(value, str) else value
    if (
        not isinstance(labels, list)
        or not labels
        or not all(isinstance(x, str) and _LABEL.fullmatch(x) for x in labels)
    ):
        raise _invalid(name, 'must be a label such as "ubuntu-24.04", or a list of labels')
    return tuple(labels)


def _python(name: str, value: object) -> str:
    if not isinstance(value, str) or not _PYTHON.fullmatch(value) or int(value[2:]) < 11:
        raise _invalid(name, 'must be a version from "3.11" on')
    return value


def _number(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _invalid(name, "must be a number")
    return value


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _invalid(name, "must be true or false")
    return value


def _pins(name: str, value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise _invalid(name, "must be a table")
    for action, pin in value.items():
        if action not in ACTIONS:
            raise _unknown(f"{name}.{action}", [f"{name}.{known}" for known in ACTIONS])
        if not isinstance(pin, str) or not _PIN.fullmatch(pin):
            raise _invalid(f"{name}.{action}", 'must name a full commit: "owner/name@COMMIT # v1.2.3"')
    return tuple(value.items())


_READERS = {
    "schedule": ("every", _text),
    "shards": ("shards", _number),
    "package": ("package", _text),
    "runner": ("runner", _runner),
    "python": ("python", _python),
    "adopt": ("adopt", _truth),
    "pins": ("pins", _pins),
}


def _unknown(name: str, known: Iterable[str]) -> ConfigError:
    near = get_close_matches(name, list(known), 1)
    hint = f"did you mean {near[0]}?" if near else f"the options are {', '.join(known)}"
    return ConfigError(f"unknown option: {name}", file=OPTIONS_PATH, key=name, hint=hint)


def _invalid(name: str, what: str) -> ConfigError:
    return ConfigError(f"{name} {what}", file=OPTIONS_PATH, key=name)


def with_bumped(wanted: CiOptions, forge: str, texts: Iterable[str]) -> CiOptions:
    """Return options with the pins of the existing workflows, if those are newer.

    Dependabot and others update them in place, which must not be undone when the files are written again.
    """
    pins = wanted.actions(forge)
    for match in (match for text in texts for match in _USES.finditer(text)):
        pin, owner, version = match[1], match[2], match[4] or ""
        for name, known in pins.items():
            parts = _PIN.fullmatch(known)
            if parts is not None and parts[1] == owner and _version(version) > _version(parts[3] or ""):
                pins[name] = pin
    return replace(wanted, pins=tuple(pins.items()))


def _version(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)]


def without_pins(text: str) -> str:
    """Return a workflow without the commits of its actions: equal before and after an update of pins."""
    return _USES.sub(lambda match: match[0].replace(match[1], match[2]), text)


def fields_of(wanted: CiOptions, forge: str) -> Mapping[str, str]:
    """Return the actions by their names in templates."""
    pins = wanted.actions(forge)
    return {name.upper().replace("-", "_").removesuffix("_ARTIFACT"): pin for name, pin in pins.items()}
