"""What a program in a sandbox tries in order to get out.  Runs as a hook; prints a line of JSON for
each attempt: [name, what happened].

"reached" is an escape; anything else is the error that kept it in.  Arguments: the directory that
lies outside, the directory that may be written ("" = none), the process outside, its TCP port."""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import struct
import sys

OUTSIDE, INSIDE, VICTIM, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
PROJECT = os.getcwd()
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
X86 = os.uname().machine == 'x86_64'
AT_FDCWD, O_PATH = -100, 0o10000000


def call(nr, *args):
    """A system call by its number; what is no number is a pointer."""
    args = [ctypes.c_char_p(a.encode() + b'\0') if isinstance(a, str) else
            ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) for a in args]
    r = libc.syscall(ctypes.c_long(nr), *args)
    if r < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return r


def attempt(name, f, *args):
    """In a process of its own, so that nothing is left of it."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = f(*args) or 'reached'
        except OSError as e:
            said = errno.errorcode.get(e.errno, str(e))
        except Exception as e:  # it is not an escape, and not what was meant either
            said = 'broken: %r' % e
        os.write(w, said.encode())
        os._exit(0)
    os.close(w)
    said = os.read(r, 4096).decode() or 'killed'
    os.close(r)
    os.waitpid(pid, 0)
    print(json.dumps([name, said]), flush=True)


# ---- paths: every way to say a name, with everything that can be done to it ----

def opened(path):
    return os.open(path, O_PATH)


def into(path):
    os.chdir(os.path.dirname(path))
    return os.path.basename(path)


def into_open(path):
    os.fchdir(os.open(os.path.dirname(path), O_PATH | os.O_DIRECTORY))
    return os.path.basename(path)


def linked(path):
    """Through a link that the sandbox makes itself, where it may."""
    link = os.path.join(INSIDE or PROJECT, 'link%d' % os.getpid())
    if INSIDE:
        os.symlink(os.path.dirname(path), link)
    else:
        link = os.path.join(PROJECT, 'way')
    return os.path.join(link, os.path.basename(path))


SPELLINGS = {
    'absolute': lambda p: p,
    'up': lambda p: os.path.join('..', os.path.relpath(p, os.path.dirname(PROJECT))),
    'far up': lambda p: '../' * 40 + p.lstrip('/'),
    'slashes': lambda p: '/' + p.replace('/', '//./'),
    'there and back': lambda p: os.path.join(PROJECT, 'in', '..', '..',
                                             os.path.relpath(p, os.path.dirname(PROJECT))),
    'own root': lambda p: '/proc/self/root' + p,
    'own cwd': lambda p: '/proc/self/cwd/../' + os.path.relpath(p, os.path.dirname(PROJECT)),
    'root of the parent': lambda p: '/proc/%d/root%s' % (VICTIM, p),
    'link in the project': lambda p: os.path.join(PROJECT, 'way', os.path.basename(p)),
    'own link': linked,
    'an open directory': lambda p: '/proc/self/fd/%d/%s' % (opened(os.path.dirname(p)),
                                                            os.path.basename(p)),
    'chdir': into,
    'fchdir': into_open,
}


def read(path):
    with open(path, 'rb') as f:
        f.read(1)


def write(flags):
    def f(path):
        os.write(os.open(path, flags), b'x')
    return f


def truncate_by_reading(path):
    os.open(path, os.O_RDONLY | os.O_TRUNC)


def execute(path):
    os.close(0)
    os.dup2(os.open('/dev/null', os.O_WRONLY), 2)
    os.execv(path, [path])


def own(name='own'):
    path = os.path.join(INSIDE or PROJECT, '%s%d' % (name, os.getpid()))
    if INSIDE:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    else:
        path = os.path.join(PROJECT, 'in', 'file')
    return path


def sendmsg_to(path):
    a, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    a.sendto(b'x', path)


def connect_to(path):
    socket.socket(socket.AF_UNIX).connect(path)


def exchange(path):
    call(316 if X86 else 276, AT_FDCWD, own(), AT_FDCWD, path, 2)


def reopen(path):
    os.open('/proc/self/fd/%d' % opened(path), os.O_RDONLY)


# file: what is there; new: what is not; directory; socket
OPERATIONS = {
    'read': ('secret', read),
    'write': ('secret', write(os.O_WRONLY)),
    'read and write': ('secret', write(os.O_RDWR)),
    'append': ('secret', write(os.O_WRONLY | os.O_APPEND)),
    'cut off': ('secret', write(os.O_WRONLY | os.O_TRUNC)),
    'cut off by reading': ('secret', truncate_by_reading),
    'truncate': ('secret', lambda p: os.truncate(p, 0)),
    'open again': ('secret', reopen),
    'execute': ('program', execute),
    'create': ('new', write(os.O_CREAT | os.O_WRONLY)),
    'temporary file': ('empty', lambda p: os.open(p, 0o20000000 | os.O_DIRECTORY | os.O_RDWR)),
    'remove': ('secret', os.unlink),
    'move out': ('new', lambda p: os.rename(own(), p)),
    'move over': ('secret', lambda p: os.rename(own(), p)),
    'move in': ('secret', lambda p: os.rename(p, own() + '.in')),
    'exchange': ('secret', exchange),
    'hard link in': ('secret', lambda p: os.link(p, own() + '.link')),
    'hard link out': ('new', lambda p: os.link(own(), p)),
    'symbolic link': ('new', lambda p: os.symlink('x', p)),
    'directory': ('new', os.mkdir),
    'remove a directory': ('empty', os.rmdir),
    'list': ('empty', os.listdir),
    'fifo': ('new', os.mkfifo),
    'device': ('new', lambda p: os.mknod(p, 0o20600, os.makedev(1, 3))),
    'connect': ('socket', connect_to),
    'datagram': ('log', sendmsg_to),
}
# Not for every spelling: what they do is the same.
if not INSIDE:
    CHANGES = {
        'mode': ('secret', lambda p: os.chmod(p, 0o666)),
        'owner': ('secret', lambda p: os.chown(p, os.getuid(), os.getgid())),
        'times': ('secret', lambda p: os.utime(p, (1, 1))),
        'attribute': ('secret', lambda p: os.setxattr(p, 'user.x', b'x')),
    }
    OPERATIONS = {k: v for k, v in OPERATIONS.items() if k in ('read', 'write', 'create', 'remove')}
    OPERATIONS.update(CHANGES)


def paths():
    for how, spell in SPELLINGS.items():
        for what, (name, f) in OPERATIONS.items():
            path = os.path.join(OUTSIDE, name)
            attempt('%s, %s' % (what, how), lambda f=f, spell=spell, path=path: f(spell(path)) and None)


# ---- devices in a directory that may be written ----

def device_inside(kind):
    path = os.path.join(INSIDE, 'device%d' % os.getpid())
    os.mknod(path, kind | 0o600, os.makedev(1, 1))


# ---- other processes ----

def sigio():
    r, w = os.pipe()
    fcntl.fcntl(r, fcntl.F_SETFL, fcntl.fcntl(r, fcntl.F_GETFL) | os.O_ASYNC)
    fcntl.fcntl(r, 10, signal.SIGUSR1)  # F_SETSIG
    fcntl.fcntl(r, fcntl.F_SETOWN, VICTIM)
    os.write(w, b'x')
    return 'the signal is looked for outside'


def vm_read():
    buf = ctypes.create_string_buffer(8)
    local = struct.pack('QQ', ctypes.addressof(buf), 8)
    remote = struct.pack('QQ', 0x400000, 8)
    call(310 if X86 else 270, VICTIM, local, 1, remote, 1, 0)


def clone(flags):
    pid = libc.syscall(ctypes.c_long(56 if X86 else 220), ctypes.c_long(flags | signal.SIGCHLD), 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), '')


def shared_memory():
    key = int(os.environ.get('SANDBOX_SHM', '0'))
    libc.shmat.restype = ctypes.c_long
    if libc.shmat(key, None, 0o10000) == -1:
        raise OSError(ctypes.get_errno(), '')


def processes():
    attempt('kill the host', os.kill, VICTIM, 0)
    attempt('kill the parent', os.kill, os.getppid(), 0)
    attempt('kill init', os.kill, 1, 0)
    attempt('kill everybody', kill_all)
    attempt('tgkill', call, 234 if X86 else 131, VICTIM, VICTIM, 0)
    attempt('tkill', call, 200 if X86 else 130, VICTIM, 0)
    attempt('a signal by pidfd', lambda: signal.pidfd_send_signal(os.pidfd_open(VICTIM), 0))
    attempt('a signal of a pipe', sigio)
    attempt('ptrace attach', call, 101 if X86 else 117, 16, VICTIM, 0, 0)
    attempt('ptrace seize', call, 101 if X86 else 117, 0x4206, VICTIM, 0, 0)
    attempt('read memory', vm_read)
    attempt('write memory', call, 311 if X86 else 271, VICTIM, b'\0' * 16, 1, b'\0' * 16, 1, 0)
    attempt('take a descriptor', lambda: call(438, os.pidfd_open(VICTIM), 0, 0))
    attempt('limits of another', lambda: call(302 if X86 else 261, VICTIM, 7, 0, b'\0' * 16))
    attempt('compare with another', call, 312 if X86 else 272, VICTIM, os.getpid(), 1, 0, 0)
    attempt('shared memory', shared_memory)
    for name in ('environ', 'mem', 'maps', 'auxv', 'stack', 'syscall', 'pagemap', 'io'):
        attempt('/proc/PID/' + name, read, '/proc/%d/%s' % (VICTIM, name))
    for name in ('cwd', 'root', 'exe', 'fd/0', 'ns/net', 'ns/mnt', 'ns/user', 'ns/pid'):
        attempt('readlink /proc/PID/' + name, os.readlink, '/proc/%d/%s' % (VICTIM, name))
    # Their numbers can be seen, not what they are.
    attempt('the descriptors of another', lambda: [os.readlink('/proc/%d/fd/%s' % (VICTIM, n))
                                                   for n in os.listdir('/proc/%d/fd' % VICTIM)] and None)
    attempt('the namespace of another', lambda: call(
        308 if X86 else 268, os.open('/proc/%d/ns/net' % VICTIM, os.O_RDONLY), 0))
    attempt('the namespaces of another by pidfd', lambda: call(
        308 if X86 else 268, os.pidfd_open(VICTIM), 0x40000000))
    attempt('badness of another', write(os.O_WRONLY), '/proc/%d/oom_score_adj' % VICTIM)
    attempt('a session of its own', os.setsid)
    attempt('a group of its own', os.setpgid, 0, 0)


def kill_all():
    """Whoever may be signalled is in the sandbox: the host says whether it was."""
    os.kill(-1, 0)
    return 'ESRCH'


# ---- namespaces, mounts, the kernel ----

KERNEL = {  # name: number on x86_64, number elsewhere, arguments
    'chroot': (161, 51, ('/',)),
    'pivot_root': (155, 41, ('/', '/')),
    'mount': (165, 40, ('none', '/tmp', 'tmpfs', 0, 0)),
    'bind mount': (165, 40, (OUTSIDE, INSIDE or PROJECT, '', 4096, 0)),
    'umount2': (166, 39, ('/nowhere', 0)),
    'open_tree': (428, 428, (AT_FDCWD, '/', 1)),
    'move_mount': (429, 429, (-1, '', -1, '', 0)),
    'fsopen': (430, 430, ('tmpfs', 0)),
    'fspick': (433, 433, (AT_FDCWD, '/', 0)),
    'mount_setattr': (442, 442, (-1, '', 0, 0, 0)),
    'bpf': (321, 280, (0, b'\0' * 128, 128)),
    'perf_event_open': (298, 241, (b'\0' * 128, 0, -1, -1, 0)),
    'userfaultfd': (323, 282, (1,)),
    'io_uring_setup': (425, 425, (8, b'\0' * 120)),
    'io_uring_enter': (426, 426, (-1, 0, 0, 0, 0, 0)),
    'io_uring_register': (427, 427, (-1, 0, 0, 0)),
    'keyctl': (250, 219, (0, -3, 0)),
    'add_key': (248, 217, ('user', 'x', b'x', 1, -3)),
    'request_key': (249, 218, ('user', 'x', '', -3)),
    'init_module': (175, 105, (b'x', 1, '')),
    'finit_module': (313, 273, (-1, '', 0)),
    'delete_module': (176, 106, ('nothing', 0)),
    'kexec_load': (246, 104, (0, 0, 0, 0)),
    'reboot': (169, 142, (0, 0, 0, 0)),
    'swapon': (167, 224, ('/nowhere', 0)),
    'swapoff': (168, 225, ('/nowhere',)),
    'acct': (163, 89, ('/nowhere',)),
    'syslog': (103, 116, (3, b'\0' * 64, 64)),
    'sethostname': (170, 161, ('', -1)),
    'setdomainname': (171, 162, ('', -1)),
    'settimeofday': (164, 170, (-1, 0)),
    'clock_settime': (227, 112, (0, -1)),
    'adjtimex': (159, 171, (-1,)),
    'name_to_handle_at': (303, 264, (AT_FDCWD, OUTSIDE + '/secret', b'\200' + b'\0' * 200, b'\0' * 8, 0)),
    'open_by_handle_at': (304, 265, (AT_FDCWD, b'\0' * 64, 0)),
    'fanotify_init': (300, 262, (0x200, 0)),
    'quotactl': (179, 60, (0x80000800, 0, 0, b'\0' * 64)),
    'msgget': (68, 186, (0, 0o1600)),
    'semget': (64, 190, (0, 1, 0o1600)),
    'shmget': (29, 194, (0, 4096, 0o1600)),
    'mq_open': (240, 180, ('sandboxprobe', 0o102, 0o600, 0)),
    'clone3': (435, 435, (b'\0' * 88, 88)),
    'a call of the future': (600, 600, ()),
}
if X86:
    KERNEL['iopl'] = (172, 0, (3,))
    KERNEL['ioperm'] = (173, 0, (0x80, 1, 1))
    KERNEL['a call of x32'] = (0x40000000 | 41, 0, (socket.AF_INET, socket.SOCK_STREAM, 0))
NAMESPACES = {'mnt': 0x20000, 'cgroup': 0x2000000, 'uts': 0x4000000, 'ipc': 0x8000000,
              'user': 0x10000000, 'pid': 0x20000000, 'net': 0x40000000}


def call_of_32_bits():
    """socket(AF_INET, SOCK_STREAM, 0) as a program of i386 calls it."""
    code = bytes.fromhex('53b867010000bb02000000b901000000ba00000000cd805bc3')
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    at = ctypes.addressof(ctypes.c_char.from_buffer(page))
    r = ctypes.CFUNCTYPE(ctypes.c_int)(at)()
    if r < 0:
        raise OSError(-r, '')


# What a descriptor that only reads is enough for, whether or not this file system knows it.
CHANGES_BY_IOCTL = {
    'flags of a file': 0x40086602, 'attributes of a file': 0x401c5820, 'version of a file': 0x40087602,
    'version in ext4': 0x40086604, 'verity': 0x40806685, 'an encryption policy': 0x800c6613,
    'a snapshot': 0x50009401, 'a subvolume': 0x5000940e, 'no subvolume': 0x5000940f,
    'a second snapshot': 0x50009417, 'a second subvolume': 0x50009418, 'no second subvolume': 0x5000943f,
    'flags of a subvolume': 0x40089419, 'a received subvolume': 0xc0c89425, 'a label': 0x41009432,
}


def change_by_ioctl(nr):
    """Anything but EPERM is the file system's own answer: the call got there."""
    try:
        fcntl.ioctl(os.open(os.path.join(PROJECT, 'in'), os.O_RDONLY), nr, bytes(1000))
    except OSError as e:
        if e.errno == errno.EPERM:
            raise


