DROP TRIGGER d_mark ON hub.memory;
DROP FUNCTION hub.mark_change;
DROP TABLE hub.history;
