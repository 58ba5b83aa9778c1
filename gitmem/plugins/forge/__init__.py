"""Reports to forges from workflows: one comment, one issue, one pull request, kept up to date."""

from __future__ import annotations

MODULES = {"forge": "gitmem.plugins.forge.cli"}
COMMANDS = {
    "forge": ("plumbing", "report to GitHub: a pull request comment, an issue, a pull request"),
    "forge branches": ("plumbing", "merge or drop the memory of branches whose pull requests ended"),
    "forge comment": ("plumbing", "keep one comment on a pull request up to date"),
    "forge issue": ("plumbing", "keep one issue that lists what fails now"),
    "forge note": ("plumbing", "keep one note on a GitLab merge request up to date"),
    "forge pull": ("plumbing", "find or open the pull request of a branch"),
    "forge page": ("plumbing", "write the page of the memory branch and its badge"),
}
