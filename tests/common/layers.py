"""How many functions of Python a call takes: its layers, however busy the machine is."""

import sys


def layers(call):
    """The functions of Python that run in a call, once what it keeps is made.

    Those that run while the rank waits for others are not counted. The fewest of three calls:
    in any of them memory may be tidied up that has nothing to do with it.
    """
    call(), call()
    return min(_layers_once(call) for _ in range(3))


def _layers_once(call):
    count = 0

    def saw(frame, event, _arg):
        nonlocal count
        waits = frame.f_code.co_filename.endswith(("run/waiting.py", "run/roll.py"))
        count += event == "call" and not waits

    sys.setprofile(saw)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count
