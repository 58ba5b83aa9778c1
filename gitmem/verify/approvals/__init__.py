"""Which commands may run: approvals in this clone, and the reviewed list on the default branch."""
