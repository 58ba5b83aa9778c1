"""A repository on GitHub: issues, comments, pull requests, reviews, diffs, commits, check runs and releases.

Lists sorted by the time of the last change are read from the oldest on, by time and not by page: an item that changes
meanwhile moves to the end of the list, and with pages the next one would be missed. Lists sorted newest first are read
until a known item; a change meanwhile is at worst read twice.

Source: GitHub Docs, REST API, version 2022-11-28: "List repository issues", "List issue comments for a repository",
"List review comments in a repository", "List pull requests", "List reviews for a pull request", "List pull requests
files", "List commits", "List check runs for a Git reference", "List releases", "Using pagination in the REST API",
"Best practices for using the REST API" (conditional requests).
"""

from __future__ import annotations

from urllib.parse import urlencode

from gitmem.errors import ForgeError
from gitmem.git.forges.client import need_tables, part_of
from gitmem.git.repository import is_oid
from gitmem.plugins.pull.documents import PulledDocument, clean, time_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from gitmem.git.forges.client import Forge, ForgePage
    from gitmem.plugins.pull.source import PullSource

    Item = Mapping[str, Any]

PER_PAGE = 100
# Pull requests per commit of reviews and diffs, and commits per commit of check runs.
TOGETHER = 20
# The newest commits per pull whose check runs are read.
CHECKED = 20
# The most characters of one file's patch.
PATCH_LIMIT = 4_000
FINISHED = "completed"
# A forge's answers if a token may not read one thing (it may read others).
DENIED = (403, 404)


