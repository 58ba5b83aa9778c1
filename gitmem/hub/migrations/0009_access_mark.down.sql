CREATE VIEW hub.access_print AS
SELECT md5(coalesce(string_agg(concat_ws(' ', r.repository, r.principal), E'\n' ORDER BY r.repository, r.principal), ''))
  AS print
FROM hub.reader r JOIN hub.repository o ON o.id = r.repository WHERE o.removed_at IS NULL;
GRANT SELECT ON hub.access_print TO gitmem_follower;
DROP TRIGGER mark_access ON hub.repository;
DROP TRIGGER mark_access ON hub.reader;
DROP FUNCTION hub.mark_access;
DROP TABLE hub.access;
