DROP TRIGGER mark_access ON hub.repository;
DROP TRIGGER mark_access ON hub.reader;
DROP FUNCTION hub.mark_access;
DROP TABLE hub.access;
