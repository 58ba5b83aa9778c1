"""Parse, check, write and edit the text of memory files. No file is accessed here.

``parse`` reads a file's text, ``format`` writes a new one, ``edit`` changes fields of one in place, ``fields`` has the
types of the known fields and their values, ``spec`` returns and hashes a memory's check. They use ``split`` (where the
frontmatter ends) and ``yaml`` (its readers, and the lines of each field).
"""
