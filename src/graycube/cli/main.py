"""The group of verbs, and what becomes of errors: one line that says what to do."""

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from errno import EDQUOT, ENOSPC
from importlib import import_module
from typing import cast

import click
from click.shell_completion import get_completion_class

import graycube as gc
from graycube.cli.console import complain, say, tell
from graycube.texts import one_line

BAD_INPUT = 2
_INTERRUPTED = 130  # what shells give for Ctrl-C
_CLOSED_PIPE = 141  # and for a reader that went away
_SHELLS = ("bash", "zsh", "fish")


# In the order in which people meet them, not the alphabet's.
_VERBS = [
    "demo",
    "plan",
    "verify",
    "view",
    "advise",
    "place",
    "calibrate",
    "bench",
    "reproduce",
]


# What click says of a value, and what we do.
_OURS = {
    "a valid integer range": "a whole number",
    "a valid integer": "a whole number",
    "a valid float range": "a number",
    "a valid float": "a number",
}


class _Verbs(click.Group):
    """Each verb is in the module of its name, which is loaded when somebody asks for it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return _VERBS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            if ctx.resilient_parsing:  # a shell completes what is not whole yet
                return None
            near = get_close_matches(cmd_name, _VERBS, n=1)
            ctx.fail(f"{cmd_name!r} is no verb" + (f"; say graycube {near[0]}" if near else ""))
        module = import_module(f"graycube.cli.{cmd_name}")
        return cast("click.Command", getattr(module, cmd_name))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(gc.__version__, prog_name="graycube", message="%(prog)s %(version)s")
@click.option(
    "--completion",
    type=click.Choice(_SHELLS),
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, shell: _print_completion(context, shell),
    help="Print the completion script of a shell, to be sourced, and stop.",
)
def verbs() -> None:
    """Arrays spread over 2^n nodes: where everything is, and how to move it.

    \b
    graycube demo                                       see what it is for
    graycube plan gray binary --dims 6 --block 64KiB    a conversion, priced
    graycube VERB --help                                more of each
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``graycube ARGUMENTS``, those of the process by default; its exit status.

    >>> main(["verify", "nowhere.json"])
    2
    """
    stdout = sys.stdout
    try:
        status = verbs.main(
            None if arguments is None else list(arguments),
            prog_name="graycube",
            standalone_mode=False,
        )
    except click.exceptions.NoArgsIsHelpError as error:
        tell(error.format_message())
        return BAD_INPUT
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "graycube"
        complain(_usage(error), f"See: {path} --help")
        return BAD_INPUT
    except click.Abort:
        tell("interrupted")
        return _INTERRUPTED
    except SystemExit:
        if sys.stdout is not stdout:  # click wraps it when nobody reads any more
            return _CLOSED_PIPE
        raise
    except (gc.GraycubeError, OSError, MemoryError) as error:
        complain(_told(error))
        return BAD_INPUT
    return status if isinstance(status, int) else 0


def _usage(error: click.ClickException) -> str:
    """What is wrong with a command line, in the words of our other errors."""
    match error:
        case click.NoSuchOption(option_name=name, possibilities=near):
            return f"{name} is no option" + (f"; say {' or '.join(near)}" if near else "")
        case click.BadOptionUsage(option_name=name, message=said):
            if "does not take" in said:
                return f"{name} takes no value; write it alone"
            return f"{name} has no value; write one behind it"
        case click.MissingParameter(param=click.Parameter() as param):
            return f"{_named(param)} is missing; write it behind the verb"
        case click.BadParameter(param=click.Parameter() as param, message=said):
            for theirs, ours in _OURS.items():
                said = said.replace(theirs, ours)
            return f"{_named(param)}: {said.rstrip('.')}"
        case _:
            return error.format_message()


def _named(param: click.Parameter) -> str:
    """An option as it is written, or an argument as the help has it."""
    return param.opts[-1] if isinstance(param, click.Option) else param.human_readable_name


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = "standard output" if error.filename is None else error.filename
        step = "make room" if error.errno in {ENOSPC, EDQUOT} else "check the path"
        return f"{one_line(where)}: {error.strerror}; {step}"
    if isinstance(error, MemoryError):
        return f"{one_line(error) or 'the memory is full'}; choose a smaller block or shape"
    return str(error)


def _print_completion(context: click.Context, shell: str | None) -> None:
    if shell is None:
        return
    made = get_completion_class(shell)
    if made is not None:
        say(made(verbs, {}, "graycube", "_GRAYCUBE_COMPLETE").source())
    context.exit()
