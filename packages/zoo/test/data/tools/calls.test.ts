/** What each call of a turn counts for: its reward, its result, and whether it breaks the rules. */
import { describe, expect, it } from 'vitest';
import {
  correct,
  environmentFactory,
  type Knobs,
  options,
  type TaskDefinition,
  tool,
  toolEnvironment,
} from '../../../data/index.ts';
import { playActions } from '../../support/play_actions.ts';

type Found = { readonly letters: string };

const card = { name: 'letters', version: 1, category: 'own', tier: 1, knobs: options({}), levels: [] } as const;

/** Two letters are to be found, one a call; each call is paid for a letter, and charged for one that is there. */
const find = tool({
  name: 'find',
  description: 'Finds a letter.',
  parameters: { letter: { type: 'string' } },
  call({ letter }, { letters }: Found) {
    if (letter === '!') throw new Error('the finder is broken');
    if (letter === '?') throw new TypeError('a mistake in its code');
    if (!'ab'.includes(letter)) return { state: { letters }, flaw: 'no such letter' };
    return { state: { letters: letters + letter }, observation: letter, reward: letters.includes(letter) ? -0.5 : 1 };
  },
});

const letters = toolEnvironment<Found, Found, Knobs>(card, {
  family: 'letters',
  characters: 'abx!?>',
  tools: [find],
  generate: () => ({ letters: '' }),
  key: () => 'letters',
  prompt: () => '>',
  start: (item) => item,
  verify: (_, answer) => correct('answered', answer),
  expert: ({ results }) => {
    const letter = ['a', 'b'][results.length];
    return letter === undefined ? 'ab' : { call: 'find', arguments: { letter } };
  },
  random: () => 'ab',
  chance: () => 0.5,
  longest: () => ({ calls: 8, prompt: 1, values: 1, observation: 3, answer: 2 }),
});
const KNOBS = { tools: ['find'] } as Knobs;
const call = (...given: readonly string[]): string => given.map((letter) => `<call>find ${letter}</call>`).join('');
const play = (...actions: readonly string[]) => playActions(letters, { letters: '' }, KNOBS, actions);
const countsOf = (steps: ReturnType<typeof play>) => steps.map(({ after }) => after?.calls);

describe('several calls in one turn', () => {
  it('each count: their rewards are summed, their results kept, their number known', () => {
    const [step] = play(call('a', 'b'));
    expect(step).toMatchObject({ observation: 'a b', reward: 2, from: 'find' });
    expect(countsOf(play(call('a', 'b')))).toEqual([{ made: 2, open: 0 }]);
    expect(play(call('a', 'a'))[0]?.reward).toBe(0.5);
  });

  it('one that fails does not pay for another, nor find anything out', () => {
    const [step] = play(call('a', 'x'));
    expect(step).toMatchObject({ observation: 'a ?', reward: 1, illegal: true });
    // It was made, and what it was for is still open.
    expect(countsOf(play(call('a', 'x')))).toEqual([{ made: 2, open: 1 }]);
    expect(countsOf(play(call('x'), call('x')))).toEqual([
      { made: 1, open: 2 },
      { made: 2, open: 2 },
    ]);
  });
});

describe('an error that a tool throws', () => {
  it('goes to the policy and is no broken rule, however often', () => {
    const steps = play(call('!'), call('!'), call('!'), call('!'), 'ab');
    expect(steps.map(({ observation, illegal }) => [observation, illegal])).toEqual([
      ...Array.from({ length: 4 }, () => ['?', undefined]),
      [undefined, undefined],
    ]);
    expect(steps.at(-1)?.verdict?.score).toBe(1);
    const words = letters.environment?.inWords?.(undefined);
    const state = words?.start({ letters: '' }, KNOBS, undefined as never) as never;
    expect(words?.step(state, call('!'), KNOBS, undefined as never).observation).toBe('error: the finder is broken');
  });

  it('is thrown on where it is a mistake in its code', () => {
    expect(() => play(call('?'))).toThrow(TypeError);
  });

  it('of a class of TRL is no broken rule either, and a list that it was given is its own', () => {
    class Box {
      static readonly tools = {
        put: { description: 'Puts them in.', parameters: { things: { type: 'array' } } },
      } as const;
      #things: unknown[] = [];
      reset(): void {}
      put({ things }: { readonly things: unknown[] }): number {
        if (things.length === 0) throw new Error('nothing to put');
        this.#things = things;
        things.push('lid');
        return things.length;
      }
      get_reward(): number {
        return this.#things.length === 3 ? 1 : 0;
      }
    }
    const task = environmentFactory(Box, { name: 'box', rows: [{ prompt: 'Put two.' }] }) as TaskDefinition<
      never,
      Knobs
    >;
    const put = (things: string): string => `<call>put ${things}</call>`;
    const knobs = { tools: ['put'] } as Knobs;
    const steps = playActions(task, { prompt: 'Put two.' }, knobs, [
      put('[]'),
      put('[]'),
      put('[]'),
      put('[1,2]'),
      'done',
    ]);
    expect(steps.map(({ observation, illegal }) => [observation, illegal])).toEqual([
      ['?', undefined],
      ['?', undefined],
      ['?', undefined],
      ['3', undefined],
      [undefined, undefined],
    ]);
    expect(steps.at(-1)?.verdict?.score).toBe(1);
  });
});
