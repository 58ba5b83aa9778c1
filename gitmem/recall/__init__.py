"""Recall: questions put to one store or several, the newest memories, and counts. Runs nothing, writes nothing."""
