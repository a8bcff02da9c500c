/** What is kept of a rollout, and for how long. */
import { expect, it } from 'vitest';
import type { Rollout } from '../../src/methods/records.ts';
import { fromPlain } from '../../src/methods/support/rollouts/load_rollouts.ts';
import { withoutFiguresOfStep } from '../../src/methods/support/rollouts/rollout_fields.ts';
import { requirePlain } from '../../src/methods/support/rollouts/rollout_forms.ts';
import { toPlain } from '../../src/methods/support/rollouts/save_rollouts.ts';
import { turnsOf } from '../../src/methods/support/rollouts/turns.ts';
import type { Json } from '../../src/options/json.ts';
import { FIGURES, FULL_ROLLOUT } from '../support/full_rollouts.ts';
import { rolloutOf } from '../support/rollouts.ts';

const throughJson = (plain: Json): Json => JSON.parse(JSON.stringify(plain));
const whole: Required<Rollout> = { ...FULL_ROLLOUT, ...FIGURES };

it('a method keeps all of a rollout but what is found out again for each batch', () => {
  const { proximalLogprobs: _, values: __, returns: ___, figures: ____, ...kept } = whole;
  const plain = throughJson(toPlain(whole));
  expect(() => requirePlain(plain)).not.toThrow();
  expect(fromPlain(plain)).toStrictEqual(kept);
});

it('a rollout that has few fields gets no others', () => {
  const { figures: _, ...plain } = rolloutOf(3, 1);
  expect(fromPlain(throughJson(toPlain(plain)))).toStrictEqual(plain);
});

it('the figures of a step are dropped, and nothing else', () => {
  expect(withoutFiguresOfStep(whole)).toStrictEqual(FULL_ROLLOUT);
});

it.each([
  ['a list that is too short', { logprobs: [-1] }, 'a rollout of 2 tokens has 1 logprobs'],
  ['a token that is none', { tokens: [5, -1] }, 'tokens.1: '],
  ['a verdict without a reason', { verdict: { score: 1, status: 'correct' } }, 'verdict.reason: '],
  ['no entropies', { entropies: null }, 'entropies: '],
  [
    'turns of other lengths',
    { turns: [{ length: 3, label: 'policy', text: 'ab' }] },
    'turns of other lengths than their completion',
  ],
])('one with %s is refused where it is restored', (_, change, says) => {
  const plain = { ...(throughJson(toPlain(FULL_ROLLOUT)) as object), ...change } as Json;
  expect(() => requirePlain(plain)).toThrow(TypeError);
  expect(() => requirePlain(plain)).toThrow(says);
});

it('a completion without a list of turns has one, of the policy, which is all of it', () => {
  const { turns: _, ...plain } = FULL_ROLLOUT;
  const [turn, ...others] = turnsOf(plain);
  expect(turn).toEqual({ tokens: plain.tokens, label: 'policy', text: plain.text });
  expect([turn.tokens === plain.tokens, others]).toEqual([true, []]);
  expect(turnsOf(FULL_ROLLOUT)).toBe(FULL_ROLLOUT.turns);
});