class GitHubPull:
    """One pull of a repository.

    Attributes:
        cursors: How far each part was pulled; stored with the documents.
        etags: Address and ETag of the first page of each completely read part; stored only in this clone.
    """

    def __init__(self, forge: Forge, source: PullSource, cursors: dict[str, Any], etags: dict[str, list[str]]) -> None:
        """Set the forge; nothing is sent."""
        self._forge, self._source = forge, source
        self.cursors, self.etags = cursors, etags
        self._asked: dict[str, list[str]] = {}
        self._since = f"{source.since}T00:00:00Z" if source.since else ""

    def batches(self) -> Iterator[list[PulledDocument]]:
        """Yield new and changed items, a page at a time; the cursors are updated with each page.

        A part that the token may not read does not block the others; the first refusal is raised at the end.

        Raises:
            ForgeError: The forge cannot be reached, or refuses; pages yielded before are complete.
        """
        steps: dict[str, Callable[[], Iterator[list[PulledDocument]]]] = {
            "issues": lambda: self._by_time("issues", "issues", {"state": "all"}, _issue),
            "comments": lambda: self._by_time("comments", "issues/comments", {}, _comment),
            "pulls": self._pulls,
            "reviews": lambda: self._by_time("reviews", "pulls/comments", {}, _review_comment),
            "commits": self._commits,
            "checks": self._checks,
            "releases": self._releases,
        }
        wanted = [step for part, step in steps.items() if part in self._source.include]
        wanted += [self._details] if {"reviews", "diffs"} & set(self._source.include) else []
        refused: ForgeError | None = None
        for step in wanted:
            self._asked = {}
            try:
                yield from step()
                self.etags |= self._asked
            except ForgeError as err:
                if err.status not in DENIED:
                    raise
                refused = refused or err
        if refused is not None:
            raise refused

    def _url(self, path: str, **query: str) -> str:
        parameters = urlencode({name: value for name, value in query.items() if value})
        return self._forge.repo(path) + f"?{parameters}"

    def _first(self, part: str, url: str) -> ForgePage:
        """Return the first page of a part, requested with the last ETag."""
        known, etag = self.etags.get(part, ["", ""])
        page = self._forge.page(url, needs="contents: read", etag=etag if known == url else "")
        if page.etag:
            self._asked[part] = [url, page.etag]
        return page

    def _pages(self, part: str, url: str) -> Iterator[tuple[list[Item], bool]]:
        """Yield the items of each page of a part, and whether it is the last; none if the first page is unchanged."""
        page = self._first(part, url)
        while not page.is_unchanged:
            yield need_tables(page.found), not page.following
            if not page.following:
                return
            page = self._forge.page(page.following, needs="contents: read")

    def _by_time(
        self, part: str, path: str, more: Mapping[str, str], document: Callable[[Item], PulledDocument | None]
    ) -> Iterator[list[PulledDocument]]:
        """Yield items changed since the cursor, oldest first."""

        def address() -> str:
            since = self.cursors.get(part) or self._since
            return self._url(path, **more, sort="updated", direction="asc", per_page=str(PER_PAGE), since=since)

        page = self._first(part, address())
        while not page.is_unchanged:
            items = need_tables(page.found)
            last = max((time_of(item.get("updated_at")) for item in items), default="")
            moved = last > self.cursors.get(part, "")
            if last:
                self.cursors[part] = max(last, self.cursors.get(part, ""))
            yield _documents(items, document)
            if not page.following:
                return
            # All items of a full page may have changed in one second: then only the next page makes progress.
            page = self._forge.page(address() if moved else page.following, needs="contents: read")

    def _pulls(self) -> Iterator[list[PulledDocument]]:
        """Yield changed pull requests, and queue them for reading reviews and diffs."""
        known = self.cursors.get("pulls") or self._since
        newest = known
        queue: list[int] = self.cursors.setdefault("queue", [])
        query = {"state": "all", "sort": "updated", "direction": "desc", "per_page": str(PER_PAGE)}
        for items, is_end in self._pages("pulls", self._url("pulls", **query)):
            fresh = [item for item in items if time_of(item.get("updated_at")) >= known]
            newest = max([newest, *(time_of(item.get("updated_at")) for item in fresh)])
            changed = [item for item in fresh if time_of(item.get("updated_at")) > known]
            queue += [number for item in changed if (number := _number(item)) and number not in queue]
            is_last = is_end or len(fresh) < len(items)
            if is_last:
                self.cursors["pulls"] = newest
            yield _documents(fresh, _pull)
            if is_last:
                return

    def _details(self) -> Iterator[list[PulledDocument]]:
        """Yield reviews and diffs of the queued pull requests, newest first, and remove them from the queue."""
        queue: list[int] = self.cursors.get("queue", [])
        while queue:
            details: list[PulledDocument] = []
            for number in queue[:TOGETHER]:
                if "reviews" in self._source.include:
                    url = self._url(f"pulls/{number}/reviews", per_page=str(PER_PAGE))
                    reviews = self._forge.items(url, needs="pull_requests: read")
                    details += [pulled for item in reviews if (pulled := _review(item, number)) is not None]
                if "diffs" in self._source.include:
                    url = self._url(f"pulls/{number}/files", per_page=str(PER_PAGE))
                    details.append(_diff(number, list(self._forge.items(url, needs="pull_requests: read"))))
            del queue[:TOGETHER]
            yield details

    def _commits(self) -> Iterator[list[PulledDocument]]:
        """Yield commits of the default branch, newest first; the first pull goes back to the beginning.

        An interrupted pull continues at its last commit.
        """
        state: dict[str, str] = self.cursors.setdefault("commits", {})
        checks: list[str] = self.cursors.setdefault("checks", [])
        query = {"per_page": str(PER_PAGE), "since": state.get("since") or self._since, "until": state.get("until", "")}
        for items, is_last in self._pages("commits", self._url("commits", **query)):
            dates = [date for item in items if (date := _commit_date(item))]
            newest = max([state.get("newest", ""), *dates])
            state |= {"newest": newest, "until": min(dates) if dates else state.get("until", "")}
            new = [str(item.get("sha")) for item in items if _commit_date(item) > state.get("since", "")]
            checks += [sha for sha in new[: max(0, CHECKED - len(checks))] if sha not in checks]
            if is_last:
                state["since"] = newest
                del state["until"], state["newest"]
            yield _documents(items, _commit)

    def _checks(self) -> Iterator[list[PulledDocument]]:
        """Yield the check runs of the newest commits; unfinished ones are read again next time."""
        queue: list[str] = self.cursors.get("checks", [])
        documents, unfinished = [], []
        for sha in queue:
            url = self._url(f"commits/{sha}/check-runs", per_page=str(PER_PAGE))
            answer = self._forge.page(url, needs="checks: read").found
            runs = need_tables(answer.get("check_runs", []) if isinstance(answer, dict) else answer)
            documents += [_check_runs(sha, runs)] if runs else []
            unfinished += [sha] if any(run.get("status") != FINISHED for run in runs) else []
        if queue:
            self.cursors["checks"] = unfinished
            yield documents

    def _releases(self) -> Iterator[list[PulledDocument]]:
        for items, _ in self._pages("releases", self._url("releases", per_page=str(PER_PAGE))):
            yield _documents(items, _release)


