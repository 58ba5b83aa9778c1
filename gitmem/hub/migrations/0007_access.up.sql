-- A fingerprint of who may read what: a server that sees another one every second asks again what its readers may see.

CREATE VIEW hub.access_print AS
SELECT md5(coalesce(string_agg(concat_ws(' ', r.repository, r.principal), E'\n' ORDER BY r.repository, r.principal), ''))
  AS print
FROM hub.reader r JOIN hub.repository o ON o.id = r.repository WHERE o.removed_at IS NULL;
GRANT SELECT ON hub.access_print TO gitmem_follower;
