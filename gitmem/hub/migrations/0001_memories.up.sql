-- Repositories, their memories, who may read them, and what was done.
-- The owner of these tables writes them. `gitmem hub serve` reads them in two roles that own nothing: gitmem_reader for
-- one identity, and gitmem_follower, which fills the search index.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gitmem_reader') THEN
    CREATE ROLE gitmem_reader NOLOGIN NOBYPASSRLS;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gitmem_follower') THEN
    CREATE ROLE gitmem_follower NOLOGIN NOBYPASSRLS;
  END IF;
END $$;

CREATE SCHEMA hub;

-- One row. A search node whose index has another generation makes it again.
CREATE TABLE hub.hub (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  generation uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO hub.hub DEFAULT VALUES;

CREATE TABLE hub.repository (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  url text NOT NULL,
  branch text NOT NULL,
  team text NOT NULL DEFAULT '',            -- the principal whose repository it is: reads by others are in the audit log
  language text NOT NULL DEFAULT '',
  policy text NOT NULL DEFAULT '',          -- the store's policy as it is on the branch
  commit text NOT NULL DEFAULT '',          -- the commit of the memory branch that was read
  synced_at timestamptz,
  problem text NOT NULL DEFAULT '',         -- why the last attempt to read it failed; empty: it did not
  problem_at timestamptz,
  removed_at timestamptz                    -- its memories are tombstones, which followers still have to see
);
CREATE UNIQUE INDEX repository_name ON hub.repository (name) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX repository_url ON hub.repository (url, branch) WHERE removed_at IS NULL;

-- Who may read a repository: a principal is a person, a group, or everyone.
CREATE TABLE hub.reader (
  repository integer NOT NULL REFERENCES hub.repository ON DELETE CASCADE,
  principal text NOT NULL CHECK (principal <> '' AND principal !~ '[[:cntrl:]]'),
  PRIMARY KEY (repository, principal)
);
CREATE INDEX reader_principal ON hub.reader (principal);

CREATE SEQUENCE hub.change;

-- A memory that is gone keeps its row without any text, so that followers learn that it went.
CREATE TABLE hub.memory (
  repository integer NOT NULL REFERENCES hub.repository,
  path text NOT NULL,
  key text NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  owner text NOT NULL,
  language text NOT NULL,
  title text NOT NULL,
  fields jsonb NOT NULL,
  text text NOT NULL,
  blob text NOT NULL,
  digest bytea NOT NULL,
  deleted boolean NOT NULL DEFAULT false,
  seq bigint NOT NULL,
  PRIMARY KEY (repository, path)
);
CREATE UNIQUE INDEX memory_seq ON hub.memory (seq);
CREATE INDEX memory_key ON hub.memory (repository, key) WHERE NOT deleted;

-- Numbers become visible in their order: a transaction that writes memories holds the lock until its end, so whoever has
-- seen the number n will never find a smaller one that is new.
CREATE FUNCTION hub.begin_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1734964333, 1);
  RETURN NULL;
END $$;
CREATE FUNCTION hub.number_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.seq := nextval('hub.change');
  RETURN NEW;
END $$;
CREATE FUNCTION hub.tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gitmem_hub_change', '');
  RETURN NULL;
END $$;
CREATE TRIGGER a_begin BEFORE INSERT OR UPDATE ON hub.memory FOR EACH STATEMENT EXECUTE FUNCTION hub.begin_change();
CREATE TRIGGER b_number BEFORE INSERT OR UPDATE ON hub.memory FOR EACH ROW EXECUTE FUNCTION hub.number_change();
CREATE TRIGGER c_tell AFTER INSERT OR UPDATE ON hub.memory FOR EACH STATEMENT EXECUTE FUNCTION hub.tell_change();

CREATE TABLE hub.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  identity text NOT NULL,
  action text NOT NULL,
  repository integer,
  detail text NOT NULL DEFAULT ''
);
CREATE INDEX audit_at ON hub.audit (at);

-- The principals of the identity for which a transaction reads, one in each line; without it, none.
CREATE FUNCTION hub.principals() RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT string_to_array(nullif(current_setting('gitmem.identity', true), ''), E'\n')
$$;

ALTER TABLE hub.repository ENABLE ROW LEVEL SECURITY;
ALTER TABLE hub.reader ENABLE ROW LEVEL SECURITY;
ALTER TABLE hub.memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE hub.audit ENABLE ROW LEVEL SECURITY;

CREATE POLICY own ON hub.reader FOR SELECT TO gitmem_reader USING (principal = ANY (hub.principals()));
CREATE POLICY readable ON hub.repository FOR SELECT TO gitmem_reader USING
  (removed_at IS NULL AND id IN (SELECT repository FROM hub.reader WHERE principal = ANY (hub.principals())));
CREATE POLICY readable ON hub.memory FOR SELECT TO gitmem_reader USING
  (NOT deleted AND repository IN (SELECT repository FROM hub.reader WHERE principal = ANY (hub.principals())));
CREATE POLICY follow ON hub.repository FOR SELECT TO gitmem_follower USING (true);
CREATE POLICY follow ON hub.memory FOR SELECT TO gitmem_follower USING (true);
CREATE POLICY note ON hub.audit FOR INSERT TO gitmem_reader WITH CHECK (true);

GRANT USAGE ON SCHEMA hub TO gitmem_reader, gitmem_follower;
GRANT SELECT ON hub.hub TO gitmem_follower;
GRANT SELECT ON hub.repository, hub.memory TO gitmem_reader, gitmem_follower;
GRANT SELECT ON hub.reader TO gitmem_reader;
GRANT INSERT ON hub.audit TO gitmem_reader;
