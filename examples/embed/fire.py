#!/usr/bin/env python3
"""fire.c in Python, on tl_fire_json():  ./fire.py 'rm -rf /'

Exit status 0: the command may run, 1: it may not, 2: the hooks could not be asked.
"""

import ctypes
import json
import sys

LOAD_REFUSE_UNTRUSTED = 1 << 3


class Options(ctypes.Structure):
    """The first members of struct tl_options: `size` tells the library that there are no more."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("flags", ctypes.c_uint),
        ("cwd", ctypes.c_char_p),
        ("project_dir", ctypes.c_char_p),
        ("home", ctypes.c_char_p),
        ("env", ctypes.POINTER(ctypes.c_char_p)),
        ("sources", ctypes.c_void_p),
        ("nsources", ctypes.c_size_t),
        ("runtime", ctypes.c_void_p),
        ("nruntime", ctypes.c_size_t),
    ]


class Error(ctypes.Structure):
    """struct tl_err"""

    _fields_ = [
        ("code", ctypes.c_int),
        ("text", ctypes.c_char * 500),
        ("file", ctypes.c_char * 1024),
        ("line", ctypes.c_uint),
        ("column", ctypes.c_uint),
        ("sentence", ctypes.c_uint),
    ]


class HooksError(Exception):
    """The hooks could not be asked.  Never go on as if they had allowed it."""

    def __init__(self, error):
        super().__init__(error.text.decode("utf-8", "replace"))


def function(library, name, result, *arguments):
    """A function of the library; ctypes takes what is not declared for an int, and cuts pointers."""
    f = library[name]
    f.restype, f.argtypes = result, arguments
    return f


class Hooks:
    """The hooks of the current project and user, loaded once.  Any number of threads may fire."""

    def __init__(self, flags=LOAD_REFUSE_UNTRUSTED):
        library = ctypes.CDLL("libtrotline.so.1")
        pointer, error = ctypes.c_void_p, ctypes.POINTER(Error)
        load = function(library, "tl_hooks_load", ctypes.c_int, ctypes.POINTER(Options),
                        ctypes.POINTER(pointer), error)
        self._unref = function(library, "tl_hooks_unref", None, pointer)
        self._fire = function(library, "tl_fire_json", pointer, pointer, ctypes.c_char_p,
                              ctypes.c_size_t, pointer, error)
        self._free = function(ctypes.CDLL(None), "free", None, pointer)
        self._hooks = pointer()

        err = Error()
        options = Options(size=ctypes.sizeof(Options), flags=flags)
        if load(ctypes.byref(options), ctypes.byref(self._hooks), ctypes.byref(err)) < 0:
            raise HooksError(err)

    def fire(self, event, subject=None, **fields):
        """Runs the hooks that the event concerns and returns the outcome as a dict."""
        text = json.dumps({"event": event, "subject": subject, "fields": fields}).encode()
        err = Error()
        answer = self._fire(self._hooks, text, len(text), None, ctypes.byref(err))
        if not answer:
            raise HooksError(err)
        try:
            return json.loads(ctypes.string_at(answer))
        finally:
            self._free(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._unref(self._hooks)


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else "ls"
    try:
        with Hooks() as hooks:
            outcome = hooks.fire("BeforeTool", "run_shell_command", tool_input={"command": command})
    except (HooksError, OSError) as e:  # OSError: there is no libtrotline.so.1
        print(f"fire: {e}", file=sys.stderr)
        return 2
    # A stop ends the whole turn, so it is looked at first.
    if outcome["stop"]:
        print("stop:", outcome["stop_reason"])
    elif outcome["verdict"] not in ("none", "allow"):
        print(f"{outcome['verdict']}: {outcome['reason']}")
    else:
        print("allowed")
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
