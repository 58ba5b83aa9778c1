-- Marks that identify the history of changes. A node with another mark was made from a state that a restored backup took
-- back. The numbers of the changes alone do not show that, because those after the backup have the same ones.

CREATE TABLE hub.history (
  seq bigint PRIMARY KEY,                    -- the number of the last change of a statement
  mark uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO hub.history (seq) SELECT max(seq) FROM hub.memory HAVING count(*) > 0;
GRANT SELECT ON hub.history TO gitmem_follower;

-- Whoever writes holds the lock of `begin_change`, so the largest number is that of this statement, if it changed any.
-- A node that lacks a million changes is made again.
CREATE FUNCTION hub.mark_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hub.history (seq) SELECT max(seq) FROM hub.memory HAVING max(seq) > 0 ON CONFLICT DO NOTHING;
  DELETE FROM hub.history WHERE seq < (SELECT max(seq) - 1000000 FROM hub.memory);
  RETURN NULL;
END $$;
CREATE TRIGGER d_mark AFTER INSERT OR UPDATE ON hub.memory FOR EACH STATEMENT EXECUTE FUNCTION hub.mark_change();
