"""The server of the Model Context Protocol: what agents ask of the memory and write to it, over stdio or loopback HTTP.

Importing this room takes half a second of CPU, nearly all of it the SDK and pydantic (measured): only ``gitmem mcp``
does.
"""
