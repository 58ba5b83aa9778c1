-- What `gitmem hub work` needs: where the code of each repository is, what workers did, and the queue of their jobs.

ALTER TABLE hub.repository
  ADD code text NOT NULL DEFAULT '',         -- the commit of the code's default branch that the last sync saw
  ADD code_branch text NOT NULL DEFAULT '',  -- that branch; empty: there is none
  ADD platform text NOT NULL DEFAULT '',     -- only workers with this label take its jobs; empty: all do
  ADD budget_s integer CHECK (budget_s > 0); -- seconds of workers for each day (UTC); null: no limit

-- The last job of each repository.
CREATE TABLE hub.verification (
  repository integer PRIMARY KEY REFERENCES hub.repository ON DELETE CASCADE,
  at timestamptz,                            -- when the last job that succeeded ended
  code text NOT NULL DEFAULT '',             -- the commits of the code and of the memory branch after it
  memory text NOT NULL DEFAULT '',
  judged integer NOT NULL DEFAULT 0,         -- facts that it judged, and those whose commands nobody approved
  unapproved integer NOT NULL DEFAULT 0,
  seconds real NOT NULL DEFAULT 0,
  worker text NOT NULL DEFAULT '',           -- the machine of the last job
  problem text NOT NULL DEFAULT '',          -- why the last job failed; empty: it did not
  problem_at timestamptz,
  tried text NOT NULL DEFAULT ''             -- the commit of the code that the last job was for
);

CREATE TABLE hub.spent (
  repository integer NOT NULL REFERENCES hub.repository ON DELETE CASCADE,
  day date NOT NULL,
  seconds real NOT NULL,
  PRIMARY KEY (repository, day)
);

-- The facts, whose times and statuses decide what is due.
CREATE INDEX memory_fact ON hub.memory (repository) WHERE NOT deleted AND kind <> 'task' AND fields->'proof' <> 'null';

-- No policy: only their owner, who runs the workers, reads them.
ALTER TABLE hub.verification ENABLE ROW LEVEL SECURITY;
ALTER TABLE hub.spent ENABLE ROW LEVEL SECURITY;

-- The queue's own tables, as its library brings them. A release with another schema is a migration of its own here.
-- include procrastinate
