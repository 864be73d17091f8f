"""How each library does each task: one module an engine, one function a task.

A function takes the corpus path and the number of threads, and returns the seconds of the task proper
and a mapping of facts that prove the result.
"""
