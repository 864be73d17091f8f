"""The command line: one file a verb, options generated from the trainers."""
