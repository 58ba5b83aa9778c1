"""Which commands a memory names with a caution, and of which command lines they are."""

from __future__ import annotations

import time

from support.each import each

from gitmem.agents.moments.branches import changed_branches
from gitmem.agents.moments.cautions import CautionedCommand, cautioned_phrases, has_caution, options_of, phrases_of
from gitmem.agents.moments.programs import names_in


def _is_cautioned(line: str, memory: str) -> bool:
    """Return whether a line is found by its phrases alone on the branch "pdf", and then has a caution."""
    phrases = set(phrases_of(line)).intersection(cautioned_phrases(memory))
    words = line.split()
    command = CautionedCommand(phrases, options_of(line), words[2:], changed_branches(line, "pdf"), frozenset(words))
    return bool(phrases) and has_caution(memory, command)


@each(
    ("line", "memory"),
    [
        ("aws s3 sync site s3://x --delete", "aws s3 sync with --delete removed the pages of old versions."),
        ("pytest -n auto tests", "pytest -n auto does not work here: the workers share a schema."),
        ("INSTA_UPDATE=always cargo test", "INSTA_UPDATE=always once accepted a broken table."),
        ("cargo test -q", "Run cargo test with --test-threads=1."),
        ("cd web && pnpm run e2e --headed", "Build before `npm run e2e`: it serves dist."),
        ("python -m pytest -x", "pytest needs REDIS_URL."),
        ("uv run pytest", "Use TZ=UTC with pytest or dates are off by one."),
        ("docker compose up -d", "Use ./scripts/dev.sh instead of docker compose up."),
        ("cargo test", "make gen must be run before cargo test."),
        ("timeout 300 ./gradlew integrationTest", "`./gradlew integrationTest` hangs unless Docker runs."),
        ("go test ./...", "Don't run go test on the host."),
        ("make seed", "Start Redis, then `make seed`. Otherwise the queue is empty."),
        ("npm run build", "npm ignores the workspace here."),
        ("./scripts/load.sh prod", "`scripts/load.sh` wipes the cache."),
        ("bash scripts/load.sh", "scripts/load.sh wipes the cache."),
        ("./gradlew test --tests X", "Run ./gradlew test with --no-daemon: the daemon keeps the port."),
        ("yarn e2e --headed", "Build before `npm run e2e`: it serves dist."),
        ("python -m pytest -p xdist", "Running pytest with -p xdist hangs on the GPU box."),
        ("jest --coverage", "Running jest with --coverage is too much for CI, without it all is fine."),
        ("cargo build --locked", "cargo build fails with --locked since the lockfile moved."),
        ("kubectl rollout restart deploy/web", "Before `kubectl rollout restart`, stop cron."),
        ("kubectl rollout restart deploy/web", "kubectl needs the VPN."),
        ("cat <<EOF | kubectl apply -f -\nrails db:reset\nEOF", "kubectl needs the VPN."),
        ("cat > a <<'EOF'\nx\nEOF\nrspec a", "rspec needs REDIS_URL."),
        ("cat <<EOF | bash\nrspec a\nEOF", "rspec needs REDIS_URL."),
        ("loadr sync --all", "loadr sync without --target dev writes to production."),
        ("git checkout release/3 && git rebase main", "Never rebase or force-push release/* branches."),
        ("git commit --amend -q", "Don't amend pushed commits: the mirror rejects them."),
        ("git merge main", "We never merge main into topic branches."),
        ("git push origin main", "Never push to main directly."),
        ("git add a && git commit -m x", "Clear the outputs of notebooks before you commit (nbstripout)."),
        ("git commit -m x", "Run `make fmt` before each commit."),
        ("git push", "After dvc repro, run dvc push before git push."),
        ("git rebase main release/3", "Release branches must never be rebased."),
        ("git commit -m x", "Don't commit without the stable toolchain."),
        ("git push origin pdf", "Don't push before main is green."),
        ("pytest tests", "pytest hangs on macOS. Deprecation warnings are harmless."),
        ("pytest tests", "pytest hangs on macOS; the warning about forks can be ignored."),
        ("pytest tests", "pytest hangs on macOS, messages of xdist are harmless."),
    ],
)
def test_memory_has_a_caution_about_the_command(line: str, memory: str) -> None:
    assert _is_cautioned(line, memory)


