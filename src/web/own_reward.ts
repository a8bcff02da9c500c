/**
 * A reward that a visitor writes, in a worker of its own: an endless loop can be ended, and the code has no
 * network, no storage and no page.
 */
import { PluginError } from '../errors.ts';
import {
  describeReward,
  inStep,
  type RewardBatch,
  type RewardFunction,
  type RewardValues,
} from '../rewards/reward_function.ts';
import { lateRule, ScoringWorker } from '../rewards/scoring_worker.ts';

/** Seconds that a batch may take. */
const SCORE_SECONDS = 5;

/** Globals of the worker through which code could reach out of it, or outlive it. */
const TAKEN_AWAY = [
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'WebSocketStream',
  'WebTransport',
  'EventSource',
  'importScripts',
  'Worker',
  'SharedWorker',
  'BroadcastChannel',
  'indexedDB',
  'caches',
  'navigator',
  'Notification',
  'RTCPeerConnection',
];

/** What the worker is: takes the world away, then makes a function of the code, once. `reward` gets one completion. */
const BODY = `
  const post = self.postMessage.bind(self);
  const listen = self.addEventListener.bind(self);
  for (const name of ${JSON.stringify(TAKEN_AWAY)}) {
    for (let at = self; at; at = Object.getPrototypeOf(at)) {
      if (Object.hasOwn(at, name)) Object.defineProperty(at, name, { value: undefined, configurable: false });
    }
  }
  const read = (0, eval);
  // Code made of texts could load a module; code as it stands is looked through for that.
  for (const made of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(made), 'constructor', { value: undefined });
  }
  for (const name of ['eval', 'Function', 'setTimeout', 'setInterval']) self[name] = undefined;
  let score;
  listen('message', ({ data }) => {
    try {
      if (data.code !== undefined) {
        if (/\\bimport\\b/.test(data.code)) throw new SyntaxError('a reward imports nothing, and the word may not occur in it');
        score = read('(() => {"use strict";' + data.code + '\\n;return reward;})()');
        if (typeof score !== 'function') throw new TypeError('reward is not a function');
        return post({ ready: true });
      }
      post({ values: data.rows.map((row) => score(row)) });
    } catch (error) {
      post({ failure: error instanceof Error ? error.name + ': ' + error.message : String(error) });
    }
  });
`;

/** What the visitor's function is called with, for one completion. */
export interface OwnRewardRow {
  readonly prompt: string;
  readonly completion: string;
  /** One correct answer of perhaps several. */
  readonly answer: string;
  /** Tokens of the completion. */
  readonly length: number;
  /** What the strict verifier says: its score, reason and sub-scores. */
  readonly verdict: RewardBatch['verdicts'][number];
}

type Reply = { readonly ready: true } | { readonly values: unknown[] } | { readonly failure: string };

/** A reward in its worker, until it is closed. */
export interface OwnReward extends RewardFunction {
  close(): void;
}

/**
 * Starts the code, which declares `function reward({prompt, completion, answer, length, verdict})`.
 * @throws PluginError where it cannot be read, or declares none
 */
export async function startOwnReward(name: string, code: string): Promise<OwnReward> {
  const url = URL.createObjectURL(new Blob([BODY], { type: 'text/javascript' }));
  const thread = new Worker(url);
  const worker = new ScoringWorker<Reply>({
    post: (message) => thread.postMessage(message),
    terminate: () => thread.terminate(),
  });
  thread.onmessage = ({ data }) => worker.hear(data as Reply);
  thread.onerror = ({ message }) => worker.hear({ failure: message });
  const close = (): void => void worker.close();
  const ask = async (message: unknown, when: string): Promise<Reply> => {
    const fail = (rule: string): PluginError =>
      new PluginError('reward-failed', `${describeReward({ name })} ${rule}.`);
    const answer = await worker.ask(SCORE_SECONDS, message);
    if (answer.type === 'ended') throw fail(answer.reason);
    if (answer.type === 'late') {
      const rule = lateRule(SCORE_SECONDS, when);
      worker.end(rule);
      close();
      throw fail(rule);
    }
    if ('failure' in answer.reply) throw fail(`failed ${when}: ${answer.reply.failure} — correct it`);
    return answer.reply;
  };
  try {
    await ask({ code }, 'while it was read');
  } catch (error) {
    close();
    throw error;
  } finally {
    URL.revokeObjectURL(url);
  }
  const score = async (batch: RewardBatch): Promise<RewardValues> => {
    const reply = await ask({ rows: rowsOf(batch) }, inStep(batch));
    return 'values' in reply ? (reply.values as RewardValues) : []; // checked by scoreRewards
  };
  return { name, score, close };
}

function rowsOf(batch: RewardBatch): OwnRewardRow[] {
  return batch.completions.map((completion, row) => ({
    prompt: batch.prompts[row] as string,
    completion,
    answer: batch.items[row]?.answer as string,
    length: batch.completionTokens[row]?.length as number,
    verdict: batch.verdicts[row] as OwnRewardRow['verdict'],
  }));
}
