"""The command line, ``graycube VERB``: one file a verb, each a user of the public names.

Rules. What a program would read goes to standard output, and ``--json`` makes it JSON; what
only a person wants (progress, where a file went, errors) goes to standard error. The exit
status is 0, or 1 if a check did not come out as it should, or 2 if the input cannot be used.
"""

from graycube.cli.main import main

__all__ = ["main"]
