"""Runs a script as Python itself does, and announces its exit status (hooks/announce.h).

Given after -c, with the script and its arguments behind it.  What is odd in any way is left to
Python, which is started anew without us.  No apostrophe in threes and no backslash here: this text
is in a literal of another one.
"""
import sys


def plain(fd, given):
    """Starts Python as it would have been started without us."""
    import posix
    try:
        posix.close(fd)
    except OSError:
        pass
    posix.execv(sys.executable or '/proc/self/exe', command(given))


def command(given):
    """The words that it would have been started with."""
    if hasattr(sys, 'orig_argv'):
        words = list(sys.orig_argv)
    else:
        import os
        text = getattr(os, 'fsdecode', str)
        with open('/proc/self/cmdline', 'rb') as f:
            words = [text(word) for word in f.read().split(chr(0).encode())[:-1]]
    at = len(words) - len(given) - 2
    return words[:at] + words[at + 2:]


def read(fd, script):
    """Its code; None where Python has to say why there is none."""
    import atexit
    import posix
    if sys.version_info < (3, 8) or sys.implementation.name != 'cpython':
        return None
    flags = sys.flags
    if flags.inspect or flags.interactive or flags.dev_mode or sys.warnoptions:
        return None
    # Callbacks that come after ours.
    if atexit._ncallbacks():
        return None
    try:
        if posix.fstat(fd).st_mode & 0xf000 != 0xc000 or posix.stat(script).st_mode & 0xf000 != 0x8000:
            return None
        with open(script, 'rb') as f:
            return compile(f.read(), script, 'exec', 0, True)
    except Exception:
        return None


def settle(script, given):
    """What Python sets before a script runs."""
    import os
    main = sys.modules['__main__'].__dict__
    if hasattr(sys, 'orig_argv'):
        sys.orig_argv = command(given)
    sys.argv = given
    if not (sys.flags.isolated or getattr(sys.flags, 'safe_path', False)):
        sys.path[0] = os.path.dirname(os.path.realpath(script))
    loader = sys.modules['_frozen_importlib_external'].SourceFileLoader
    main.update(__file__=script, __cached__=None, __loader__=loader('__main__', script))
    return main


def hide(hook):
    """Tracebacks begin with the script: three frames before it are ours."""
    def call(kind, value, trace):
        sys.excepthook = hook
        trace = trace.tb_next.tb_next.tb_next
        value.__traceback__ = sys.last_traceback = trace
        hook(kind, value, trace)
    return call


# Of the library those that older versions cannot name.
NAMES = ('_io', '_weakrefset', 'abc', 'codecs', 'functools', 'io', 'os', 'subprocess', 'tempfile',
         'threading', 'weakref')


def is_known(name, names=getattr(sys, 'stdlib_module_names', NAMES)):
    return type(name) is str and name != '__main__' and name.split('.')[0] in names


def settled():
    """Is what this process says said, whatever its end does?  In doubt it is not."""
    import _io
    import _thread
    import _weakref
    import gc
    if _thread._count() or gc.get_freeze_count() != settled.frozen:
        return False
    for name in '_ctypes', '_cffi_backend', '_asyncio', '_curses':
        if name in sys.modules:
            return False
    # What is compiled may have printed into a buffer of C, which is written at the very end.
    for module in list(sys.modules.values()):
        file = getattr(module, '__file__', None)
        if type(file) is str and file.endswith('.so') and '/lib-dynload/' not in file:
            return False
    for stream in sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__:
        if stream is not None and not getattr(stream, 'closed', False):
            stream.flush()
    objects = gc.get_objects()
    function, wrapper, generator = type(settled), type(object.__init__), type(_ for _ in ())
    kinds = {_weakref.ref}
    for kind in set(map(type, objects)):
        for base in kind.__mro__:
            end = base.__dict__.get('__del__')
            if end is not None:
                break
        else:
            continue
        if type(end) is function:
            if not is_known(end.__globals__.get('__name__')):
                return False
        elif type(end) is not wrapper:
            return False
        if issubclass(kind, _io._IOBase):
            if not is_known(kind.__module__):
                return False
            kinds.add(kind)
        elif kind is generator:
            kinds.add(kind)
        elif kind.__module__ == 'builtins':  # what is asynchronous
            return False
    for thing in objects:
        kind = type(thing)
        if kind not in kinds:
            continue
        if kind is generator:
            frame = thing.gi_frame
            if frame is not None and not is_known(frame.f_globals.get('__name__')):
                return False
        elif kind is _weakref.ref:
            call = getattr(thing.__callback__, '__func__', thing.__callback__)
            if type(call) is function and not is_known(call.__globals__.get('__name__')):
                return False
        elif not thing.closed:
            try:
                thing.flush()
            except (OSError, ValueError):
                pass
    return True


def run(fd, given):
    script = given[0]
    if sys.version_info >= (3, 9) and script[:1] != '/':
        import os
        script = os.getcwd() + '/' + script
    code = read(fd, script)
    if code is None:
        plain(fd, given)
    import atexit
    import gc
    import posix
    posix.set_inheritable(fd, False)
    fstat, getpid, take, write = posix.fstat, posix.getpid, posix.read, posix.write
    us, here, status = getpid(), fstat(fd), []
    settled.frozen = gc.get_freeze_count()

    def end():
        """The last callback of all; what is left to do is finalization."""
        try:
            if status and getpid() == us and settled():
                now = fstat(fd)
                if (now.st_dev, now.st_ino) == (here.st_dev, here.st_ino):
                    write(fd, b'exit %d' % status[0] + chr(10).encode())
                    take(fd, 1)
        except BaseException:
            pass

    atexit.register(end)
    main = settle(script, given)
    try:
        exec(code, main)
    except SystemExit as e:
        if type(e) is SystemExit:
            if e.code is None:
                status.append(0)
            elif type(e.code) is str:
                status.append(1)
            elif type(e.code) in (int, bool) and -1 << 31 <= e.code < 1 << 31:
                status.append(e.code & 255)
        raise
    except BaseException:
        if getattr(sys, 'excepthook', None):
            sys.excepthook = hide(sys.excepthook)
        raise
    main.pop('__file__', None)
    main.pop('__cached__', None)
    status.append(0)


run(4, sys.argv[1:])
