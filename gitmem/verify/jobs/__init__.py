"""Verify jobs: their schedule, their shards, and the results that come back from them."""
