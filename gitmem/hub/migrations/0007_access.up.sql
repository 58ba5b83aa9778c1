-- A mark of who may read what, of the same cost however many readers there are. It changes with each change of readers
-- and of the list of repositories, also if the next one takes it back.

CREATE TABLE hub.access (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  mark uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO hub.access DEFAULT VALUES;
GRANT SELECT ON hub.access TO gitmem_follower;

-- Only the owner of the tables has a right to write the mark; whoever else may change readers changes it as the owner.
CREATE FUNCTION hub.mark_access() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE hub.access SET mark = gen_random_uuid();
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION hub.mark_access() FROM PUBLIC;
CREATE TRIGGER mark_access AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON hub.reader
  FOR EACH STATEMENT EXECUTE FUNCTION hub.mark_access();
CREATE TRIGGER mark_access AFTER INSERT OR UPDATE OF removed_at OR DELETE OR TRUNCATE ON hub.repository
  FOR EACH STATEMENT EXECUTE FUNCTION hub.mark_access();
