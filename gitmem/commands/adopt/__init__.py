"""Check what a repository's own documents claim about its code, at HEAD and when each line was written."""
