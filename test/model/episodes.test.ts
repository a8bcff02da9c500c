/** Episodes of several turns: whatever answers them, and whenever, a token is the one that it would be alone. */
import { describe, expect, it } from 'vitest';
import { nextTask } from '../../src/kernels/next_task.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { Capacity } from '../../src/model/memory/capacity.ts';
import type { Policy } from '../../src/model/policy.ts';
import {
  type EndedTurn,
  generateEpisodes,
  type TurnAnswer,
  type TurnControl,
} from '../../src/model/sampling/episodes.ts';
import type { Completion } from '../../src/model/sampling/generation.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import { bitsOf, generationSettings, openPolicy } from '../support/policies.ts';

const REQUESTS = Array.from({ length: 6 }, (_, i) => ({
  prompt: Int32Array.of(3, 1, i),
  rolloutNumbers: Array.from({ length: 8 }, (_unused, k) => 8 * i + k),
}));
const TURNS = 4;
const TURN_TOKENS = 5;
const SETTINGS = generationSettings({
  maxCompletionTokens: TURNS * TURN_TOKENS + (TURNS - 1) * 3,
  stopIds: [1, 2, 5, 7],
});

/** A made-up environment: what it says depends on the whole episode, some say nothing, and some episodes are short. */
function answerOf({ tokens, begin }: EndedTurn, turnsBefore: number): TurnAnswer {
  const sum = tokens.reduce((all, token) => all + token, 0);
  if (turnsBefore + 1 >= TURNS || (sum % 5 === 0 && begin > 0)) return 'stop';
  return Array.from({ length: sum % 4 }, (_, i) => 20 + ((sum + i) % 9));
}

class Answers implements TurnControl {
  readonly turnTokens = REQUESTS.map(() => TURN_TOKENS);
  readonly #turns = new Map<string, number>();
  readonly batches: number[] = [];
  readonly #delay: ((turn: number) => Promise<void>) | undefined;

  constructor(delay?: (turn: number) => Promise<void>) {
    this.#delay = delay;
  }

  after(ended: readonly EndedTurn[]): readonly (TurnAnswer | Promise<TurnAnswer>)[] {
    this.batches.push(ended.length);
    const answers = ended.map((turn) => {
      const key = `${turn.request}/${turn.completion}`;
      const before = this.#turns.get(key) ?? 0;
      this.#turns.set(key, before + 1);
      return answerOf(turn, before);
    });
    const waited = this.#delay?.(this.batches.length);
    return waited === undefined ? answers : answers.map((answer) => waited.then(() => answer));
  }
}

async function sampled(
  answers: TurnControl = new Answers(),
  capacity: Partial<Capacity> = {},
  use: (policy: Policy, completions: Completion[][]) => Promise<void> = async () => undefined,
): Promise<Completion[][]> {
  const policy = await openPolicy(await wasmBackend({ inline: true }), {}, { rows: 900, lossRows: 900, ...capacity });
  try {
    const { completions } = await generateEpisodes(policy, REQUESTS, SETTINGS, answers);
    await use(policy, completions);
    return completions;
  } finally {
    await policy.close();
  }
}

describe('generateEpisodes', () => {
  it('samples behind what is put in with the log-probs of the scorer, bit for bit', async () => {
    await sampled(new Answers(), {}, async (policy, completions) => {
      const all = completions.flat();
      const several = all.filter(({ labels }) => labels !== undefined);
      expect(several.length).toBeGreaterThan(20);
      const batch = packBatch(
        REQUESTS.map(({ prompt }, i) => ({
          prompt,
          completions: completions[i].map(({ tokens }) => tokens),
          labels: completions[i].map(({ labels }) => labels),
        })),
      );
      const scores = await policy.score(batch, SETTINGS.sampling.temperature);
      const own = Float32Array.from(batch.completionOf, (c, row) => all[c].logprobs[batch.tokenOf[row]]);
      expect(bitsOf(own)).toEqual(bitsOf(scores.logprobs));
      const rows = all.reduce((sum, { tokens, labels }) => {
        return sum + tokens.length - (labels?.filter((label) => label === TOKEN.given).length ?? 0);
      }, 0);
      expect(batch.lossRowCount).toBe(rows);
    });
  });

  it('puts each answer behind its turn, and ends an episode where it is told to', async () => {
    const seen: { readonly turn: EndedTurn; readonly tokens: Int32Array; readonly answer: TurnAnswer }[] = [];
    const answers = new Answers();
    const listening: TurnControl = {
      turnTokens: answers.turnTokens,
      after(ended) {
        const given = answers.after(ended) as readonly TurnAnswer[];
        ended.forEach((turn, i) => seen.push({ turn, tokens: turn.tokens.slice(), answer: given[i] }));
        return given;
      },
    };
    const completions = await sampled(listening);
    for (const { turn, tokens, answer } of seen) {
      const { tokens: whole, labels } = completions[turn.request][turn.completion];
      const isLast = answer === 'stop';
      expect([...whole.subarray(0, tokens.length)]).toEqual([...tokens]);
      expect(tokens.length - turn.begin).toBeLessThanOrEqual(TURN_TOKENS);
      if (isLast) expect(whole.length).toBe(tokens.length);
      else {
        const given = whole.subarray(tokens.length, tokens.length + answer.length);
        expect([...given]).toEqual([...answer]);
        if (answer.length > 0)
          expect(new Set(labels?.subarray(tokens.length, tokens.length + answer.length))).toEqual(
            new Set([TOKEN.given]),
          );
      }
    }
    expect(new Set(seen.map(({ turn }) => turn.finishReason))).toEqual(new Set(['eos', 'length']));
  });

  it('gives the same bits in a cache that holds a few episodes at a time', async () => {
    const roomy = await sampled();
    const tight = await sampled(new Answers(), { kvRows: 3 * 64, rows: 40, completions: 5 });
    expect(tight).toEqual(roomy);
  });

  it('does not wait for a slow answer, and gives the same bits whatever order answers come in', async () => {
    const prompt = await sampled();
    const order: number[] = [];
    const late = new Answers(async (batch) => {
      for (let tick = 0; tick < (batch % 3) * 4; tick++) await nextTask();
      order.push(batch);
    });
    expect(await sampled(late)).toEqual(prompt);
    expect(order).not.toEqual([...order].sort((a, b) => a - b));
  });

  it('ends an episode by length where no answer and no token fit any more', async () => {
    const endless: TurnControl = {
      turnTokens: REQUESTS.map(() => TURN_TOKENS),
      after: (ended) => ended.map(() => [9, 9, 9, 9, 9, 9]),
    };
    for (const { tokens, finishReason } of (await sampled(endless)).flat()) {
      expect(finishReason).toBe('length');
      expect(tokens.length).toBeLessThanOrEqual(SETTINGS.maxCompletionTokens);
    }
  });

  it('throws what an answer throws, also where others are sampled on meanwhile', async () => {
    const failing = (after: TurnControl['after']) => sampled({ turnTokens: REQUESTS.map(() => TURN_TOKENS), after });
    const thrown = () => {
      throw new Error('no answer');
    };
    await expect(failing(thrown)).rejects.toThrow('no answer');
    await expect(failing((ended) => ended.map(async () => thrown()))).rejects.toThrow('no answer');
  });
});
