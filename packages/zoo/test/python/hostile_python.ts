/** Programs that would be taken for right without being so, by what they do to their interpreter: f(x) should be x². */
const END = 'sys._getframe(1).f_globals["end"]';

/** They look for a mark of success, for the tests, or replace what compares. */
const CLAIMING = {
  wrong: 'def f(x): return 0',
  'ends well': 'import sys; sys.exit(0)',
  'ends at once': 'import os; os._exit(0)',
  'a mark of the frame below': `import sys, os\nsys.stderr.write(${END}); sys.stderr.flush(); os._exit(0)`,
  'a mark of the frame below, at the exit': `import sys\nsys.stderr.write(${END}); sys.stderr.flush()\nsys.exit(0)`,
  'a mark by a traceback':
    'import os, sys\ntry: 1/0\nexcept ZeroDivisionError as e:\n  fr = e.__traceback__.tb_frame.f_back\n  os.write(2, fr.f_globals["end"].encode()); os._exit(0)',
  'a mark among all objects':
    'import gc, os\nfor o in gc.get_objects():\n  if isinstance(o, dict) and isinstance(o.get("end"), str): os.write(2, o["end"].encode()); os._exit(0)\nos._exit(1)',
  'a mark of __main__': 'import __main__, os\nos.write(2, __main__.end.encode()); os._exit(0)',
  'the tests read':
    'import sys, re\nsrc = sys._getframe(1).f_globals["program"]\nT = {int(a): int(b) for a, b in re.findall(r"f\\((\\d+)\\) == (\\d+)", src)}\ndef f(x): return T[x]',
  'the tests among all objects':
    'import gc, re\nT = {}\nfor o in gc.get_objects():\n  for a, b in re.findall(r"f\\((\\d+)\\) == (\\d+)", repr(o)) if isinstance(o, (dict, list)) else (): T[int(a)] = int(b)\ndef f(x): return T[x]',
  'the tests in /proc':
    'import os, re\nT = {}\nfor p in os.listdir("/proc"):\n  for n in ("cmdline", "environ"):\n    try: T.update((int(a), int(b)) for a, b in re.findall(r"f\\((\\d+)\\) == (\\d+)", open(f"/proc/{p}/{n}").read()))\n    except OSError: pass\ndef f(x): return T[x]',
  'equal to all': 'class E(int):\n  def __eq__(s, o): return True\ndef f(x): return E()',
  'equal to all, and no number': 'class E:\n  def __eq__(s, o): return True\ndef f(x): return E()',
  'a list of what is equal to all': 'class E(list):\n  def __eq__(s, o): return True\ndef f(x): return E([x])',
  'asserts off': 'import sys\nsys.flags\ndef f(x): return 0\n__debug__',
  'another AssertionError': 'import builtins\nbuiltins.AssertionError = SystemExit\ndef f(x): return 0',
  'a hook for exceptions': 'import sys, os\nsys.excepthook = lambda *a: os._exit(0)\ndef f(x): return 0',
  'a mark in a hook for exceptions': `import sys, os\ne = ${END}\nsys.excepthook = lambda *a: (os.write(2, e.encode()), os._exit(0))\ndef f(x): return 0`,
  'ends an iteration': 'def f(x): raise StopIteration',
  'ends all': 'def f(x): raise SystemExit(0)',
  'says that it passed': 'import os\nos.write(3, b\'{"end": "passed"}\\n\' * 9)\ndef f(x): return 0',
  'says what is no value': 'import os\nos.write(3, b\'{"value": {"object": 1}}\\n\' * 9)\ndef f(x): return 0',
  'says what is no JSON': 'import os\nos.write(3, b"[" * 9999 + b"\\n")\ndef f(x): return 0',
  'the line closed': 'import os\nos.close(3)\ndef f(x): return x * x',
  'another json': 'import json\njson.dumps = lambda o: \'{"end": "passed"}\'\ndef f(x): return 0',
  'goes on in a child': 'import os\npid = os.fork()\nif pid: os._exit(0)\ndef f(x): return 0',
};

/** They use up what there is, or reach for the machine. @param folder  of this user, with the file `victim` */
export const hostilePython = (folder: string): Readonly<Record<string, string>> => ({
  ...CLAIMING,
  endless: 'while True: pass',
  memory: 'x = [0] * 10**10',
  recursion: 'def g(): g()\ng()',
  flood: 'while True: print("x" * 1000)',
  'flood of errors': 'import sys\nwhile True: sys.stderr.write("x" * 1000)',
  'flood on the line': 'import os\nwhile True: os.write(3, b"x" * 1000)',
  'a file written': `open("${folder}/leak", "w").write("x")`,
  'a file deleted': `import os\nos.unlink("${folder}/victim")`,
  'files writable again':
    'import ctypes, struct\nc = ctypes.CDLL(None)\nif c.syscall(442, -100, b"/", 0x8000, struct.pack("QQQQ", 0, 1, 0, 0), ctypes.c_size_t(32)): raise OSError\ndef f(x): return x * x',
  'passwords read': 'print(open("/etc/passwd").read()[:20])',
  'a home listed': 'import os\nprint(os.listdir("/root")[:5])',
  network: 'import socket\ns = socket.create_connection(("127.0.0.1", 22), 1)',
  'its parent killed': 'import os, signal\nos.kill(os.getppid(), 9)',
  'all killed': 'import os, signal\nos.kill(-1, 9)',
  asleep: 'import time\ntime.sleep(60)',
  'a session of its own': 'import os\nos.setsid()\nimport time\ntime.sleep(30)',
});