def kernel():
    for name, (x86, other, args) in KERNEL.items():
        attempt(name, call, x86 if X86 else other, *args)
    for name, flag in NAMESPACES.items():
        attempt('unshare %s' % name, call, 272 if X86 else 97, flag)
        attempt('clone into a new %s' % name, clone, flag)
    attempt('unshare time', call, 272 if X86 else 97, 0x80)
    if X86:
        attempt('a call of 32 bits', call_of_32_bits)
    attempt('type at a terminal', lambda: fcntl.ioctl(os.openpty()[0], 0x5412, b'x'))
    attempt('make a file immutable', lambda: fcntl.ioctl(
        os.open(os.path.join(PROJECT, 'in', 'file'), os.O_RDONLY), 0x40086602, struct.pack('l', 0x10)))
    for name, nr in CHANGES_BY_IOCTL.items():
        attempt(name, change_by_ioctl, nr)
    for path in ('/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/proc/self/setgroups',
                 '/sys/kernel/mm/ksm/run', '/dev/mem', '/dev/kmsg', '/dev/tty', '/dev/ptmx', '/dev/loop-control',
                 '/dev/fuse', '/dev/net/tun', '/etc/hosts', '/usr/bin/env'):
        attempt('write %s' % path, write(os.O_WRONLY), path)
    for path in ('/dev/shm', '/tmp', '/var/tmp', '/run', '/etc', '/usr/bin', os.path.expanduser('~')):
        attempt('create in %s' % path, write(os.O_WRONLY | os.O_CREAT), path + '/sandbox-probe')
    for path in ('/tmp', '/var', '/run', '/home', '/root', '/dev', '/'):
        attempt('list %s' % path, os.listdir, path)


