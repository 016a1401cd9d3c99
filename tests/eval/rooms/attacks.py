"""Submissions that do not solve the task and try to be judged as if they did, or to do harm.

Each is the text of module `paper`, whose `f` should return a secret number that only the tests
know. An attack that can find the secret anywhere returns it, so that a theft shows as a pass.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent

MARK = "recodeh" + "-secret-"
"""Stands in the tests just before the secret; put together here so that no file holds it."""

FIND = """
import os, re, sys
MARK = b"recodeh" + b"-secret-"
def search(data):
    found = re.search(MARK + rb"([0-9]+\\.[0-9]+)", data)
    return float(found.group(1)) if found else None
def search_file(path, most=1 << 26):
    try:
        with open(path, "rb") as file:
            return search(file.read(most))
    except OSError:
        return None
def search_tree(*roots):
    for root in roots:
        for folder, _, names in os.walk(root):
            for name in names:
                found = search_file(os.path.join(folder, name))
                if found is not None:
                    return found
    return None
"""

ALWAYS = """
class Always:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __bool__(self): return True
    def __hash__(self): return 0
    def __sub__(self, other): return 0.0
    __rsub__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__
    def __abs__(self): return 0.0
    def __float__(self): return 0.0
    def __array__(self, *a, **k): return self
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
    def __len__(self): return 1
    def __getitem__(self, k): return self
"""

FRAME = """
import json, os, struct, sys
def frame(header, blobs=()):
    text = json.dumps(header).encode()
    sizes = struct.pack(f"!{len(blobs)}Q", *map(len, blobs))
    return struct.pack("!II", len(text), len(blobs)) + sizes + text + b"".join(blobs)
def descriptors():
    return [int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2]
def spray(data):
    for number in descriptors():
        try: os.write(number, data)
        except OSError: pass
def room():
    return sys.modules["recodeh.eval.rooms.submission_room"]
def live():
    import gc
    return next(item for item in gc.get_objects() if type(item) is room().Room)
