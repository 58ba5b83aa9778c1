DROP TABLE hub.verdict;