@each(
    ("line", "memory"),
    [
        ("pytest tests", "pytest -n auto does not work here."),
        ("cargo test -- --test-threads=1", "Run cargo test with --test-threads=1."),
        ("TZ=UTC pytest", "Use TZ=UTC with pytest or dates are off by one."),
        ("loadr sync --target dev", "loadr sync without --target dev writes to production."),
        ("make gen", "make gen must be run before cargo test."),
        ("go test ./...", "When TestExplain fails, its golden files are old. Run go test ./query -update."),
        ("make fmt", "Run `make fmt` before each commit."),
        ("make lint", "Don't forget to run make lint."),
        ("cargo test", "We use cargo test in CI."),
        ("pytest", "The API is tested with pytest. It is not slow."),
        ("pnpm test", "npm ignores the workspace here."),
        ("git status", "make sure that git never lists it."),
        ("jest src", "Running jest with --coverage is too much for CI, without it all is fine."),
        ("sudo tee a <<EOF\nrspec a\nEOF", "rspec needs REDIS_URL."),
        ("pytest tests", "Running pytest with -p xdist hangs on the GPU box."),
        ("cargo build", "cargo build fails with --locked since the lockfile moved."),
        ("kubectl rollout status deploy/web", "Before `kubectl rollout restart`, stop cron."),
        ("cat <<EOF > a.md\nrspec a\nEOF", "rspec needs REDIS_URL."),
        ("git commit -m \"$(cat <<'EOF'\nrspec a\nEOF\n)\"", "rspec needs REDIS_URL."),
        ("rspec --help", "rspec needs REDIS_URL."),
        ("cargo build --release", "cargo test --release hangs on macOS."),
        ("git rebase origin/main", "Never rebase or force-push release/* branches."),
        ("git push origin pdf", "Never push to main directly."),
        ("make fmt && git commit -m x", "Run make fmt before each commit."),
        ("git commit -m x", "The hook runs before the commit message is read."),
        ("git commit -m x", "The commit before was wrong."),
        ("git commit -m x", "Never commit secrets."),
        ("git merge topic", "Never merge without a review."),
        ("poetry add pydantic", "Do not poetry add requests: httpx is our client."),
        ("pytest tests", "pytest is slow but harmless at its first run."),
        ("pytest tests", "pytest fails once after an upgrade. This can be ignored."),
        ("pytest tests", "pytest is slow at first, which is harmless."),
    ],
)
def test_memory_has_none_or_the_command_follows_it(line: str, memory: str) -> None:
    assert not _is_cautioned(line, memory)


def _speaks_of_a_name(line: str, memory: str) -> bool:
    return has_caution(memory, CautionedCommand(names_in(line), options_of(line), words=frozenset(line.split())))


@each(
    ("line", "memory"),
    [
        ("imgtool sign app.bin", "imgtool writes a header of the old format. Compare the first 32 bytes."),
        ("imgtool sign app.bin", "Without a key in the environment, imgtool signs with that of the tests."),
        ("imgtool sign app.bin", "Nobody runs imgtool on a laptop."),
        ("Imgtool-2 app.bin", "Imgtool-2 takes 6 GB here, and gets killed."),
        ("npx tagger --all", "The list is wrong after tagger dies."),
        ("rake letters:print", "Look for paper first, letters:print uses tray two."),
        ("bundle exec rake letters:print", "For letters:print the printer must be in mode B."),
        ("go run ./cmd/fill", "cmd/fill empties all tables."),
        ("go run ./cmd/fill", "The cmd/fill program empties all tables."),
        ("./server --port 80", "The server crashes without a terminal."),
        ("styler --write-baseline src", "We do not renew the baseline (--write-baseline): it hid 300 findings."),
    ],
)
def test_memory_says_what_an_unknown_program_or_a_task_does(line: str, memory: str) -> None:
    assert _speaks_of_a_name(line, memory)


@each(
    ("line", "memory"),
    [
        ("imgtool sign app.bin", "The header is made by imgtool in CI."),
        ("imgtool sign app.bin", "If the header is old, run imgtool again."),
        ("imgtool sign app.bin", "imgtool erase clears the key."),
        ("imgtool sign app.bin", "imgtool stays at 1.9: later ones want another key."),
        ("imgtool sign app.bin", "imgtool warns about the chip. This can be ignored."),
        ("SINK=1 rake letters:print", "letters:print sends real mail. Set SINK=1 before."),
        ("go test ./internal/query", "When TestPlan fails, run go test ./internal/query -update."),
        ("./server --port 80", "The server reads its settings from a file."),
        ("bin/app serve", "Sessions expire: the app has them in a cache."),
        ("find . -name x", "find out first who uses it, find never lies."),
        ("git push", "git never lies."),
        ("bin/rails letters:print", "Conflicts in the schema: bin/rails db:migrate writes it again."),
    ],
)
def test_memory_says_nothing_about_the_name(line: str, memory: str) -> None:
    assert not _speaks_of_a_name(line, memory)


def test_long_memory_is_read_in_bounded_time() -> None:
    begun = time.process_time()
    list(cautioned_phrases("pytest --a=1 " * 100_000))

    assert time.process_time() - begun < 2  # 0.1 s; hours if each command were compared with the whole sentence


@each(
    ("line", "names"),
    [
        ("mix dialyzer", ["dialyzer"]),
        ("cargo nextest run", ["nextest"]),
        ("mix test; cargo build; mix", []),
        ("xvfb-run -a python shots.py", ["xvfb-run"]),
    ],
)
def test_tasks_that_are_programs_and_what_runs_others_are_names(line: str, names: list[str]) -> None:
    assert [name for name in names_in(line) if name not in ("shots.py", "-a")] == names
