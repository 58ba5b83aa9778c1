"""The Whoosh index, which answers questions in the query language."""
