"""A workflow that verifies on GitHub: one job judges and has no token, the other one records and runs nothing.

The file is written into the work tree, for the person to look at and commit.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from gitmem import __version__
from gitmem.errors import GitmemError, UsageError
from gitmem.install import place as places
from gitmem.install.git_hooks import ADD, KEEP, LEAVE, REMOVE, UPDATE, Step
from gitmem.install.schedule import every_of, read_text
from gitmem.verify.schedule import EVERY, WORKFLOW, WORKFLOW_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.binary import Git

# Actions by commit, since tags are moved (threat T23); from their repositories' tags.
CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
SETUP_PYTHON = "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0"
UPLOAD = "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0"
DOWNLOAD = "actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1"
# A forge starts 256 jobs of a matrix at most.
MOST_SHARDS = 256
SUM = "# sum "

_TEXT = """\
# Written by `gitmem install github`, which writes it again where nobody changed it; `gitmem uninstall github`.
# The job `verify` runs the checks that somebody approved (.github/gitmem-approved, made by `gitmem trust --print`, as
# it stands on the default branch) and can write nothing. The job `record` can push, and runs nothing of the repository.
name: gitmem verify

on:
  schedule:
    - cron: "{cron}"
  workflow_dispatch: {{}}

permissions: {{}}

concurrency:
  group: gitmem-verify
  cancel-in-progress: false

