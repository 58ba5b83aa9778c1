-- The roles stay: other databases of the same server may use them.
DROP SCHEMA hub CASCADE;
