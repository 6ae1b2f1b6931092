"""The program `advisor`: runs a command and turns every failure, Ctrl-C and other signals into a message and an exit code."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import signal
import sys
from typing import NoReturn

from advisor.cli.signals import ended_by, hear_no_more, hear_of_the_end  # all else is imported once signals are heard

KEPT = "What was saved before is kept."
NOT_ENOUGH_MEMORY = "Not enough memory"
_LESS_THAN_NEEDED = (
    "The work takes more than this process may have. Close other programs, or lift the limit (ulimit -v)."
)
_NO_ROOM = (
    "failed to map segment",
    "cannot map",
    "annot allocate memory",
    "cannot create shared object descriptor",
    "can't start new thread",
    "error return without exception set",  # CPython, where it finds no room for the exception
)
"""In the system's refusal to load a library, or to start a thread."""
_OBJECTS_OF_A_START = 200_000
"""Nearly all of them are kept; to look for garbage among them after every few hundred would take a tenth of the time."""
GOES_ON = "What is finished is kept: the same command goes on from there (--fresh begins anew)."


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 the work failed, 2 wrong usage or input, 130 interrupted (143, 129 by
    SIGTERM, SIGHUP)."""
    gc.set_threshold(_OBJECTS_OF_A_START)
    try:
        if sys.stdin is None:
            sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123
        for name in ("stdout", "stderr"):  # None where the caller closed it
            if getattr(sys, name) is None:
                setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        hear_of_the_end()
        _leave_the_current_folder()
        code = _run()
        hear_no_more()
    except KeyboardInterrupt:  # while the program itself was being loaded, too
        end_interrupted()
    except (ImportError, RuntimeError, MemoryError, SystemError) as error:  # while the program was being loaded
        if not isinstance(error, MemoryError) and not any(words in str(error) for words in _NO_ROOM):
            raise
        print(f"{NOT_ENOUGH_MEMORY}\n  {_LESS_THAN_NEEDED}", file=sys.stderr)  # what draws panels may lack it as well
        code = 1
    gc.freeze()  # looking for garbage for the last time takes 50 ms; all of it goes now anyway
    sys.exit(code)


def _run() -> int:
    import typer  # 55 ms

    from advisor.cli.app import program
    from advisor.cli.console import BAD_INPUT, DONE, FAILED, INTERRUPTED, error_panel, panel
    from advisor.errors import InputError, OutOfMemoryError

    if not _is_somewhere():
        panel("There is no current folder", ["It was deleted or moved away. Go to another one first: cd"])
        return BAD_INPUT
    try:
        code = program().main(standalone_mode=False, prog_name="advisor")
        sys.stdout.flush()
    except InputError as error:
        if ended_by() is not None:  # what was stopped could not be done
            end_interrupted()
        error_panel(error)
        return FAILED if isinstance(error, OutOfMemoryError) else BAD_INPUT
    except MemoryError:
        panel(NOT_ENOUGH_MEMORY, [_LESS_THAN_NEEDED])
        return FAILED
    except typer.Abort:
        end_interrupted()
    except BrokenPipeError:
        _close_stdout()  # nobody reads any more
        return DONE
    except SystemExit as exit_:  # typer's answer to a broken pipe, which is no failure
        if not isinstance(exit_.__context__, BrokenPipeError):
            raise
        _close_stdout()
        return DONE
    except OSError as error:
        if ended_by() is not None:  # the terminal is gone, and what was to be written to it
            end_interrupted()
        if error.errno == errno.ENOMEM:
            panel(NOT_ENOUGH_MEMORY, [_LESS_THAN_NEEDED])
            return FAILED
        panel("The work failed", [f"{error.filename or 'output'}: {error.strerror or error}"])
        _close_stdout()
        return FAILED
    except typer.Exit as exit_:
        return exit_.exit_code
    except Exception as error:
        if "can't start new thread" in str(error):
            panel(
                "No thread can be started", ["Close other programs, or lift the limit on your processes (`ulimit -u`)."]
            )
            return FAILED
        return _usage_error(error)
    if code == INTERRUPTED:  # typer's answer to Ctrl-C
        end_interrupted()
    return code if isinstance(code, int) else DONE


def _leave_the_current_folder() -> None:
    """Import nothing from there, though an empty or relative entry of PYTHONPATH (`:/opt/lib`) says so."""
    for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        if not os.path.isabs(entry):  # noqa: PTH117 - pathlib takes a while to import
            with contextlib.suppress(OSError, ValueError):
                sys.path.remove(os.path.abspath(entry or os.curdir))  # noqa: PTH100


def _is_somewhere() -> bool:
    """False where the current folder is gone, in which any command may look for files."""
    try:
        os.getcwd()  # noqa: PTH109 - pathlib takes a while to import
    except OSError:
        return False
    return True


def _usage_error(error: Exception) -> int:
    """Show wrong usage as one panel; anything else is a fault of the program and keeps its traceback."""
    from advisor.cli.app import named  # loaded by then
    from advisor.cli.console import BAD_INPUT, panel

    message = getattr(error, "format_message", None)
    context = getattr(error, "ctx", None)
    if message is None:
        raise error
    if type(error).__name__ == "NoArgsIsHelpError" and context is not None:
        sys.stderr.write(f"{context.get_help()}\n")
        return BAD_INPUT
    command = context.command_path if context is not None else named(sys.argv[1:])
    what = str(message()).replace(": Value error, ", ": ")
    panel("This command cannot be understood", [what, f"`{command} --help` shows what it takes."])
    return BAD_INPUT


def end_interrupted(what: str = KEPT) -> NoReturn:
    """End the program with 130 and one message: what is kept, and how to go on. By another signal with 128 and its number,
    as a shell tells of it."""
    hear_no_more()
    from advisor.cli.console import panel

    by = ended_by() or signal.SIGINT
    try:
        panel("Interrupted" if by is signal.SIGINT else f"Ended by {by.name}", [what], style="yellow")
    except OSError:  # the terminal is gone
        _close_stdout()
        os.dup2(1, 2)
    raise SystemExit(128 + by)


def _close_stdout() -> None:
    """Send what is still to be written nowhere, so that nothing complains a second time at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
