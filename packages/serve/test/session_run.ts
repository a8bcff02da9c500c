/** Small runs on sessions: a made-up game of repeating letters, played by a client over the wire, or in this process. */
import { readFileSync } from 'node:fs';
import { afterTurn } from '../../../src/data/play.ts';
import type { Task } from '../../../src/data/task.ts';
import { closeEngine } from '../../../src/grpo/engine.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { fingerprintOf } from '../../../src/run/fingerprint/run_fingerprint.node.ts';
import { weightsSha256 } from '../../../src/run/model/model_files.ts';
import { type SessionEvent, session } from '../../../src/run/session.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { createTask, openRun, parseConfig } from '../../../test/support/everything.ts';
import { bookOf } from '../../zoo/data/sessions/sessions.ts';
import { memoryFiles } from '../../zoo/test/data/datasets/memory_files.ts';
import { startSessionServer } from '../sessions/session_server.node.ts';

const LETTERS = 'abcd';
export const TURNS = 3;

/** Rows: a letter to repeat, and those that follow it. */
const ROWS = LETTERS.split('').flatMap((a) =>
  LETTERS.split('').map((b) => JSON.stringify({ prompt: a + b, further: `${b}${a}` })),
);

export const KNOBS = {
  name: 'sessions',
  train: 'rows.jsonl',
  held_out: 0.3,
  characters: LETTERS,
  max_turns: TURNS,
  turn_tokens: 2,
  observation_tokens: 1,
};

export const FILES = memoryFiles({ 'rows.jsonl': `${ROWS.join('\n')}\n` });

/** What the game says to the answers so far: the next letter, or the reward, which is the share that was repeated. */
export function told(
  { prompt, further }: Readonly<Record<string, unknown>>,
  answers: readonly string[],
): { readonly say: string } | { readonly reward: number } {
  const letters = [`${prompt}`[0], ...`${further}`];
  if (answers.length < TURNS) return { say: letters[answers.length] as string };
  return { reward: answers.filter((answer, i) => answer === letters[i]).length / TURNS };
}

/** The task with the game in this process. */
function local(task: Task): Task {
  const { name, version, knobs, style, language, chance } = task;
  const book = bookOf([task]);
  return {
    ...{ name, version, knobs, style, language, chance },
    trainItem: (...of) => task.trainItem(...of),
    trainProblems: () => task.trainProblems(),
    heldOutItems: () => task.heldOutItems(),
    parse: () => undefined,
    demonstration: () => '',
    verify: (...of) => task.verify(...of),
    environment: {
      knows: [],
      start: () => ({ state: [], turn: 0, illegal: 0 }),
      act: () => '',
      step(item, before, action) {
        const state = [...(before.state as string[]), action];
        const next = told(item.columns ?? {}, state);
        if ('say' in next) return afterTurn({ state, observation: next.say }, before, TURNS);
        const verdict = book.verdict({ reward: next.reward, reason: '' });
        return afterTurn({ state, verdict }, before, TURNS);
      },
    },
  };
}

export interface Asking {
  readonly post: (path: string, body: unknown, key?: string) => Promise<Response>;
  readonly url: string;
}

export function asking(url: string): Asking {
  return {
    url,
    post: (path, body, key = '') =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

/** Plays until there is nothing more to play. @param watch  called with each reward that was taken */
export async function play({ post }: Asking, watch: () => void = () => undefined): Promise<void> {
  for (;;) {
    const begun = await post('/sessions', {}).catch(() => undefined);
    if (begun?.status === 503) continue;
    if (begun?.status !== 200) return;
    const { session_id: key, problem, messages } = await begun.json();
    const answers: string[] = [];
    for (;;) {
      const replied = await post('/v1/chat/completions', { messages }, key).catch(() => undefined);
      if (replied?.status !== 200) break;
      const { message } = (await replied.json()).choices[0];
      answers.push(message.content);
      const next = told(problem, answers);
      if ('reward' in next) {
        const taken = await post(`/sessions/${key}/reward`, { value: next.reward }, key).catch(() => undefined);
        if (taken?.status === 200) watch();
        break;
      }
      messages.push(message, { role: 'user', content: next.say });
    }
  }
}

export interface GameRun {
  readonly store: Store;
  readonly resume?: boolean;
  readonly steps?: number;
  /** Absent: the game is in this process. */
  readonly client?: (asking: Asking) => Promise<void>;
  /** Keys of the config besides. */
  readonly lines?: string;
  readonly knobs?: Readonly<Record<string, unknown>>;
  readonly files?: typeof FILES;
  readonly heard?: (event: SessionEvent) => void;
  readonly shouldStop?: () => boolean;
  readonly signal?: AbortSignal;
}

/** @returns SHA-256 of the weights */
export async function gameRun(options: GameRun): Promise<string> {
  const {
    store,
    resume = false,
    steps = 2,
    client,
    lines = '',
    knobs,
    files = FILES,
    heard,
    shouldStop,
    signal,
  } = options;
  const yaml = `
task: ${JSON.stringify({ ...KNOBS, ...knobs })}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 32, initializer_range: 0.3}
seed: 3
max_steps: ${steps}
learning_rate: 1.0e-2
num_generations: 8
generation_batch_size: 16
eval_steps: 2
num_generations_eval: 2
${lines}
`;
  const { config } = parseConfig(yaml, { file: 'game.yaml' });
  const task = await createTask({ ...KNOBS, ...knobs }, { files });
  const of = client === undefined ? local(task) : task;
  const run = await openRun(config, of, await wasmBackend({ inline: true }));
  const server = client && (await startSessionServer({ book: bookOf([task]), tasks: run.engine.tasks, lingerMs: 0 }));
  const playing = server && client?.(asking(server.url));
  try {
    const fingerprint = await fingerprintOf(run);
    const given = { run, store, fingerprint, directory: 'runs/game', resume, force: false, shouldStop, signal };
    for await (const event of session(given)) heard?.(event);
    return await weightsSha256(run.engine.policy);
  } finally {
    await server?.close();
    await playing;
    await closeEngine(run.engine);
  }
}

/** The first block of a language of a page that has these words. */
export function blockOf(page: string, language: string, words: string): string {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
  return blocks.find(([, block]) => block?.includes(words))?.[1] ?? '';
}
