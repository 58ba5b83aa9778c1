"""What is known of the store, in one SQLite file under the common git directory; deletable at any time."""
