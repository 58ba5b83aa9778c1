"""The store: memories as files on a ref, read from the object database and written by compare-and-swap."""
