"""Detect hazardous text in memories: requests that no memory should make. Pure, and only used in reviews."""
