"""Networks in Python files, whose code is run: it may end itself, hang, flood, lie, break what it uses, or attack."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest import mock

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.children.supervise import Limits
from advisor.models.tracing import asking

from ..case import Case, Content, Format, Link, Pipe
from ..marks import HOSTILE

_SECONDS, _BYTES = 20.0, 1_500_000_000
"""Of one network: torch itself takes 3 s and 300 MB."""
_SOURCE = """
import atexit, builtins, ctypes, json, os, signal, subprocess, sys, threading, time
import torch
from torch import nn

IMPORT

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        INIT
        self.a = nn.Linear(4, 3)

    def forward(self, x):
        FORWARD
        return RESULT

def make():
    MAKE
    return Net()

ready = make
"""
_FORGED = (
    '{"failed": ""}',
    '{"arguments": []}',
    "{}",
    "[]",
    '{"kind": "Linear", "parameters": -1}',
    '{"failed": 7}',
    "x" * 2_000_000,
)
_DEEDS = r"""
os._exit(0)
os._exit(3)
os._exit(255)
sys.exit()
sys.exit('enough')
sys.exit(10**30)
os.abort()
exit()
raise KeyboardInterrupt
raise GeneratorExit
raise MemoryError
raise SystemExit(SystemExit)
raise StopIteration
raise BaseException(TEXT)
raise RuntimeError(TEXT)
raise RuntimeError('x' * 10**7)
raise type(TEXT or 'E', (Exception,), {})()
raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})
raise type('E', (Exception,), {'__str__': lambda self: os._exit(4)})
raise type('E', (BaseException,), {'__str__': lambda self: 5, '__repr__': lambda self: 5})
raise ExceptionGroup('g', [ValueError(TEXT)])
import nothing_of_this_name
from . import neighbour
import net
1 / 0
int('x' * 10**6)
torch.zeros(10**15)
print(TEXT * 1000)
sys.stderr.write(TEXT * 100)
[print('x' * 1000) for _ in range(20_000)]
sys.stdout.close()
[os.write(1, b'[]' * 999) for _ in range(999)]
os.closerange(0, 99)
os.close(2)
sys.stdout = sys.stderr = None
[os.write(n, FORGED) for n in range(3, 20) if os.path.exists(f'/proc/self/fd/{n}') and not os.isatty(n)]
input()
sys.stdin.read()
os.read(0, 9)
sys.stdin = open('/dev/stdin')
os.dup2(1, 0)
kept = bytearray(2**50)
kept = [bytearray(2**26) for _ in range(10**6)]
kept = torch.ones(2**29)
[0] * 10**12
os.remove(__file__)
open(__file__, 'w').close()
os.rename(__file__, __file__ + 'x')
os.chmod(__file__, 0)
threading.Thread(target=lambda: time.sleep(10**6)).start()
threading.Thread(target=time.sleep, args=(10**6,), daemon=True).start()
[threading.Thread(target=time.sleep, args=(10**6,)).start() for _ in range(200)]
atexit.register(time.sleep, 10**6)
threading.Thread(target=lambda: [print('y' * 99) for _ in iter(int, 1)]).start()
os.kill(os.getppid(), signal.SIGTERM)
os.kill(os.getppid(), signal.SIGINT)
os.kill(os.getppid(), signal.SIGHUP)
os.kill(os.getppid(), signal.SIGSTOP)
os.kill(os.getppid(), signal.SIGUSR1)
os.kill(os.getppid(), signal.SIGCONT)
os.kill(os.getppid(), signal.SIGKILL)
os.kill(os.getpid(), signal.SIGSEGV)
os.kill(os.getpid(), signal.SIGTERM)
os.kill(os.getpid(), signal.SIGINT)
os.kill(os.getpid(), signal.SIGPIPE)
os.kill(os.getpid(), 64)
os.killpg(0, signal.SIGHUP)
signal.alarm(1)
[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.setsid()
os.fork()
os.fork() or os._exit(0)
os.fork() or time.sleep(10**6)
subprocess.Popen(['/bin/sleep', '1000'], start_new_session=True)
subprocess.Popen(['/bin/sleep', '1000'])
subprocess.Popen(['/bin/sh', '-c', 'trap "" TERM HUP INT; while :; do sleep 1; done'])
os.fork() or os.setsid() and False or os.fork() or time.sleep(10**6)
ctypes.string_at(0)
sys.setrecursionlimit(10**9)
(lambda f: f(f))(lambda f: f(f))
os.chdir('/')
os.environ.clear()
os.nice(19)
sys.path.clear()
sys.argv.clear()
json.dumps = None
json.loads = lambda *_: {}
os.write = lambda *_: 0
os._exit = lambda *_: None
torch.zeros = None
builtins.print = None
builtins.open = None
builtins.isinstance = None
sys.modules.clear()
sys.modules['torch'] = None
nn.Linear.forward = None
nn.Module.__call__ = None
torch.set_default_device('meta')
torch.set_default_dtype(torch.float16)
torch.manual_seed(-1)
torch.set_num_threads(10**6)
torch.autograd.set_grad_enabled(False)
sys.settrace(lambda *_: 1 / 0)
import gc; gc.disable()
__import__('resource').setrlimit(7, (3, 3))
__import__('resource').setrlimit(0, (1, 1))
""".strip().splitlines()
_ENDLESS = (
    "while True: pass",
    "time.sleep(10**6)",
    "[print('z') for _ in iter(int, 1)]",
    "threading.Event().wait()",
    "os.read(os.pipe()[0], 1)",
)
_IN_INIT = r"""
self.add_module(TEXT, nn.Linear(4, 4))
setattr(self, TEXT, nn.Linear(4, 4))
self.b = self
self.b = nn.LazyLinear(3)
self.register_buffer(TEXT, torch.zeros(3))
self.b = nn.Parameter(torch.zeros(0))
self.b = nn.Parameter(torch.zeros(2**20, 2**20))
self.__class__ = nn.Identity
return 5
self.b = nn.ModuleList([nn.Linear(4, 4) for _ in range(3000)])
self.training = None
self.b = torch.nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))
self.b = nn.Linear(0, 0)
self.parameters = None
""".strip().splitlines()
_RESULTS = r"""
self.a(x)
self.a(x)
self.a(x)
x
None
5
'text'
{}
[]
object()
self.a(x) * float('nan')
self
Net
{TEXT: self.a(x)}
(self.a(x),) * 1000
self.a(x).sum()
self.a(x).tolist()
self.a(x).detach().numpy()
torch.zeros(0)
self.a(x).to_sparse()
torch.complex(self.a(x), self.a(x))
(self.a(x) for _ in iter(int, 1))
self.a(x).int()
self.forward(x)
self.a(x.reshape(-1))
self.a(x[:, :0])
self.a(x).expand(10**9, 2, 3).sum()
self.a(x) if x.sum() > 0 else x.item()
torch.func.grad(lambda y: self.a(y).sum())(x)
self.a.weight
(lambda it: it.append(it) or it)([])
self.a(x)[0]
""".strip().splitlines()
_COMMANDS = (
    ("models", "show", "net.py:NAME", "--input", "4"),
    ("models", "show", "net.py:NAME", "--input", "4", "--format", "json"),
    ("recommend", "--machine", "none", "--model", "net.py:NAME", "--input", "4"),
    ("explain", "compute.device", "--machine", "none", "--model", "net.py:NAME", "--input", "4", "--format", "json"),
)
_FACTORIES = (
    "Net",
    "Net",
    "Net",
    "make",
    "ready",
    "nn.Linear",
    "torch",
    "os.getcwd",
    "missing",
    "Net.forward",
    "make.__code__",
)
_SHAPES = ("4", "4", "4", "5", "2x4", "4,4", "1", "1000000000", "3x4x4x4")


def _source(
    init: str = "pass", forward: str = "pass", result: str = "self.a(x)", at_import: str = "", make: str = "pass"
) -> str:
    places = {"IMPORT": at_import, "INIT": init, "FORWARD": forward, "RESULT": result, "MAKE": make}
    return functools.reduce(lambda text, place: text.replace(place, places[place]), places, _SOURCE)


def _case(command: Sequence[str], content: Content, name: str = "Net", shape: str = "4") -> Case:
    words = [
        shape if before == "--input" else word.replace("NAME", name)
        for before, word in zip(("", *command), command, strict=False)
    ]
    return Case(
        tuple(words),
        {"net.py": content},
        writes=("net.py", "net.pyx", "__pycache__"),
        names=("net.py", "--input", "Net"),
    )


def valid() -> Sequence[Case]:
    return [
        _case(command, _source().encode(), name)
        for command, name in zip(_COMMANDS, ("Net", "make", "ready", "Net"), strict=True)
    ]


@st.composite
def _deed(draw: DrawFn, more: Sequence[str] = ()) -> str:
    if draw(st.integers(0, 24)) == 0:
        return draw(st.sampled_from(_ENDLESS))
    found = draw(st.sampled_from([*_DEEDS, *more]))
    hostile = ascii(draw(st.sampled_from(HOSTILE)))
    return found.replace("TEXT", hostile).replace("FORGED", f"{draw(st.sampled_from(_FORGED))!r}.encode() + b'\\n'")


@st.composite
def mutated(draw: DrawFn) -> Case:
    command = draw(st.sampled_from(_COMMANDS))
    how = draw(st.integers(0, 19))
    if how == 0:
        return _case(
            command, draw(st.sampled_from((Pipe(), Link("/dev/zero"), Link("net.py"), Link("/dev/null"), Link("."))))
        )
    places: dict[str, str] = {}
    name, shape = "Net", "4"
    if how < 13:
        place = draw(st.sampled_from(("at_import", "init", "init", "forward", "make")))
        places[place] = draw(_deed(_IN_INIT if place == "init" else ()))
        name = "make" if place == "make" else name
    elif how < 16:
        places["result"] = draw(st.sampled_from(_RESULTS)).replace("TEXT", ascii(draw(st.sampled_from(HOSTILE))))
    elif how == 16:
        name, shape = draw(st.sampled_from(_FACTORIES)), draw(st.sampled_from(_SHAPES))
    source = _source(**places).encode()
    if how == 17:
        at = draw(st.integers(0, len(source)))
        source = (
            source[:at]
            + draw(st.sampled_from((b"", b"\x00", b"\xff", b"(", b"'''", b"\r", b"\x1a", "\u2028".encode())))
            + source[at:]
        )
    elif how == 18:
        source = source[: draw(st.integers(0, len(source)))]
    elif how == 19:
        source = (
            draw(
                st.sampled_from(
                    (
                        b"# coding: nothing\n",
                        b"\xef\xbb\xbf",
                        b"# coding: utf-7\n",
                        b"(" * 9_000,
                        b"x = " + b"-" * 99_999 + b"1",
                    )
                )
            )
            + source
        )
    return _case(command, source, name, shape)


@contextmanager
def _short() -> Iterator[None]:
    """Less time and memory than a real network has."""
    with (
        mock.patch.object(asking, "SECONDS", _SECONDS),
        mock.patch.object(asking, "Limits", functools.partial(Limits, memory_bytes=_BYTES)),
    ):
        yield


FORMATS = [Format("modules", valid, mutated, accepted_share=0.2, starts_processes=True, around=_short, one_of=5)]
