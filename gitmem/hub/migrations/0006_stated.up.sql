-- Facts that compare a value with one of another repository (`agree`): what that one states, for the workers.

-- Only where all readers of a repository may read the other one: its verdicts are for all of them.
CREATE VIEW hub.stated AS
SELECT DISTINCT l.repository, l.elsewhere || ':' || l.target AS reference, t.status,
  t.fields #> '{frontmatter,verify}' AS verify
FROM hub.link l
JOIN hub.memory s ON s.repository = l.repository AND s.key = l.source AND NOT s.deleted
  AND (s.fields #> '{frontmatter,verify,agree}') ? (l.elsewhere || ':' || l.target)
JOIN hub.repository o ON o.name = l.elsewhere AND o.removed_at IS NULL
JOIN hub.memory t ON t.repository = o.id AND t.key = l.target AND NOT t.deleted AND t.fields ->> 'hidden' = ''
WHERE l.elsewhere <> ''
  AND EXISTS (SELECT FROM hub.reader a WHERE a.repository = l.repository)
  AND NOT EXISTS (SELECT FROM hub.reader a WHERE a.repository = l.repository AND NOT EXISTS (
    SELECT FROM hub.reader b WHERE b.repository = o.id AND b.principal IN (a.principal, 'everyone')));

-- A fingerprint of these for each repository that has any: another one makes it due.
CREATE VIEW hub.stated_print AS
SELECT repository, md5(string_agg(concat_ws(' ', reference, status, verify), E'\n' ORDER BY reference)) AS print
FROM hub.stated GROUP BY repository;

ALTER TABLE hub.verification ADD stated text NOT NULL DEFAULT ''; -- the fingerprint that the last job saw