def _documents(items: Iterable[Item], document: Callable[[Item], PulledDocument | None]) -> list[PulledDocument]:
    return [pulled for item in items if (pulled := document(item)) is not None]


def _number(item: Item) -> int:
    number = item.get("number")
    return number if type(number) is int and 0 < number < 1 << 53 else 0


def _id(item: Item) -> str:
    number = item.get("id")
    return str(number) if type(number) is int and 0 < number < 1 << 63 else ""


def _login(item: Item) -> str:
    return clean((part_of(item, "user") or part_of(item, "author")).get("login"))


def _common(item: Item, what: str, number: str, *tags: str) -> dict[str, Any]:
    """Return the frontmatter common to all documents of GitHub."""
    return {
        "tags": [what, *tags],
        "refs": [str(item.get("html_url") or "")],
        "created": time_of(item.get("created_at")),
        "updated": time_of(item.get("updated_at")),
        "by": {"who": _login(item)},
        "source": "github",
        "github_id": number,
    }


def _issue(item: Item) -> PulledDocument | None:
    number = _number(item)
    if not number or item.get("pull_request"):  # the list of pull requests has those with their branches
        return None
    labels = [str(label.get("name")) if isinstance(label, dict) else str(label) for label in item.get("labels") or ()]
    state = str(item.get("state") or "")
    fields = _common(item, "issue", str(number), state, *labels) | {"state": state}
    return PulledDocument(
        f"issue-{number}", "github_issue", f"#{number} {item.get('title') or ''}", _body(item), fields
    )


def _pull(item: Item) -> PulledDocument | None:
    number = _number(item)
    if not number:
        return None
    state = "merged" if item.get("merged_at") else str(item.get("state") or "")
    sides = {name: part_of(item, name).get("ref") for name in ("head", "base")}
    fields = _common(item, "pull-request", f"PR-{number}", state) | {"state": state, "branches": sides}
    title = f"PR #{number} {item.get('title') or ''}"
    return PulledDocument(f"pull-{number}", "github_pr", title, _body(item), fields)


def _comment(item: Item) -> PulledDocument | None:
    issue = str(item.get("issue_url") or "").rpartition("/")[2]
    if not _id(item):
        return None
    fields = _common(item, "comment", _id(item)) | {"part_of": f"issue-{issue}"}
    title = f"Comment on #{issue} by {_login(item) or 'somebody'}"
    return PulledDocument(f"comment-{_id(item)}", "github_issue_comment", title, _body(item), fields)


def _review_comment(item: Item) -> PulledDocument | None:
    number = str(item.get("pull_request_url") or "").rpartition("/")[2]
    if not _id(item):
        return None
    path, line = clean(item.get("path"), limit=200), item.get("line") or item.get("original_line")
    where = f"{path}:{line}" if path and type(line) is int else path
    hunk = "\n".join(f"    {line}" for line in str(item.get("diff_hunk") or "").split("\n"))
    fields = _common(item, "review", _id(item)) | {"part_of": f"pull-{number}", "file_path": path}
    body = f"{_body(item)}\n\n{where}\n\n{hunk}" if where else _body(item)
    title = f"Review of PR #{number} by {_login(item) or 'somebody'}: {where}"
    return PulledDocument(f"review-comment-{_id(item)}", "github_pr_review", title, body, fields)


