"""The schema of the hub's database: every step up and down, on a real PostgreSQL."""

from __future__ import annotations

import threading

import psycopg
import pytest
from support.postgres import HubDatabase, run_sql

from gitmem.errors import GitmemError
from gitmem.hub import schema
from gitmem.hub.database import connected

# Everything that makes up a schema, in an order that does not depend on when it was made.
SHAPE = """
SELECT 'column', table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(column_default, '')
FROM information_schema.columns WHERE table_schema = 'hub'
UNION SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'hub'
UNION SELECT 'policy', tablename || ' ' || policyname || ' ' || roles::text || ' ' || coalesce(qual, '')
FROM pg_policies WHERE schemaname = 'hub'
UNION SELECT 'grant', table_name || ' ' || grantee || ' ' || privilege_type
FROM information_schema.role_table_grants WHERE table_schema = 'hub'
UNION SELECT 'function', pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = 'hub'
UNION SELECT 'trigger', pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'hub' AND NOT t.tgisinternal
UNION SELECT 'queue', relname FROM pg_class WHERE relname LIKE 'procrastinate%'
UNION SELECT 'queue', proname FROM pg_proc WHERE proname LIKE 'procrastinate%'
UNION SELECT 'queue', typname FROM pg_type WHERE typname LIKE 'procrastinate%'
ORDER BY 1, 2
"""


def test_every_step_down_undoes_the_step_up(empty_database: HubDatabase) -> None:
    shapes = {}
    with connected(empty_database.url) as connection:
        for version in range(schema.newest() + 1):
            schema.migrate(connection, version)
            shapes[version] = connection.execute(SHAPE).fetchall()
        for version in range(schema.newest(), -1, -1):
            schema.migrate(connection, version)
            assert connection.execute(SHAPE).fetchall() == shapes[version]

    assert shapes[0] == []
    assert len({str(shape) for shape in shapes.values()}) == len(shapes)


def test_step_that_fails_leaves_the_schema_as_it_was(
    empty_database: HubDatabase, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    for path in schema.FOLDER.iterdir():
        (tmp_path / path.name).write_text(path.read_text())
    number = schema.newest() + 1
    (tmp_path / f"{number:04}_bad.up.sql").write_text("CREATE TABLE hub.half (); SELECT 1 / 0;")
    (tmp_path / f"{number:04}_bad.down.sql").write_text("DROP TABLE hub.half;")
    with connected(empty_database.url) as connection:
        schema.migrate(connection)
        monkeypatch.setattr(schema, "FOLDER", tmp_path)
        with pytest.raises(psycopg.errors.DivisionByZero):
            schema.migrate(connection)

        assert schema.version_of(connection) == number - 1
        assert connection.execute("SELECT to_regclass('hub.half')").fetchone() == (None,)


def test_machines_that_start_at_once_migrate_once(empty_database: HubDatabase) -> None:
    found: list[tuple[int, int]] = []

    def start() -> None:
        with connected(empty_database.url) as connection:
            found.append(schema.migrate(connection))

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == [(0, schema.newest()), *[(schema.newest(), schema.newest())] * 3]


@pytest.mark.parametrize(
    ("change", "says", "hint"),
    [
        ("INSERT INTO public.gitmem_hub_schema VALUES (99, now())", "has version 99", "install the version"),
        ("DELETE FROM public.gitmem_hub_schema", "has no hub", "gitmem hub init"),
        ("DROP TABLE public.gitmem_hub_schema", "has no hub", "gitmem hub init"),
        (
            "UPDATE public.gitmem_hub_schema SET version = -1 WHERE version = (SELECT max(version) FROM"
            " public.gitmem_hub_schema)",
            "and this gitmem needs",
            "gitmem hub init",
        ),
    ],
)
def test_other_schema_is_refused_in_one_line(hub: HubDatabase, change: str, says: str, hint: str) -> None:
    run_sql(hub.url, change)

    with connected(hub.url) as connection, pytest.raises(GitmemError, match=says) as caught:
        schema.require(connection)

    assert "\n" not in caught.value.message
    assert caught.value.hint.startswith(hint)


def test_newer_schema_is_not_migrated(hub: HubDatabase) -> None:
    run_sql(hub.url, "INSERT INTO public.gitmem_hub_schema VALUES (99, now())")

    with connected(hub.url) as connection, pytest.raises(GitmemError, match="knows up to"):
        schema.migrate(connection, 0)

    with connected(hub.url) as connection:
        assert connection.execute("SELECT count(*) FROM hub.hub").fetchone() == (1,)


def test_those_who_serve_cannot_read_the_queue(hub: HubDatabase) -> None:
    for table in ("public.procrastinate_jobs", "hub.verification", "hub.spent"):
        with connected(hub.serving) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SET ROLE gitmem_reader")
            connection.execute(f"SELECT * FROM {table}")


def test_version_that_does_not_exist_is_refused(hub: HubDatabase) -> None:
    with connected(hub.url) as connection, pytest.raises(GitmemError, match="there is no version 77"):
        schema.migrate(connection, 77)
