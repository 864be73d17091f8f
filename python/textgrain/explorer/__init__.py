"""A local page that shows how text becomes numbers, on the user's own models.

The page is a program in the browser (`web/` in the repository, built into `static/` here); what it draws it
asks of a small server on this machine. The server computes nothing itself: each view has a file in `views/`
that turns a question into calls of the public library. The page and its answers can also be written
to one file (`export.py`).
"""

from textgrain.explorer.export import export_html
from textgrain.explorer.launch import Explorer, explore

__all__ = ["Explorer", "explore", "export_html"]
