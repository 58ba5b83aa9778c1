"""Which commands are hard to undo, and which memories warn about one."""

from __future__ import annotations

from support.each import each

from gitmem.agents.moments.risk import find_risk, warns

HARMLESS = [
    *("git push", "git commit -m 'force push'", "go test ./... && git status", "ls -f", "make test", "apply x", ""),
    *("rg --force-color deploy src", "cat docs/deploy.md | head", "git log --mirror-less", "sort -u a", "git add -u"),
]


@each("command", HARMLESS)
def test_most_commands_are_not_searched_for(command: str) -> None:
    assert not find_risk(command)


@each(
    ("command", "memory"),
    [
        ("git push --force origin main", "Never force-push to main: the mirror breaks."),
        ("git fetch && git push -f", "`git push --force` must be announced."),
        ("git reset --hard HEAD~1", "Do not use git reset --hard here."),
        ("cd infra; TF_LOG=1 terraform -chdir=x apply", "Ask Mira first. Only she may run terraform apply."),
        ("alembic downgrade -1", "alembic downgrade drops the audit table.\nRestore it later."),
        ("python manage.py migrate", "Stop beat before manage.py migrate."),
        ("helm -n shop upgrade shop .", "helm upgrade must not run on Fridays."),
        ("npm run deploy", "npm run deploy takes the shop down until noon."),
        ("terraform apply", "terraform apply in prod goes through Atlantis. Never run it here."),
        ("cd web && npm install zod", "Do not use npm, the lockfile is that of pnpm."),
        ("npm i zod", "We use yarn instead of npm."),
        ("python -m pip install x", "Never pip install into the Python of the system."),
        ("npx vitest run -u", "Never accept snapshots with vitest -u in CI."),
        ("npx jest --updateSnapshot", "Never update snapshots without a look at each."),
        ("git commit --no-verify -m x", "Do not commit with --no-verify: the hook formats the keys."),
        ("./mvnw -DskipTests package", "A release must not be built with -DskipTests."),
        ("bin/rails db:reset", "Without a dump, rails db:reset has lost the seeds."),
        ("S=staging ./manage.py migrate", "Migrations must be run with --fake-initial on staging."),
        ("mix ecto.rollback -n 1", "mix ecto.rollback has dropped a column. Ask first."),
        ("rails db:reset", "Avoid `rails db:reset` here; use `rails db:seed:replant` instead."),
        ("terraform apply", "Do not use terraform apply; instead open a pull request."),
        ("yarn install", "Never run yarn: the lockfile is that of npm."),
        ("make deploy", "Deployments are run only from the bastion."),
        ("bash -c 'pip install torch'", "Do not pip install torch: CUDA is gone."),
        ("pip install flask", "Never pip install globally."),
        ("bundle update", "Never run a bare bundle update."),
        ("yarn upgrade react --latest", "Never run yarn upgrade --latest here."),
        ("git push -f origin release/3", "Never force-push release/* branches."),
        ("git push -f origin pdf", "Never force-push; rebase onto main instead."),
        ("git push -f origin pdf", "Never force-push: production deploys from every push."),
        ("pip install --pre flask", "Do not pip install pre-releases"),
        ("pip install -U torch-geometric", "Do not pip install torch."),
    ],
)
def test_memory_warns_about_the_command(command: str, memory: str) -> None:
    assert warns(memory, find_risk(command))


@each(
    ("command", "memory"),
    [
        ("terraform apply", "We use terraform apply in CI."),
        ("terraform apply", "terraform apply is for CI. Never edit the state."),
        ("npm install zod", "We use npm instead of yarn."),
        ("pnpm add zod", "Do not use npm, the lockfile is that of pnpm."),
        ("terraform apply", "Never run terraform destroy. We apply with care."),
        ("npx vitest -u", "Never run vitest in the root."),
        ("git commit --no-verify", "Never verify by hand, there is no need."),
        ("git push --force", "Push before noon. A force majeure clause must be in it."),
        ("kubectl delete pod x", "kubectl is installed. Never delete the cache."),
        ("./manage.py migrate --fake-initial", "Migrations must be run with --fake-initial on staging."),
        ("rails db:seed:replant", "Avoid `rails db:reset` here; use `rails db:seed:replant` instead."),
        ("helm rollback api", "Never use `helm upgrade --force`. Run `helm rollback` instead."),
        ("yarn upgrade zod", "Celery must be stopped before you run `alembic upgrade head`."),
        ("alembic upgrade head", "Never run `yarn upgrade --latest` here."),
        ("yarn install", "Never run `yarn upgrade --latest` here."),
        ("rails db:reset --help", "Avoid rails db:reset."),
        ("kubectl apply --dry-run=client -f a", "Never run kubectl apply by hand."),
        ("pip install requests", "Do not pip install torch: CUDA is gone."),
        ("pip install -e .", "Do not pip install torch or numpy."),
        ("bundle update rails", "Never run a bare bundle update."),
        ("yarn upgrade zod", "Never run yarn upgrade --latest here."),
        ("git push -f origin pdf", "Never force-push release/* branches."),
        ("echo pip install x", "Never pip install x."),
        ("git commit -m 'rails db:reset'", "Avoid rails db:reset."),
        ("./manage.py migrate", "Never edit a migration that has been applied elsewhere."),
    ],
)
def test_memory_that_shares_words_or_does_not_warn_is_left_out(command: str, memory: str) -> None:
    assert not warns(memory, find_risk(command))
