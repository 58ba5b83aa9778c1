-- Webhooks: the server, which may change nothing else, notes that a repository was pushed to; `gitmem hub sync` looks.

ALTER TABLE hub.repository ADD pushed_at timestamptz; -- since when a push waits for the next sync; null: none does

CREATE FUNCTION hub.note_push(urls text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  UPDATE hub.repository SET pushed_at = now() WHERE url = ANY (urls) AND removed_at IS NULL AND pushed_at IS NULL;
  IF FOUND THEN
    PERFORM pg_notify('gitmem_hub_push', '');
  END IF;
END $$;
REVOKE ALL ON FUNCTION hub.note_push FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hub.note_push TO gitmem_follower;
