"""What a workflow does with memories: steps before and after the work, decisions, learnings that a lead passes on."""
