"""The hub: the memories of many repositories in one PostgreSQL database. Git stays the truth: the hub can be dropped.

Its packages are those of the extra ``hub``; only the commands of ``gitmem hub`` import anything of this folder.
"""
