"""Import memories: files of other systems, and gitmem's own exports."""
