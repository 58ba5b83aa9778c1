"""The Whoosh index, which supports the query language."""
