/** A reward that is a function in Python: the run's end of its process, which speaks the protocol of a sandbox in lines of JSON. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { refusal, type SandboxHost } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import { SandboxedReward } from '../../zoo/rewards/sandbox/sandboxed_reward.ts';
import type { RewardLimits } from '../threads/reward_thread.node.ts';
import { trlArguments } from '../threads/thread_exports.node.ts';
import { PYTHON_RUNNER } from './python_runner.ts';

export interface PythonStart {
  /** Absolute. */
  readonly path: string;
  /** As messages show it. */
  readonly shown: string;
  readonly function: string;
  readonly signature: 'trl' | 'verl';
  /** The command, or the file, of Python. */
  readonly command: string;
}

/**
 * Starts Python, and loads the file there.
 *
 * @throws PluginError `rule; remedy` where there is no such Python, or the file cannot be loaded or has no such function
 */
export async function startPython(
  start: PythonStart,
  limits: Omit<RewardLimits, 'memoryBytes'>,
): Promise<SandboxedReward> {
  const { path, shown, command, signature } = start;
  // A group of its own, so that Ctrl-C is the run's alone, and whatever it starts ends with it.
  const child = spawn(command, ['-u', '-c', PYTHON_RUNNER], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: process.platform !== 'win32',
    env: { PYTHONHASHSEED: '0', ...process.env },
  });
  child.stdin.on('error', () => {}); // it has ended, as `exit` says
  try {
    await once(child, 'spawn');
  } catch {
    const facts = { key: 'python', value: command };
    throw refusal(`does not run here; install Python 3, or name another by python or the variable PYTHON`, facts);
  }
  const host: SandboxHost = {
    post: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    terminate: () => end(child),
  };
  const reward = new SandboxedReward({
    name: start.function,
    source: shown,
    host,
    limits: { ...limits, key: 'reward_timeout' },
    question: (batch) => ({ score: trlArguments(batch) }),
  });
  createInterface({ input: child.stdout }).on('line', (line) => reward.hear(parsed(line)));
  child.on('exit', (code, signal) => reward.end(`ended its process (${signal ?? `exit code ${code}`})`));
  await reward.load({ load: { path, name: start.function, how: signature } });
  return reward;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // no answer to anything
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  if (process.platform === 'win32') child.kill('SIGKILL');
  else process.kill(-child.pid, 'SIGKILL');
  await gone;
}
