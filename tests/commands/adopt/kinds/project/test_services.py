"""Services that commands name."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import HOLDS, NEVER
from gitmem.commands.adopt.kinds.project.services import service_claims, services_in
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover

ROOT = Document("AGENTS.md", "instructions", "")


def found(find, text):
    return [claim for statement in split(text) for claim in find(statement, ROOT)]


@each(
    ("text", "names"),
    [
        ("- `docker compose up -d redis db`", ["redis", "db"]),
        ("- `docker-compose -f a/b.yml --profile x run --rm -e A=1 web pytest tests`", ["web"]),
        ("- `docker compose exec -u root db psql`", ["db"]),
        ("- `docker compose down -v`, `docker compose up -d`, `docker run redis`", []),
        ("- `docker compose logs -f --tail 50 <service>`", []),
        ("- The `web` service in `compose.yml` serves the pages.", ["web"]),
        ("- Add a `cache` service to `compose.yml` if you need one.", []),
        ("- The `pay` service is remote; see `compose.yml` for ours.", []),
        ("- `systemd` service files are not for `compose.yml`.", []),
    ],
)
def test_service_is_found_behind_the_command_and_its_options(text, names):
    assert [one.name for one in found(service_claims, text)] == names


def test_named_compose_file_is_where_the_service_is_looked_for():
    (claim,) = found(service_claims, "```sh\ncd deploy && docker compose -f dev.yml up db\n```")

    assert claim.places == ("deploy/dev.yml",)


def test_services_have_their_lines_and_a_broken_file_has_none():
    assert services_in("compose.yml", "x: 1\nservices:\n  db: {}\n  web:\n    image: y\n") == {"db": 3, "web": 4}
    assert services_in("compose.yml", "services: [\n") == {}


def test_service_is_looked_for_beside_the_document_first(repo):
    compose = {f"{folder}/compose.yml": "services:\n  db: {}\n" for folder in ("docker/a", "docker/b")}
    ci = {"docker/b/compose.ci.yml": "services:\n  db: {}\n"}
    commit_files(repo, {**compose, **ci, "docker/b/README.md": "- `docker compose logs db`\n"})
    handle = Git(discover(repo))

    (found,) = adopt(handle, handle.resolve("HEAD"), kinds={"service"}).of(HOLDS)

    assert found.source.path == "docker/b/compose.yml"


def test_sentence_says_which_services_a_compose_file_has(repo):
    text = "- The `db` service of `compose.yml` keeps it.\n- The mails are in the service `mails` of `compose.yml`.\n"
    commit_files(repo, {"AGENTS.md": f"{text}- The `api` service answers.\n", "compose.yml": "services:\n  db: {}\n"})
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"service"})

    assert [one.claim.token for one in adoption.of(HOLDS)] == ["db"]
    assert [one.claim.token for one in adoption.of(NEVER)] == ["mails"]
