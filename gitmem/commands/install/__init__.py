"""Install gitmem into the programs that call it: git hooks, agents, CI and schedulers."""
