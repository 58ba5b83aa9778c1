DROP TABLE hub.link;
