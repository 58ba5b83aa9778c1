"""Recall: search one or several stores, list the newest memories, and count them. Runs nothing and writes nothing."""
