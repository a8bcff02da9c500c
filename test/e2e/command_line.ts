/** Runs the built command line as a user would, in a directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** How often a file that is waited for is looked at. */
const LOOK_MS = 5;

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @param interrupt  a signal to send as soon as `when` is seen on standard output, or the file `whenThere` exists and has
 *                   that many `lines`, or at once; and then `afterMs` milliseconds later
 * @param place      where the command is typed, what it finds in the environment, and what reads its standard output
 */
export function commandLine(
  arguments_: readonly string[],
  interrupt?: {
    readonly signal: NodeJS.Signals;
    readonly afterMs?: number;
    readonly when?: RegExp;
    readonly whenThere?: string;
    readonly lines?: number;
  },
  place: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly heard?: (text: string, child: ChildProcess) => void;
  } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', ...place.env };
    const child = spawn(process.execPath, [PROGRAM, ...arguments_], { cwd: place.cwd, env });
    let stdout = '';
    let stderr = '';
    let timer: NodeJS.Timeout | undefined;
    const send = (): void => {
      if (interrupt !== undefined) timer ??= setTimeout(() => child.kill(interrupt.signal), interrupt.afterMs ?? 0);
    };
    const file = interrupt?.whenThere;
    const isThere = (path: string, lines = 0): boolean =>
      existsSync(path) && (lines === 0 || readFileSync(path, 'utf8').split('\n').length > lines);
    const looking =
      file === undefined ? undefined : setInterval(() => isThere(file, interrupt?.lines) && send(), LOOK_MS);
    if (interrupt?.when === undefined && looking === undefined) send();
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      place.heard?.(chunk.toString(), child);
      if (interrupt?.when?.test(stdout)) send();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      clearInterval(looking);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** A fresh folder, and its removal. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'rlvr-train-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function writeConfig(folder: string, text: string): string {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, text);
  return file;
}

export interface SummaryFile {
  readonly baseline: Record<string, number> | null;
  readonly final: Record<string, number> | null;
  readonly weightsSha256: string;
  readonly threads: number;
}

export function readSummary(directory: string): SummaryFile {
  return JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8'));
}

/** Lines of metrics.jsonl without the figures that depend on the clock. */
export function readMetrics(directory: string): Record<string, unknown>[] {
  return readFileSync(join(directory, 'metrics.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { step_time: _, eval_runtime: _1, ...metrics } = JSON.parse(line);
      return metrics;
    });
}

/** A few seconds of training that pass through everything: a warm start, two iterations per batch, a KL term, refill. */
export const SMALL_CONFIG = `
task: {name: reverse_text, min_length: 3, max_length: 4}
model: {hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 48, initializer_range: 0.05}
seed: 3
save_seconds: 0.05
stages:
  - {stage: sft, max_steps: 40, per_device_train_batch_size: 16, learning_rate: 3.0e-3, eval_strategy: "no"}
  - {stage: grpo, max_steps: 30, num_generations: 4, generation_batch_size: 32, learning_rate: 1.0e-3, num_iterations: 2,
     beta: 0.01, entropy_coef: 0.01, reward_funcs: [lcs], dynamic_sampling: {name: refill, max_rounds: 1}, eval_steps: 10,
     num_generations_eval: 2}
`;
