DROP FUNCTION hub.note_push;
ALTER TABLE hub.repository DROP pushed_at;
