"""How each library does each task: one module an engine.

A task that is done once is a function of the same name, which takes the job and returns the seconds of the
task proper and a mapping of facts that prove the result. Tasks in passes share `encoder`, which loads the
model of the job and says which calls the library has.
"""
