"""Write memories: remember, edit, forget, supersede. One command, one commit."""
