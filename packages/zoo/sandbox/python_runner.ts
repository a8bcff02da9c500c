/**
 * What runs inside of the processes of the sandbox for Python, in Python: limits, the line to the other side, and the two
 * things that a process may be, one that runs a program and one that tries tests on it.
 *
 * Values cross as JSON with marks for what JSON lacks, and only those of Python's own types: a class of the program's, whose
 * `==` might say anything, never reaches the tests.
 */

const COMMON = `
import json, math, os, resource, sys, types

def limit(seconds, memory):
    values = {'AS': memory, 'CPU': math.ceil(seconds) + 1, 'FSIZE': 0, 'NPROC': 0, 'NOFILE': 32, 'CORE': 0}
    for kind, value in values.items():
        resource.setrlimit(getattr(resource, 'RLIMIT_' + kind), (value, value))
    if hasattr(sys, 'set_int_max_str_digits'):
        sys.set_int_max_str_digits(0)

def make_read_only():
    # mount_setattr of the root with all below it, then namespaces that may not take it back.
    import ctypes, struct
    libc, recursive, size = ctypes.CDLL(None), 0x8000, 32
    read_only = struct.pack('QQQQ', 1, 0, 0, 0)
    if libc.syscall(442, -100, b'/', recursive, read_only, ctypes.c_size_t(size)) or libc.unshare(0x10020000):
        sys.exit(1)

limit(float(sys.argv[1]), int(sys.argv[2]))
if sys.argv[3] == 'apart':
    make_read_only()
incoming, outgoing = os.fdopen(3), os.fdopen(os.dup(3), 'w')

def receive():
    return json.loads(incoming.readline())

def send(message):
    outgoing.write(json.dumps(message) + '\\n')
    outgoing.flush()

class Odd(Exception):
    pass

def encoded(value):
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {'float': str(float(value))}
    if isinstance(value, str):
        return ''.join(value)
    if isinstance(value, list):
        return [encoded(one) for one in value]
    if isinstance(value, dict):
        return {'dict': [[encoded(key), encoded(one)] for key, one in value.items()]}
    if isinstance(value, (bytes, bytearray)):
        return {'bytes': bytes(value).hex()}
    if isinstance(value, complex):
        return {'complex': [encoded(value.real), encoded(value.imag)]}
    if isinstance(value, range):
        return {'range': [value.start, value.stop, value.step]}
    for kind in (tuple, set, frozenset):
        if isinstance(value, kind):
            return {kind.__name__: [encoded(one) for one in value]}
    raise Odd(type(value).__name__)

def decoded(value):
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    [(kind, of)] = value.items()
    if kind == 'dict':
        return {decoded(key): decoded(one) for key, one in of}
    if kind == 'bytes':
        return bytes.fromhex(of)
    if kind == 'float':
        return float(of)
    if kind == 'complex':
        return complex(*decoded(of))
    if kind == 'range':
        return range(*of)
    return {'tuple': tuple, 'set': set, 'frozenset': frozenset}[kind](decoded(of))
`;

/** Runs a program; where a function of it is named, calls it with each line that comes and says its value. */
export const PROGRAM = `${COMMON}
def as_json(value):
    if isinstance(value, (list, tuple)):
        return [as_json(one) for one in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: as_json(one) for key, one in value.items()}
    value = encoded(value)
    if isinstance(value, dict) or type(value) is int and abs(value) >= 2 ** 53:
        raise Odd(next(iter(value)) if isinstance(value, dict) else 'whole number of more than 53 bits')
    return value

def answer(call, function, encode):
    try:
        value = function(*decoded(call[0]), **decoded(call[1]))
    except BaseException as error:
        kind = next(base.__name__ for base in type(error).__mro__ if base.__module__ == 'builtins')
        return {'error': kind, 'name': type(error).__name__, 'text': str(error)[:200]}
    try:
        return {'value': encode(value)}
    except (Odd, RecursionError) as odd:
        return {'odd': str(odd)[:200]}

given = receive()
module = types.ModuleType(given['module'])
sys.modules[given['module']] = module
sys.argv = ['program']
exec(compile(given['program'], 'program', 'exec'), module.__dict__)
if given['name'] is not None:
    for line in incoming:
        send(answer(json.loads(line), getattr(module, given['name']), as_json if given['json'] else encoded))
`;

/** Tries tests in Python; each call of what they test is a line to the other side, which answers with the value. */
export const TESTS = `${COMMON}
import builtins

def end(kind, reason=''):
    send({'end': kind, 'reason': str(reason)[:200]})
    os._exit(0)

def error_of(answer):
    kind = getattr(builtins, str(answer['error']), None)
    # Those that end an iteration would end a test's own.
    is_plain = isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, (StopIteration, StopAsyncIteration))
    try:
        error = kind(answer['text']) if is_plain else None
    except TypeError:
        error = None
    return error or RuntimeError(answer['text'])

calls, raised = 0, []

def ask(*args, **kwargs):
    global calls
    calls += 1
    try:
        send([encoded(args), encoded(kwargs)])
    except Odd as odd:
        end('tests', 'they pass a value that cannot be given to a program: ' + str(odd))
    try:
        answer = receive()
        if 'value' in answer:
            return decoded(answer['value'])
        odd, error = answer.get('odd'), error_of(answer) if 'error' in answer else None
    except Exception:
        end('value', 'no value')
    if error is None:
        end('value', odd)
    raised.append((error, str(answer['name']) + ': ' + str(answer['text'])))
    raise error

given = receive()
scope = {'__name__': 'tests'}
try:
    exec(compile(given['setup'], 'setup', 'exec'), scope)
    code = compile(given['tests'], 'tests', 'exec')
except BaseException as error:
    end('tests', type(error).__name__ + ': ' + str(error))
scope[given['name']] = ask
try:
    exec(code, scope)
except BaseException as error:
    for own, text in raised:
        if own is error:
            end('memory' if isinstance(error, MemoryError) else 'error', text)
    if isinstance(error, MemoryError):
        end('memory')
    if isinstance(error, (NameError, ImportError, SystemExit)):
        end('tests', type(error).__name__ + ': ' + str(error))
    end('assert')
if calls == 0:
    end('tests', 'they never call ' + given['name'])
end('passed')
`;
