"""The server for the Model Context Protocol: agents read and write the memory, over stdio or loopback HTTP.

Importing this package takes half a second of CPU, nearly all of it for the SDK and pydantic (measured), so only
``gitmem mcp`` does.
"""
