ALTER TABLE hub.verification DROP stated;
DROP VIEW hub.stated_print, hub.stated;