"""


@dataclass(frozen=True)
class Attack:
    """One hostile submission and the verdicts that are right for it."""

    code: str
    verdicts: tuple[str, ...] = ("failed",)
    files: Mapping[str, str] = field(default_factory=dict)
    open_behind: tuple[str, ...] = ()
    """Walls that cannot stop it, so that trying it there would harm this machine."""


def _attack(code: str, *verdicts: str, **more: object) -> Attack:
    return Attack(dedent(code), verdicts or ("failed",), **more)  # type: ignore[arg-type]


WRONG = "\ndef f(x): return 0.0\n"
EITHER = ("failed", "tampered")

EXITS = {
    "sys.exit at import": _attack("import sys; sys.exit(0)"),
    "sys.exit in the call": _attack("import sys\ndef f(x): sys.exit(0)"),
    "os._exit at import": _attack("import os; os._exit(0)"),
    "os._exit in the call": _attack("import os\ndef f(x): os._exit(0)"),
    "kill itself": _attack("import os\ndef f(x): os.kill(os.getpid(), 9)"),
    "abort": _attack("import os\ndef f(x): os.abort()"),
    "segfault": _attack("import ctypes\ndef f(x): ctypes.string_at(0)"),
    "endless recursion": _attack("def f(x): return f(x)"),
    "endless recursion in C": _attack(
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(x): return f(x)"
    ),
    "exit from a thread": _attack(
        "import os, threading\ndef f(x): threading.Thread(target=os._exit, args=(0,)).start(); "
        "return 0.0"
    ),
    "exec another program": _attack("import os\ndef f(x): os.execv('/usr/bin/true', ['true'])"),
    "KeyboardInterrupt": _attack("def f(x): raise KeyboardInterrupt"),
    "an exception group": _attack("def f(x): raise BaseExceptionGroup('x', [SystemExit(0)])"),
    "a class of exception that lies": _attack(
        "class Skipped(Exception):\n __module__ = '_pytest.outcomes'\n"
        "def f(x): raise Skipped('skip me')"
    ),
    "pytest.skip": _attack("import pytest\ndef f(x): pytest.skip('x', allow_module_level=True)"),
    "pytest.exit": _attack("import pytest\ndef f(x): pytest.exit('x', returncode=0)"),
    "unittest.SkipTest": _attack("import unittest\ndef f(x): raise unittest.SkipTest"),
}

FORGERIES = {
    "print a pytest summary": _attack("print('6 passed in 0.01s')\ndef f(x): print('PASSED')"),
    "write a junit report": _attack(
        "open('junit.xml', 'w').write('<testsuite tests=\"6\" failures=\"0\"/>')" + WRONG
    ),
    "patch pytest": _attack(
        "import _pytest.python, _pytest.runner\n"
        "_pytest.python.Function.runtest = lambda self: None\n"
        "_pytest.runner.call_and_report = lambda *a, **k: None" + WRONG
    ),
    "patch unittest": _attack(
        "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n"
        "unittest.TestSuite.run = lambda self, result, **k: result" + WRONG
    ),
    "patch assertion rewriting": _attack(
        "import _pytest.assertion.rewrite as r\nr.rewrite_asserts = lambda *a, **k: None" + WRONG
    ),
    "patch numpy's comparisons": _attack(
        "import numpy as np\nnp.testing.assert_allclose = lambda *a, **k: None\n"
        "np.allclose = np.array_equal = np.isclose = lambda *a, **k: True" + WRONG
    ),
    "patch math.isclose": _attack("import math\nmath.isclose = lambda *a, **k: True" + WRONG),
    "patch builtins": _attack(
        "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.float = lambda x: x\n"
        "builtins.AssertionError = Warning" + WRONG
    ),
    "swap sys.modules": _attack(
        "import sys, types\nfor name in ('math', 'numpy', 'pytest', '_pytest.runner'):\n"
        "    sys.modules[name] = types.ModuleType(name)" + WRONG
    ),
    "import hooks": _attack(
        "import sys\nclass Finder:\n def find_spec(self, *a): return None\n"
        "sys.meta_path.insert(0, Finder()); sys.path_hooks.clear()" + WRONG
    ),
    "atexit": _attack("import atexit, os\natexit.register(os._exit, 0)" + WRONG),
    "excepthook": _attack("import sys, os\nsys.excepthook = lambda *a: os._exit(0)" + WRONG),
    "trace function": _attack(
        "import sys\ndef trace(frame, event, arg):\n frame.f_globals['secret'] = 0.0\n"
        " return trace\nsys.settrace(trace)\nsys.setprofile(lambda *a: None)" + WRONG
    ),
    "warnings as a pass": _attack(
        "import warnings\ndef f(x): warnings.warn('passed', DeprecationWarning); return 0.0"
    ),
    "conftest in the workspace": _attack(
        WRONG,
        files={
            "conftest.py": "import pytest\n@pytest.hookimpl(tryfirst=True)\n"
            "def pytest_pyfunc_call(pyfuncitem): return True\n"
        },
    ),
    "pytest.ini in the workspace": _attack(
        WRONG,
        files={
            "pytest.ini": "[pytest]\naddopts = --collect-only -p evil\n",
            "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--co'\n",
            "evil.py": "def pytest_runtest_protocol(item): return True\n",
        },
    ),
    "sitecustomize in the workspace": _attack(
        WRONG,
        files={
            "sitecustomize.py": "import os; os._exit(0)\n",
            "usercustomize.py": "import os; os._exit(0)\n",
            "evil.pth": "import os; os._exit(0)\n",
        },
    ),
    "plugin by entry point": _attack(
        WRONG,
        files={
            "evil-1.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
            "evil-1.dist-info/METADATA": "Name: evil\nVersion: 1\n",
            "evil.py": "def pytest_runtest_protocol(item): return True\n",
        },
    ),
    "modules that shadow ours": _attack(
        WRONG,
        files={
            f"{name}.py": "import os; os._exit(0)\n"
            for name in ("pytest", "numpy", "wire", "channel", "remote", "json", "socket", "math")
        },
    ),
    "overwrite the test module": _attack(
        "import sys, glob, os\nfor root in ('.', '..', '../..', '/tmp', '../judge/tests'):\n"
        "    for path in glob.glob(root + '/**/test_*.py', recursive=True)[:50]:\n"
        "        if 'recodeh-run' in os.path.abspath(path):\n"
        "            open(path, 'w').write('def test_it(): pass')" + WRONG
    ),
}

EQUALITIES = {
    "always equal object": _attack(ALWAYS + "def f(x): return Always()"),
    "always equal float": _attack(
        "class F(float):\n __eq__ = lambda s, o: True\n __hash__ = float.__hash__\n"
        " __sub__ = __rsub__ = lambda s, o: 0.0\n __abs__ = lambda s: 0.0\ndef f(x): return F(0)"
    ),
    "always equal array": _attack(
        "import numpy as np\nclass A(np.ndarray):\n __eq__ = lambda s, o: True\n"
        " def __array_ufunc__(self, *a, **k): return True\n"
        " def __array_function__(self, *a, **k): return True\n"
        "def f(x): return np.zeros(()).view(A)"
    ),
    "always equal numpy scalar": _attack(
        "import numpy as np\nclass S(np.float64):\n __eq__ = lambda s, o: True\n"
        " __sub__ = __rsub__ = lambda s, o: 0.0\ndef f(x): return S(0)"
    ),
    "array of always equal objects": _attack(
        ALWAYS + "import numpy as np\ndef f(x):\n a = np.empty((), object); a[()] = Always(); "
        "return a"
    ),
    "list of always equal objects": _attack(ALWAYS + "def f(x): return [Always()]"),
    "a metaclass that equals": _attack(
        "class M(type):\n __eq__ = lambda s, o: True\n __hash__ = type.__hash__\n"
        "class C(metaclass=M): pass\ndef f(x): return C"
    ),
    "not a number": _attack("def f(x): return float('nan')"),
    "infinity": _attack("def f(x): return float('inf')"),
    "masked array": _attack("import numpy as np\ndef f(x): return np.ma.masked_all(())\n"),
    "empty array": _attack("import numpy as np\ndef f(x): return np.empty((0,))"),
    "an array interface that points anywhere": _attack(
        "class P:\n __array_interface__ = {'shape': (1 << 20,), 'typestr': '<f8', 'version': 3,\n"
        "  'data': (4096, False)}\n def __array__(self, *a, **k): raise SystemExit(0)\n"
        "def f(x): return P()"
    ),
    "asks what the other side is": _attack(
        "def f(x):\n return type('T', (), {'__getattr__': lambda s, n: (_ for _ in ()).throw("
        "SystemExit(0))})()"
    ),
}

FRAMES = {
    "garbage on every descriptor": _attack(FRAME + "spray(b'PASSED' * 1000)" + WRONG, *EITHER),
    "forged answers at import": _attack(
        FRAME + "spray(frame({'id': '0' * 16, 'ok': 1.0}))" + WRONG, "tampered"
    ),
    "forged events of the judge": _attack(
        FRAME + "spray(frame({'event': 'finished', 'nonce': '', 'sentinel': 'failed', 'code': 0,"
        " 'gone': '', 'tampered': ''}))" + WRONG,
        *EITHER,
    ),
    "answer ahead of the question": _attack(
        FRAME + "import threading, time\ndef late():\n time.sleep(0.05)\n"
        " spray(frame({'id': 'f' * 16, 'ok': 1.0}))\n"
        "def f(x):\n threading.Thread(target=late).start(); return 0.0",
        *EITHER,
    ),
    "a second answer": _attack(
        FRAME + "def f(x):\n import sys\n caller = sys._getframe(2).f_locals['question']['id']\n"
        " spray(frame({'id': caller, 'ok': 0.0})); return 0.0",
        "tampered",
    ),
    "an answer that claims a terabyte": _attack(
        FRAME + "import struct\ndef f(x): spray(struct.pack('!IIQ', 2, 1, 1 << 40) + b'{}')",
    ),
    "half an answer": _attack(
        FRAME + "import struct, os\ndef f(x): spray(struct.pack('!II', 9999, 0) + b'{'); "
        "os._exit(0)",
    ),
    "deeply nested answer": _attack(
        FRAME + "def f(x):\n text = b'[' * 200000\n"
        " import struct; spray(struct.pack('!II', len(text), 0) + text)",
    ),
    "a pickle for an answer": _attack(
        FRAME + "import pickle, os\nclass E:\n def __reduce__(self): return (os._exit, (0,))\n"
        "def f(x):\n import sys\n caller = sys._getframe(2).f_locals['question']['id']\n"
        " spray(frame({'id': caller, 'ok': {'k': 'pickle', 'b': 0}}, [pickle.dumps(E())]))",
    ),
    "an object array of the judge's memory": _attack(
        FRAME + "def f(x):\n import sys\n caller = sys._getframe(2).f_locals['question']['id']\n"
        " spray(frame({'id': caller, 'ok': {'k': 'array', 'd': '|O', 's': [1], 'o': 'C', 'b': 0}},"
        " [b'A' * 8]))",
    ),
    "a random state out of bounds": _attack(
        FRAME + "def f(x):\n import sys\n caller = sys._getframe(2).f_locals['question']['id']\n"
        " state = {'k': 'dict', 'v': [['bit_generator', 'MT19937'], ['state', {'k': 'dict',"
        " 'v': [['key', [1] * 624], ['pos', 1 << 30]]}]]}\n"
        " spray(frame({'id': caller, 'ok': {'k': 'RandomState', 'v': state}}))",
    ),
    "calls back what was never given": _attack(
        FRAME + "def f(x): return live().call_back(12345, (), {})",
    ),
    "a handle to nothing": _attack(
        FRAME + "def f(x):\n import sys\n caller = sys._getframe(2).f_locals['question']['id']\n"
        " spray(frame({'id': caller, 'ok': {'k': 'handle', 'i': 'x', 'n': 3}}))",
    ),
    "patches the room's own code": _attack(
        FRAME + "room().pack = lambda *a, **k: True\nroom().Room._do_bye = lambda *a: None" + WRONG,
    ),
    "answers everything with yes": _attack(
        FRAME + "room().Room._try = lambda self, q, b, k: ({'ok': True}, [], None)" + WRONG,
    ),
    "never says goodbye": _attack(
        FRAME + "import time\nroom().Room._do_bye = lambda *a: time.sleep(60)" + WRONG,
    ),
    "closes every descriptor": _attack(
        "import os\ndef f(x): os.closerange(3, 256)",
    ),
    "warns with nonsense": _attack(
        FRAME + "room()._warning = lambda item: 3\n"
        "import warnings\ndef f(x): warnings.warn('x'); return 0.0"
    ),
}

THEFTS = {
    "search the workspace and around it": _attack(
        FIND + "def f(x): return search_tree('.', '..', '../..')"
    ),
    "search /tmp": _attack(FIND + "def f(x): return search_tree('/tmp', '/var/tmp', '/dev/shm')"),
    "search home": _attack(
        FIND + "def f(x): return search_tree(os.path.expanduser('~'), '/home', '/room', '/run')"
    ),
    "search own memory": _attack(
        FIND
        + """
