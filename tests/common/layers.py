"""How many functions of Python a call takes: its layers, however busy the machine is."""

import sys


def layers(call):
    """The functions of Python that run in a call, once what it keeps is made."""
    call(), call()
    count = 0

    def saw(_frame, event, _arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(saw)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count