# ---- sockets ----

def tcp(host):
    def f():
        socket.create_connection((host, PORT), timeout=5)
    return f


def dgram(family, address):
    def f():
        socket.socket(family, socket.SOCK_DGRAM).sendto(b'x', address)
    return f


def pair_elsewhere(kind, what):
    """A socket of one's own, pointed at another."""
    def f():
        a, b = socket.socketpair(socket.AF_UNIX, kind)
        b.close()
        getattr(a, what)(os.path.join(OUTSIDE, 'socket'))
    return f


FAMILIES = {'unix': 1, 'ax25': 3, 'ipx': 4, 'appletalk': 5, 'x25': 9, 'inet': 2, 'inet6': 10, 'key': 15,
            'netlink': 16, 'packet': 17, 'rds': 21, 'ppp': 24, 'llc': 26, 'infiniband': 27, 'can': 29, 'tipc': 30,
            'bluetooth': 31, 'iucv': 32, 'rxrpc': 33, 'isdn': 34, 'phonet': 35, 'alg': 38, 'nfc': 39, 'vsock': 40,
            'kcm': 41, 'qipcrtr': 42, 'smc': 43, 'xdp': 44, 'mctp': 45}


def sockets(network):
    for name, family in FAMILIES.items():
        if network and name in ('inet', 'inet6', 'netlink'):
            continue
        for kind in (1, 2, 3, 5):
            attempt('socket %s, type %d' % (name, kind), lambda f=family, k=kind: socket.socket(f, k) and None)
    attempt('pair of datagram sockets', lambda: socket.socketpair(type=socket.SOCK_DGRAM) and None)
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        attempt('a pair connects elsewhere, %d' % kind, pair_elsewhere(kind, 'connect'))
        attempt('a pair binds, %d' % kind, pair_elsewhere(kind, 'bind'))
    attempt('abstract unix socket', lambda: socket.socket(socket.AF_UNIX).connect('\0sandbox-probe'))
    attempt('docker', connect_to, '/var/run/docker.sock')
    if network:
        for number in (2, 4, 9, 10, 12, 15, 16):
            attempt('netlink %d' % number, lambda n=number: socket.socket(16, 3, n) and None)
        attempt('raw', lambda: socket.socket(2, 3, 1) and None)
        return
    attempt('TCP', tcp('127.0.0.1'))
    attempt('TCP over IPv6', tcp('::1'))
    attempt('UDP', dgram(socket.AF_INET, ('127.0.0.1', PORT)))
    attempt('UDP over IPv6', dgram(socket.AF_INET6, ('::1', PORT)))


