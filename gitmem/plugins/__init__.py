"""Parts of gitmem that nothing else needs: each folder here is a plug-in, found as one of another package is.

Delete a folder and the rest works without it; no module outside of it imports it, except for the property of ``Memory``
that hands out its API.
"""
