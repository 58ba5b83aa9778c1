"""Access to git: direct reads of simple files, and the git binary or libgit2 for everything else."""