# ---- what it has, and what it starts ----

def status(name, good):
    def f():
        with open('/proc/self/status') as s:
            value = [line.split()[1] for line in s if line.startswith(name + ':')][0]
        return 'kept: %s %s' % (name, value) if good(value) else 'reached'
    return f


def shell(command):
    """By a shell, which is another program with the same sandbox."""
    def f():
        r, w = os.pipe()
        if os.fork() == 0:
            os.dup2(w, 1)
            os.execv('/bin/sh', ['sh', '-c', command + ' 2>&1'])
        os.close(w)
        os.wait()
        said = os.read(r, 4096).decode()
        return 'reached' if 'top secret' in said else 'kept: ' + said.strip()[-60:]
    return f


def by_memfd():
    fd = os.memfd_create('sh', 0)
    with open('/bin/cat', 'rb') as f:
        os.write(fd, f.read())
    r, w = os.pipe()
    if os.fork() == 0:
        os.dup2(w, 1)
        os.dup2(w, 2)
        os.execve(fd, ['cat', OUTSIDE + '/secret'], {})
    os.close(w)
    os.wait()
    said = os.read(r, 4096).decode()
    return 'reached' if 'top secret' in said else 'kept: ' + said.strip()[-60:]


KEPT_CAPABILITIES = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 10