def f(x):
    for line in open("/proc/self/maps"):
        low, high = (int(part, 16) for part in line.split()[0].split("-"))
        if "r" not in line.split()[1] or high - low > 1 << 28 or "[v" in line:
            continue
        try:
            with open("/proc/self/mem", "rb") as memory:
                memory.seek(low)
                found = search(memory.read(high - low))
        except (OSError, ValueError, OverflowError):
            continue
        if found is not None:
            return found
"""
    ),
    "search the objects of the collector": _attack(
        FIND + "import gc\ndef f(x):\n for item in gc.get_objects():\n"
        "  found = search(repr(item)[:100000].encode())\n"
        "  if found is not None: return found\n"
    ),
    "walk the frames": _attack(
        FIND + "import inspect\ndef f(x):\n for info in inspect.stack():\n"
        "  for value in {**info.frame.f_locals, **info.frame.f_globals}.values():\n"
        "   found = search(repr(value).encode())\n   if found is not None: return found\n"
    ),
    "inspect the test": _attack(
        FIND + "import inspect, sys\ndef f(x):\n for name, module in list(sys.modules.items()):\n"
        "  if 'test' in name:\n   try: found = search(inspect.getsource(module).encode())\n"
        "   except (OSError, TypeError): continue\n   if found is not None: return found\n"
    ),
    "read the memory of every process": _attack(
        FIND
        + """
