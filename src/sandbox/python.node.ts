/**
 * Programs in Python, run by the Python of this machine in a process of their own: the sandbox `python`.
 *
 * It is limited by the clock and by what the kernel counts, so a busy machine may decide otherwise than an idle one: it is
 * for verdicts that need the language, not for a run that is to keep its bits. Where the kernel allows it (`unshare`), a
 * program has no network and sees no other process. It reads what its user may read.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../errors.ts';
import type { SandboxEngine } from './limits.ts';

/** How a program in Python ended that did not come to its end. */
export type PythonFailure = 'syntax' | 'error' | 'time' | 'memory' | 'output';

/** What became of a program: what it printed when it came to its end, or how it failed; one that ends itself before failed. */
export type PythonResult =
  | { readonly ok: true; readonly output: string }
  | {
      readonly ok: false;
      readonly failure: PythonFailure /** The last line of its traceback. */;
      readonly reason: string;
    };

/** What a program in Python may use. */
export interface PythonLimits {
  /** By the clock; default 5. */
  readonly seconds?: number;
  /** Bytes of its whole memory; default 512 MiB. */
  readonly memoryBytes?: number;
}

/** A Python of this machine that runs programs. */
export interface PythonSandbox {
  readonly engine: SandboxEngine;
  /** Whether programs are in namespaces of their own, without a network. */
  readonly isApart: boolean;
  /** Runs a program to its end. @throws RangeError for a limit that is none */
  run(program: string, limits?: PythonLimits): Promise<PythonResult>;
}

/** Characters of the longest output. */
const MOST_OUTPUT = 10_000;
/** Characters of the end of an error that are kept. */
const MOST_ERROR = 4000;
/** Namespaces of user, network and processes; all of them end with the first. */
const APART = ['unshare', '--map-root-user', '--net', '--pid', '--fork', '--kill-child'];

/** Sets the limits of its own process, then runs what it reads below a line, which it writes when the program came to its end. */
const RUNNER = `
import math, resource, sys
seconds, memory = float(sys.argv[1]), int(sys.argv[2])
for kind, value in (('AS', memory), ('CPU', math.ceil(seconds) + 1), ('FSIZE', 0), ('NPROC', 0), ('NOFILE', 32), ('CORE', 0)):
    resource.setrlimit(getattr(resource, 'RLIMIT_' + kind), (value, value))
end = sys.stdin.readline()
program = sys.stdin.read()
sys.argv = ['program']
exec(compile(program, 'program', 'exec'), {'__name__': '__main__'})
sys.stderr.write(end)
`;

const execute = promisify(execFile);

/**
 * A sandbox of the Python of this machine.
 *
 * @param command  the Python, 3.8 or later, on Linux or macOS. Default `python3`
 * @throws ConfigError where it is not there
 */
export async function openPython(command = 'python3'): Promise<PythonSandbox> {
  const asked = 'import resource, sys; print(sys.executable); print(sys.version.split()[0])';
  let lines: string[];
  try {
    lines = (await execute(command, ['-I', '-c', asked])).stdout.trim().split('\n');
  } catch {
    const message = `the sandbox for Python needs ${JSON.stringify(command)}, which does not run here; install Python 3, or name another`;
    throw new ConfigError('no-sandbox', message, { sandbox: 'python', command });
  }
  const [executable = command, version = ''] = lines;
  const isApart = await execute(APART[0], [...APART.slice(1), executable, '-I', '-c', '']).then(
    () => true,
    () => false,
  );
  return {
    engine: { name: 'python', version },
    isApart,
    run: (program, limits) => run([...(isApart ? APART : []), executable], program, limits),
  };
}

async function run(
  python: readonly string[],
  program: string,
  { seconds = 5, memoryBytes = 512 * 2 ** 20 }: PythonLimits = {},
): Promise<PythonResult> {
  if (!(seconds > 0 && seconds <= 600)) throw new RangeError(`seconds: ${seconds} — above 0, at most 600`);
  if (!(Number.isInteger(memoryBytes) && memoryBytes >= 2 ** 25)) {
    throw new RangeError(`memoryBytes: ${memoryBytes} — a whole number of at least ${2 ** 25}`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'rlvr-python-'));
  const [command = 'python3', ...before] = python;
  const child = spawn(command, [...before, '-I', '-S', '-B', '-c', RUNNER, `${seconds}`, `${memoryBytes}`], {
    cwd: folder,
    env: {},
    detached: true, // a group of its own, which ends as a whole
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  try {
    return await ended(child, program, seconds);
  } finally {
    killGroup(child);
    await rm(folder, { recursive: true, force: true });
  }
}

function ended(child: ChildProcess, program: string, seconds: number): Promise<PythonResult> {
  return new Promise((resolve, reject) => {
    const end = randomUUID();
    let output = '';
    let error = '';
    let stopped: PythonFailure | undefined;
    const stop = (failure: PythonFailure): void => {
      stopped ??= failure;
      killGroup(child);
    };
    const timer = setTimeout(() => stop('time'), 1000 * seconds);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MOST_OUTPUT) stop('output');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      error = (error + text).slice(-MOST_ERROR);
    });
    child.stdin?.on('error', () => undefined); // it ended without reading all of its program
    child.stdin?.end(`${end}\n${program}`);
    child.on('error', (cause) => {
      clearTimeout(timer);
      reject(cause);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (stopped === undefined && code === 0 && error.endsWith(`${end}\n`)) return resolve({ ok: true, output });
      const reason = error.trim().split('\n').at(-1) ?? '';
      resolve({ ok: false, failure: stopped ?? failureOf(reason), reason });
    });
  });
}

function failureOf(reason: string): PythonFailure {
  if (/^(?:Syntax|Indentation|Tab)Error\b/.test(reason)) return 'syntax';
  return /^MemoryError\b/.test(reason) ? 'memory' : 'error';
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended already
  }
}