def own_rights():
    attempt('no new privileges', status('NoNewPrivs', lambda v: v == '1'))
    attempt('a filter of calls', status('Seccomp', lambda v: v == '2'))
    for name in ('CapEff', 'CapPrm', 'CapInh', 'CapAmb'):
        attempt('capabilities, ' + name, status(name, lambda v: not int(v, 16) & ~KEPT_CAPABILITIES))
    attempt('descriptors', lambda: 'kept: 0 to 3 and pipes' if all(
        os.readlink('/proc/self/fd/' + n).startswith(('pipe:', '/dev/null', '/proc/'))
        for n in os.listdir('/proc/self/fd') if os.path.lexists('/proc/self/fd/' + n)) else 'reached')
    secret = OUTSIDE + '/secret'
    for name, command in {
            'cat': 'cat %s', 'dd': 'dd if=%s', 'cp': 'cp %s /dev/stdout', 'tail': 'tail -n1 %s',
            'redirection': 'while read -r l; do echo "$l"; done <%s', 'source': '. %s', 'tar': 'tar cO %s',
            'find': 'find %s -exec cat {} +', 'xargs': 'echo %s | xargs cat', 'env': 'env -i cat %s',
            'perl': "perl -pe '' %s", 'a group': '(cat %s)', 'background': 'cat %s & wait',
            'nohup': 'nohup cat %s', 'timeout': 'timeout 5 cat %s', 'awk': 'awk 1 %s', 'sed': 'sed p %s'}.items():
        attempt('a shell, ' + name, shell(command % secret))
    attempt('a program in memory', by_memfd)
    attempt('the loader', shell('/lib64/ld-linux-x86-64.so.2 /bin/cat ' + secret))