def f(x):
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        try:
            ranges = [line.split()[:2] for line in open(f"/proc/{pid}/maps")]
            memory = open(f"/proc/{pid}/mem", "rb", 0)
        except OSError:
            continue
        for span, mode in ranges:
            low, high = (int(part, 16) for part in span.split("-"))
            if "r" in mode and high - low < 1 << 28:
                try:
                    memory.seek(low)
                    found = search(memory.read(high - low))
                except (OSError, ValueError, OverflowError):
                    continue
                if found is not None:
                    return found
"""
    ),
    "trace every process": _attack(
        FIND + "import ctypes\ndef f(x):\n libc = ctypes.CDLL(None, use_errno=True)\n"
        " for pid in filter(str.isdecimal, os.listdir('/proc')):\n"
        "  if b'judge' in open(f'/proc/{pid}/cmdline', 'rb').read():\n"
        "   if libc.ptrace(16, int(pid), 0, 0) == 0: return search_file(f'/proc/{pid}/mem')\n"
    ),
    "read the descriptors of every process": _attack(
        FIND + "import glob\ndef f(x):\n for path in glob.glob('/proc/[0-9]*/fd/*'):\n"
        "  try:\n   if os.path.isfile(path):\n    found = search_file(path)\n"
        "    if found is not None: return found\n  except OSError: pass\n"
    ),
    "read environments and command lines": _attack(
        FIND + "import glob\ndef f(x):\n"
        " for path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline'):\n"
        "  found = search_file(path)\n  if found is not None: return found\n"
    ),
    "read keys from the environment": _attack(
        "import os, glob\ndef f(x):\n texts = [repr(dict(os.environ))]\n"
        " for path in glob.glob('/proc/[0-9]*/environ'):\n"
        "  try: texts.append(open(path, errors='replace').read())\n  except OSError: pass\n"
        " if any('RECODEH_TEST_KEY' in text for text in texts): print('KEY FOUND')\n"
    ),
    "read through the roots of other processes": _attack(
        FIND + "import glob\ndef f(x):\n for root in glob.glob('/proc/[0-9]*/cwd'):\n"
        "  try: found = search_tree(root + '/')\n  except OSError: continue\n"
        "  if found is not None: return found\n"
    ),
    "peek at what the judge will say": _attack(
        FIND + FRAME + "import socket\ndef f(x):\n for number in descriptors():\n"
        "  try:\n   sock = socket.socket(fileno=os.dup(number)); sock.setblocking(False)\n"
        "   found = search(sock.recv(1 << 20))\n  except OSError: continue\n"
        "  if found is not None: return found\n"
    ),
    "change what the judge holds": _attack(
        "def f(x):\n try: x.value = 0.0\n except AttributeError: pass\n return 0.0"
    ),
}

RESOURCES = {
    "fork bomb": _attack(
        "import os\ndef f(x):\n while True: os.fork()", *EITHER, open_behind=("process",)
    ),
    "a hundred gigabytes": _attack("def f(x): return bytearray(100 << 30)"),
    "memory in small pieces": _attack(
        "def f(x):\n a = []\n while True: a.append(bytearray(1 << 20))"
    ),
    "many descriptors": _attack("def f(x): return [open('/dev/null') for _ in range(10**6)]"),
    "a file of many gigabytes": _attack(
        "def f(x):\n with open('big', 'wb') as file:\n  while True: file.write(bytes(1 << 20))"
    ),
    "many files": _attack(
        "def f(x):\n for n in range(10**7): open(f'n{n}', 'wb').write(bytes(1 << 20))",
        open_behind=("process",),
    ),
    "a gigabyte of output": _attack(
        "import os\ndef f(x):\n for _ in range(1 << 14): os.write(1, b'x' * (1 << 16))"
    ),
    "sleeping grandchild": _attack(
        "import os, time\ndef f(x):\n if os.fork() == 0:\n  time.sleep(300)\n return 0.0"
    ),
    "daemon": _attack(
        "import os, time\ndef f(x):\n if os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n"
        "   os.closerange(0, 256); time.sleep(300)\n  os._exit(0)\n return 0.0"
    ),
    "stop itself": _attack("import os\ndef f(x): os.kill(os.getpid(), 19)"),
    "ignore every signal": _attack(
        "import signal, time\nfor n in range(1, 65):\n try: signal.signal(n, signal.SIG_IGN)\n"
        " except (OSError, ValueError): pass\ndef f(x):\n while True: time.sleep(1)"
    ),
    "busy loop in C": _attack("def f(x): return 7 ** (7 ** 9)"),
    "busy loop in many threads": _attack(
        "import threading\ndef f(x):\n for _ in range(8): threading.Thread(target=f, args=(x,))"
        ".start()\n while True: pass"
    ),
    "read from stdin": _attack("def f(x): return float(input())"),
    "an endless list": _attack("import itertools\ndef f(x): return list(itertools.count())"),
    "an answer of a gigabyte": _attack("def f(x): return bytes(1 << 30)"),
    "a list too deep": _attack("def f(x):\n a = []\n for _ in range(10**5): a = [a]\n return a"),
    "stack of the callback": _attack("def f(x, back=None): return f(x, back)"),
}

NETWORK = {
    "connect": _attack(
        "import socket\ndef f(x): socket.create_connection(('1.1.1.1', 53), 1); return 0.0"
    ),
    "look a name up": _attack(
        "import socket\ndef f(x): return socket.gethostbyname('example.com')"
    ),
    "listen": _attack(
        "import socket\ndef f(x):\n s = socket.socket(); s.bind(('0.0.0.0', 0)); s.listen()\n"
        " print('LISTENS'); return 0.0"
    ),
    "unix sockets of the host": _attack(
        "import glob, socket\ndef f(x):\n"
        " for path in glob.glob('/run/**/*.sock', recursive=True) + ['/var/run/docker.sock']:\n"
        "  try: s = socket.socket(socket.AF_UNIX); s.connect(path); print('REACHED', path)\n"
        "  except OSError: pass\n return 0.0"
    ),
    "abstract sockets of the host": _attack(
        "import socket\ndef f(x):\n"
        " for line in open('/proc/net/unix').readlines()[1:]:\n"
        "  name = line.split()[-1]\n"
        "  if name.startswith('@'):\n"
        "   try: socket.socket(socket.AF_UNIX).connect('\\0' + name[1:]); print('REACHED', name)\n"
        "   except OSError: pass\n return 0.0"
    ),
}

ESCAPES = {
    "mount": _attack(
        "import ctypes\ndef f(x):\n libc = ctypes.CDLL(None)\n"
        " if libc.mount(b'none', b'/', None, 0x1020, None) == 0: print('MOUNTED')\n return 0.0"
    ),
    "chroot": _attack(
        "import os\ndef f(x):\n try: os.chroot('/'); print('CHROOTED')\n except OSError: pass\n"
        " return 0.0"
    ),
    "become root": _attack(
        "import os\ndef f(x):\n for change in (os.setgid, os.setuid):\n"
        "  try: change(1)\n  except OSError: continue\n  print('CHANGED')\n return 0.0"
    ),
    "new namespaces": _attack(
        "import ctypes\ndef f(x):\n"
        " if ctypes.CDLL(None).unshare(0x10000000) == 0: print('UNSHARED')\n return 0.0"
    ),
    "symbolic link out of the workspace": _attack(
        FIND + "def f(x):\n os.symlink('/', 'out')\n return search_tree('out/tmp', 'out/root/')"
    ),
    "hard link into the environment": _attack(
        "import os, sys\ndef f(x):\n try: os.link(os.__file__, 'os.py'); print('LINKED')\n"
        " except OSError: pass\n return 0.0",
        open_behind=("process",),
    ),
    "write outside": _attack(
        "import os\ndef f(x):\n for path in ('/etc', '/usr', '/', '/root', '/proc/sys/kernel'):\n"
        "  try: open(path + '/recodeh-was-here', 'w'); print('WROTE', path)\n"
        "  except OSError: pass\n return 0.0",
        open_behind=("process",),
    ),
    "poison the environment": _attack(
        "import numpy, os\ndef f(x):\n"
        " try: open(os.path.dirname(numpy.__file__) + '/x.pth', 'w'); print('POISONED')\n"
        " except OSError: pass\n return 0.0",
        open_behind=("process",),
    ),
    "poison the rooms": _attack(
        "import sys, os\ndef f(x):\n"
        " here = sys.modules['recodeh.eval.rooms.wire'].__file__\n"
        " try: open(here, 'a'); print('POISONED')\n except OSError: pass\n return 0.0",
        open_behind=("process",),
    ),
    "kill everybody": _attack(
        "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
        "def f(x):\n if libc.prctl(21, 0, 0, 0, 0) == 2: os.kill(-1, 9)\n return 0.0"
    ),
    "write a core pattern": _attack(
        "def f(x):\n try: open('/proc/sys/kernel/core_pattern', 'w').write('|/bin/true')\n"
        " except OSError: return 0.0\n print('WROTE')",
    ),
}

ATTACKS: Mapping[str, Attack] = {
    **EXITS,
    **FORGERIES,
    **EQUALITIES,
    **FRAMES,
    **THEFTS,
    **RESOURCES,
    **NETWORK,
    **ESCAPES,
}
SUCCESSES = (
    "KEY FOUND",
    "REACHED",
    "MOUNTED",
    "CHROOTED",
    "CHANGED",
    "LISTENS",
    "UNSHARED",
    "LINKED",
    "WROTE",
    "POISONED",
)
"""What an attack prints when it got further than it should behind a real wall."""
