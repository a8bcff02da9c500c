/** Environments of the user's that do what an environment should not: each is named for it. */
import { describe, expect, it } from 'vitest';
import { type AnyEnvironment, bindEnvironment, playEpisode } from '../../../src/data/play.ts';
import { options } from '../../../src/options/keys.ts';
import { bindTask, environmentTask, oneTask } from '../../zoo/data/index.ts';
import { requireExport, watchedExport } from '../watched.node.ts';

const CALLEE = {
  kind: 'task' as const,
  name: 'task "count" (tasks/count.ts)',
  path: 'tasks/count.ts',
  limitSeconds: 0.3,
};

/** Counts up to three: the policy says `1`, is told what it has, and has won with the third. */
const COUNT = {
  start: () => ({ said: 0 }),
  step: ({ said }: { said: number }) =>
    said === 2
      ? { state: { said: 3 }, verdict: { score: 1, status: 'correct', reason: 'three' } }
      : { state: { said: said + 1 }, observation: String(said + 1) },
  expert: () => '1',
  random: () => '0',
  turnLimits: () => ({ maxTurns: 4, actionTokens: 2, observationTokens: 1 }),
};

function play(changes: Record<string, unknown>): () => unknown {
  return () => {
    const own = requireExport({ ...COUNT, ...changes }, 'its environment', 'environment');
    const watched = watchedExport(own, 'environment', CALLEE, 'environment.') as unknown as AnyEnvironment;
    const item = { identity: null, key: 'one' } as unknown as Parameters<typeof playEpisode>[1];
    return playEpisode(bindEnvironment(watched, 'count', {}), item, '0', () => '1').verdict.score;
  };
}

describe("the environment of a user's task", () => {
  it('is played as it is where it keeps its rules', () => {
    expect(play({})()).toBe(1);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'throws',
      {
        step: () => {
          throw new Error('no luck');
        },
      },
      /task "count" \(tasks\/count.ts\): environment.step failed for state \{ said: 0 \} and action '1': .*no luck.* — correct it/,
    ],
    [
      'hangs',
      {
        step: () => {
          for (;;);
        },
      },
      /environment.step gave nothing within 0.3 s for state .* — it hangs or is too slow/,
    ],
    [
      'changes its state',
      { step: (state: { said: number }) => ({ state: { said: state.said++ }, observation: '' }) },
      /Cannot assign to read only property 'said'.*\(problems and states cannot be written to\)/,
    ],
    [
      'gives no JSON',
      { step: () => ({ state: { when: new Date(0) } }) },
      /environment.step gave a state with a Date at .when .* — give a state of plain JSON/,
    ],
    ['gives nothing', { step: () => undefined }, /environment.step gave undefined .* — give \{state, observation/],
    [
      'gives a reward that is no number',
      { step: () => ({ state: 1, reward: Number.NaN }) },
      /gave NaN at reward .* — give a finite number/,
    ],
    ['says a number', { step: () => ({ state: 1, observation: 7 }) }, /gave 7 at observation .* — give a text/],
    [
      'gives no verdict',
      { step: () => ({ state: 1, verdict: { score: 2 } }) },
      /gave \{ score: 2 \} at verdict .* — give a verdict/,
    ],
    [
      'has no turns',
      { turnLimits: () => ({ maxTurns: 0, actionTokens: 1, observationTokens: 1 }) },
      /gave 0 at maxTurns — give a whole number above 0/,
    ],
    ['starts from nothing', { start: () => undefined }, /environment.start gave a state with undefined/],
    [
      'lacks parts',
      { expert: undefined, random: 3 },
      /its environment is no complete environment: it lacks expert\(\), random\(\); add what is missing/,
    ],
  ])('that %s is refused with its name', (_, changes, message) => {
    expect(play(changes)).toThrow(message);
  });
});

describe('what an environment says', () => {
  const said = (observation: string) => {
    const definition = environmentTask<number, number, Record<string, never>>(
      {
        name: 'says',
        version: 1,
        category: 'own',
        tier: 1,
        knobs: options({}),
        levels: [],
      },
      {
        family: 'says',
        characters: 'abc',
        generate: (rng) => rng.int(0, 99),
        key: String,
        prompt: () => 'a',
        start: (identity) => identity,
        step: (state) => ({ state, observation }),
        expert: () => 'a',
        random: () => 'b',
        chance: () => 0,
        longest: () => ({ turns: 2, prompt: 1, action: 1, observation: 2 }),
      },
    );
    const { environment } = oneTask(bindTask(definition as unknown as Parameters<typeof bindTask>[0]));
    const item = { identity: 1, key: '1' } as unknown as Parameters<typeof environment.start>[0];
    const step = environment.step(item, environment.start(item, '0'), 'a', '0', { finishReason: 'eos' });
    return () => environment.observationTokens(item, step, 'eos');
  };

  it('is refused where it is longer than its limits say, or outside the vocabulary', () => {
    expect([...said('ab')()]).toHaveLength(2);
    expect(said('abc')).toThrow(
      'task "says": step() says "abc": that is 3 tokens, and turnLimits() says at most 2; raise observationTokens there',
    );
    expect(said('d')).toThrow(
      'task "says": step() says "d", which cannot be written: "d" in "d" — piece 1 is not in vocabulary',
    );
  });
});
