DROP VIEW hub.access_print;