# ---- what is no escape, and must work ----

def works():
    attempt('works: pair of sockets', lambda: socket.socketpair() and 'works')
    attempt('works: read own', lambda: read(os.path.join(PROJECT, 'in', 'file')) or 'works')
    attempt('works: /dev/null', lambda: write(os.O_RDWR)('/dev/null') or 'works')
    attempt('works: a child', lambda: os.system('exit 0') == 0 and 'works')
    attempt('works: a signal to a child', child_signalled)
    attempt('works: a thread', thread)
    if INSIDE:
        attempt('works: create', lambda: own() and 'works')
        attempt('works: rename', lambda: os.rename(own(), own('b')) or 'works')
        attempt('works: mode', lambda: os.chmod(own(), 0o600) or 'works')
        attempt('works: directories', lambda: os.makedirs(INSIDE + '/d%d/e' % os.getpid()) or 'works')


def child_signalled():
    pid = os.fork()
    if pid == 0:
        signal.pause()
    os.kill(pid, signal.SIGKILL)
    return 'works' if os.waitpid(pid, 0)[1] == signal.SIGKILL else 'broken'


def thread():
    import threading
    t = threading.Thread(target=lambda: None)
    t.start()
    t.join()
    return 'works'


sys.stdin.close()
paths()
if INSIDE:
    attempt('a device in its own directory', device_inside, 0o20000)
    attempt('a disk in its own directory', device_inside, 0o60000)
    attempt('a socket in its own directory', device_inside, 0o140000)
    processes()
    kernel()
    own_rights()
sockets(os.environ.get('PROBE_NETWORK') == '1')
works()
