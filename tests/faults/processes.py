"""Children that are killed: forks, so that nothing is imported and loaded anew each time."""

import os
import signal
import sys
import time
import traceback

HANGS = 120.0  # seconds after a signal


def fork(run, log, limit=None):
    """Run a function in a child; what it prints goes to a file.

    ``limit`` bounds the size of the files it may write, in bytes, as a full disk would.
    """
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for one in (signal.SIGTERM, signal.SIGHUP):  # ignored under nohup, and so by children
            signal.signal(one, signal.SIG_DFL)
        with open(log, "wb", buffering=0) as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        if limit is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        code = run() or 0
    except KeyboardInterrupt:
        code = 130
    except SystemExit as stop:
        code = stop.code
    except BaseException:
        # The file is limited, too: the last line is what tells.
        traceback.print_exc(limit=None if limit is None else 0, chain=limit is None)
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def end_of(child, within=HANGS):
    """Exit code, negative where a signal ended it; None where it hung and was killed."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def kill_after(seconds, number, run, log):
    """Start, wait, send a signal; the exit code as of ``end_of``."""
    child = fork(run, log)
    time.sleep(seconds)
    os.kill(child, number)
    return end_of(child)
