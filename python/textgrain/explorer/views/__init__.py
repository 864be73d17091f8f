"""The answers of the explorer: a file a view, each a thin layer of calls of the public library."""
