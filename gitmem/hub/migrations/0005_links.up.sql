-- What memories require of other repositories, and which others of their own repository rest on those in turn: along
-- these links suspicion crosses, for readers of all repositories on its way.

CREATE TABLE hub.link (
  repository integer NOT NULL REFERENCES hub.repository ON DELETE CASCADE,
  source text NOT NULL,                      -- the key of a memory
  elsewhere text NOT NULL,                   -- the name of the repository of which it requires a memory; empty: its own
  target text NOT NULL,                      -- the key of that memory
  PRIMARY KEY (repository, source, elsewhere, target)
);
CREATE INDEX link_target ON hub.link (elsewhere, target);

ALTER TABLE hub.link ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON hub.link FOR SELECT TO gitmem_reader USING
  (repository IN (SELECT repository FROM hub.reader WHERE principal = ANY (hub.principals())));
GRANT SELECT ON hub.link TO gitmem_reader;

-- The next sync reads every repository once more, for its links; memories that are the same are not written again.
UPDATE hub.repository SET commit = '' WHERE removed_at IS NULL;
