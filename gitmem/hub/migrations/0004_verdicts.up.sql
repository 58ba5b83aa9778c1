-- Verdicts that clones share, by the hash of a check, its inputs and its machine. Each is signed by who made it and
-- believed by nobody without that signature, so every identity may read and replace them.

CREATE TABLE hub.verdict (
  name bytea PRIMARY KEY CHECK (length(name) = 32),
  body bytea NOT NULL CHECK (length(body) BETWEEN 1 AND 65536),
  at timestamptz NOT NULL DEFAULT now(),
  identity text NOT NULL                     -- who sent it
);
CREATE INDEX verdict_at ON hub.verdict (at);

ALTER TABLE hub.verdict ENABLE ROW LEVEL SECURITY;
CREATE POLICY shared ON hub.verdict TO gitmem_reader
  USING (hub.principals() IS NOT NULL) WITH CHECK (hub.principals() IS NOT NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON hub.verdict TO gitmem_reader;