jobs:
  verify:
    name: run the checks
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    permissions:
      contents: read # to check out
    strategy:
      fail-fast: false
      matrix:
        shard: [{shards}]
    steps:
      - uses: {checkout}
        with:
          fetch-depth: 0 # checks may ask the history, and so does the memory branch
          persist-credentials: false
      - uses: {python}
        with:
          python-version: "3.12"
      - name: Install gitmem, and what it runs checks in
        env:
          PACKAGE: "{package}"
        run: |
          python -m pip install --disable-pip-version-check "$PACKAGE"
          sudo apt-get update -q
          sudo apt-get install -q -y bubblewrap strace
          # Ubuntu keeps programs from making the namespaces that a sandbox is made of.
          if sysctl -n kernel.apparmor_restrict_unprivileged_userns >/dev/null 2>&1; then
            sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
          fi
      - name: Verify
        env:
          SHARD: ${{{{ matrix.shard }}}}
        run: |
          # What a check prints is no command to the runner.
          token=$(openssl rand -hex 16)
          echo "::stop-commands::$token"
          status=0
          set -- --shard "$SHARD/{count}" --results "$RUNNER_TEMP/gitmem-results.jsonl"
          if [ -f .github/gitmem-approved ]; then set -- --approved .github/gitmem-approved "$@"; fi
          gitmem verify "$@" || status=$?
          echo "::$token::"
          # 1: a fact failed; 3: something could not be checked. The other job says so.
          case $status in 0|1|3) ;; *) exit "$status" ;; esac
      - uses: {upload}
        with:
          name: gitmem-results-${{{{ matrix.shard }}}}
          path: ${{{{ runner.temp }}}}/gitmem-results.jsonl
          if-no-files-found: error
          retention-days: 3

  record:
    name: record what they showed
    needs: verify
    if: ${{{{ !cancelled() }}}}
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    permissions:
      contents: write # to push the memory branch
    steps:
      - uses: {checkout}
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: {python}
        with:
          python-version: "3.12"
      - name: Install gitmem
        env:
          PACKAGE: "{package}"
        run: python -m pip install --disable-pip-version-check "$PACKAGE"
      - uses: {download}
        with:
          pattern: gitmem-results-*
          path: ${{{{ runner.temp }}}}/gitmem-results
      - name: Record and push
        env:
          PUSH_TOKEN: ${{{{ github.token }}}}
        run: |
          # The token is in this step's environment alone, and in no file.
          git config credential.helper '!f() {{ echo username=x-access-token; echo "password=$PUSH_TOKEN"; }}; f'
          status=0
          gitmem verify --record-results "$RUNNER_TEMP"/gitmem-results/*/gitmem-results.jsonl || status=$?
          gitmem sync origin
          exit "$status"
"""


def workflow(every: str, *, shards: int, package: str, minute: int, hour: int) -> str:
    """Return the workflow's text."""
    hours = EVERY[every]
    when = f"{hour}-23/{hours} * * *" if hours < 24 else f"{hour} * * {'1' if hours > 24 else '*'}"
    when = "* * * *" if hours == 1 else when
    text = _TEXT.format(
        cron=f"{minute} {when}",
        shards=", ".join(map(str, range(1, shards + 1))),
        count=shards,
        package=package or f"git-memory-store=={__version__}",
        checkout=CHECKOUT,
        python=SETUP_PYTHON,
        upload=UPLOAD,
        download=DOWNLOAD,
    )
    return f"{WORKFLOW_MARK}{every}\n{SUM}{_sum(text)}\n{text}"


def _sum(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def is_ours(text: str) -> bool:
    """Tell whether a workflow is one that was written here, of any version, and nobody changed."""
    mark, _, rest = text.partition("\n")
    told, _, rest = rest.partition("\n")
    return mark.startswith(WORKFLOW_MARK) and told == f"{SUM}{_sum(rest)}"


def plan_install(git: Git, *, every: str, shards: int = 1, package: str = "", force: bool = False) -> tuple[Step, ...]:
    """Return what writing the workflow does.

    Raises:
        UsageError: There is no such time, too many shards, or a package's name that is none.
        GitmemError: There is no work tree, or the way to the file leads through a link.
    """
    every = every_of(every)
    if not 1 <= shards <= MOST_SHARDS:
        raise UsageError(f"--shards is from 1 to {MOST_SHARDS}")
    if not all(char.isascii() and char.isprintable() and char not in "\"'\\$`{}" for char in package):
        raise UsageError("--package is what pip installs, without quotes, backslashes and variables")
    path = _path(git)
    digest = sha256(os.fsencode(git.repository.name)).digest()
    minute, hours = 1 + digest[0] % 58, EVERY[every]
    hour = 1 + digest[1] % 5 if hours >= 24 else digest[1] % hours
    text = workflow(every, shards=shards, package=package, minute=minute + (minute >= 30), hour=hour)
    before = read_text(path)
    if before is None:
        return (Step(ADD, str(path), "look at it, then commit it", "", text),)
    if before == text:
        return (Step(KEEP, str(path), "is there already", before, text),)
    if is_ours(before) or force:
        return (Step(UPDATE, str(path), "look at it, then commit it", before, text),)
    return (Step(LEAVE, str(path), "was changed by somebody: --force writes it all the same", before, text),)


def install(git: Git, *, every: str, shards: int = 1, package: str = "", force: bool = False) -> tuple[Step, ...]:
    """Write the workflow and return what was done; doing it again changes nothing."""
    steps = plan_install(git, every=every, shards=shards, package=package, force=force)
    for step in steps:
        if step.what in (ADD, UPDATE):
            places.write(Path(step.path), step.after)
    return steps


def plan_uninstall(git: Git, *, force: bool = False) -> tuple[Step, ...]:
    """Return what taking the workflow away does; one that somebody changed stays."""
    path = _path(git)
    before = read_text(path)
    if before is None:
        return ()
    if is_ours(before) or force:
        return (Step(REMOVE, str(path), "removed; commit that", before),)
    return (Step(LEAVE, str(path), "was changed by somebody: --force removes it all the same", before, before),)


def uninstall(git: Git, *, force: bool = False) -> tuple[Step, ...]:
    """Take the workflow away and return what was done; git keeps no empty folders, so those go with it."""
    steps = plan_uninstall(git, force=force)
    for step in steps:
        if step.what == REMOVE:
            assert git.repository.work_tree is not None  # or there would be no step
            places.remove(Path(step.path), git.repository.work_tree)
    return steps


def _path(git: Git) -> Path:
    if git.repository.work_tree is None:
        raise GitmemError("this repository has no work tree to write a workflow into")
    path = git.repository.work_tree / WORKFLOW
    # A folder of the code may be a link, to anywhere.
    if any((git.repository.work_tree / part).is_symlink() for part in (WORKFLOW, ".github", ".github/workflows")):
        raise GitmemError(f"{path} leads through a link; nothing is written there")
    return path