def _review(item: Item, number: int) -> PulledDocument | None:
    if not _id(item):
        return None
    verdict = clean(item.get("state")).lower().replace("_", " ")
    fields = _common({**item, "created_at": item.get("submitted_at")}, "review", _id(item), verdict)
    title = f"Review of PR #{number} by {_login(item) or 'somebody'}: {verdict}"
    return PulledDocument(
        f"review-{_id(item)}", "github_pr_review", title, _body(item), {**fields, "part_of": f"pull-{number}"}
    )


def _diff(number: int, files: Iterable[Item]) -> PulledDocument:
    """Return the diff of a pull request, file by file; a long one says how much is left out."""
    parts, paths = [], []
    for file in files:
        path, patch = clean(file.get("filename"), limit=300), str(file.get("patch") or "")
        left = f"\n… {len(patch) - PATCH_LIMIT} more characters" if len(patch) > PATCH_LIMIT else ""
        paths.append(path)
        head = f"## {path} ({clean(file.get('status'))}, +{file.get('additions', 0)} -{file.get('deletions', 0)})"
        shown = "\n".join(f"    {line}" for line in (patch[:PATCH_LIMIT] + left).split("\n"))
        parts.append(f"{head}\n\n{shown}" if patch else head)
    fields = {"tags": ["diff"], "source": "github", "github_id": f"PR-{number}", "part_of": f"pull-{number}"}
    names = ", ".join(path.rpartition("/")[2] for path in paths[:5]) + (", …" if len(paths) > 5 else "")
    title = f"Diff of PR #{number}: {names}" if names else f"Diff of PR #{number}: no files"
    return PulledDocument(f"diff-{number}", "github_pr_diff", title, "\n\n".join(parts), fields)


def _commit_date(item: Item) -> str:
    return time_of(part_of(part_of(item, "commit"), "committer").get("date"))


def _commit(item: Item) -> PulledDocument | None:
    sha, commit = str(item.get("sha") or ""), part_of(item, "commit")
    if not commit or not is_oid(sha):
        return None
    subject, _, rest = str(commit.get("message") or "").partition("\n")
    fields = _common(item, "commit", sha[:12]) | {"created": _commit_date(item), "sha": sha}
    if not _login(item):
        fields["by"] = {"who": clean(part_of(commit, "author").get("name"))}
    return PulledDocument(f"commit-{sha[:12]}", "github_commit", f"{sha[:10]} {subject}", rest, fields)


def _check_runs(sha: str, runs: Iterable[Item]) -> PulledDocument:
    """Return the check runs of one commit, unsuccessful ones first."""
    rows, counts, times = [], dict[str, int](), []
    for run in runs:
        ended = clean(run.get("conclusion") or run.get("status")) or "unknown"
        counts[ended] = counts.get(ended, 0) + 1
        times.append(time_of(run.get("completed_at")) or time_of(run.get("started_at")))
        about = clean(part_of(run, "output").get("title"), limit=200)
        line = f"- {ended}: {clean(run.get('name'), limit=200)}" + (f" ({about})" if about else "")
        rows.append((ended == "success", f"{line} {run.get('html_url') or ''}".rstrip()))
    rows.sort(key=lambda row: row[0])
    summary = ", ".join(f"{number} {ended}" for ended, number in sorted(counts.items()))
    fields = {"tags": ["ci"], "source": "github", "sha": sha, "part_of": f"commit-{sha[:12]}", "created": max(times)}
    body = "\n".join(row for _, row in rows)
    return PulledDocument(f"checks-{sha[:12]}", "github_ci_result", f"CI of {sha[:10]}: {summary}", body, fields)


def _release(item: Item) -> PulledDocument | None:
    if not _id(item):
        return None
    tag = clean(item.get("tag_name"))
    name = clean(item.get("name"), limit=150)
    title = f"Release {tag}" + (f": {name}" if name and name != tag else "")
    fields = _common(item, "release", _id(item)) | {"created": time_of(item.get("published_at")), "version": tag}
    return PulledDocument(f"release-{_id(item)}", "github_release", title, _body(item), fields)


def _body(item: Item) -> str:
    body = item.get("body")
    return body if isinstance(body, str) else ""
