/** What methods use of a run: the union over a stage, its words, room and refusals. */
import { describe, expect, it } from 'vitest';
import type { TaskSet } from '../../../../src/data/task_set.ts';
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { parameterSet } from '../../../../src/methods/uses/parameter_sets.ts';
import { solutionSteps } from '../../../../src/methods/uses/solution_steps.ts';
import { roomOf, uniteUses, wordsOf } from '../../../../src/methods/uses/stage_uses.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';
import { requireUses } from '../../../../src/run/check_uses.ts';
import { rolloutOf } from '../../../../test/support/rollouts.ts';
import { figure } from '../../methods/uses/figure.ts';
import { maskedKl } from '../../methods/uses/masked_kl.ts';
import { refLogprobs } from '../../methods/uses/ref_logprobs.ts';
import { furtherGroups, furtherPrompts, shownTexts } from '../../methods/uses/room.ts';

const united = (...uses: readonly Use[]) =>
  uniteUses(uses.map((use, i) => ({ by: `m${i}`, point: 'creditSteps', use })));
const TASKS = { maxShownTokens: 10, shares: [], name: 'sums' } as unknown as TaskSet; // what the uses below ask for

describe('the uses of a stage', () => {
  it('bring what they imply, each of its words once', () => {
    const uses = united(refLogprobs, ledger({ history: true }), parameterSet('reference'));
    expect(uses.sets).toEqual(new Set(['reference']));
    expect(uses.has(ledger())).toBe(true);
    expect(uses.has(solutionSteps)).toBe(false);
    expect(wordsOf(uses).filter((text) => text.startsWith('a reference policy'))).toHaveLength(1);
    expect(wordsOf(uses)).toHaveLength(4);
  });

  it('compute a figure once, the one of the highest rank', () => {
    const most = maskedKl(0.6);
    const uses = united(maskedKl(0.2), most, maskedKl(0.4), refLogprobs, refLogprobs);
    expect(uses.figures).toEqual([most, refLogprobs]);
    expect(uses.distributionsFor).toEqual(['m0', 'm1', 'm2']);
  });

  it('take the room of the longest prompt, and that of all further ones', () => {
    const uses = united(
      shownTexts(1),
      shownTexts(3),
      furtherPrompts(2),
      furtherPrompts(1),
      furtherGroups(4),
      furtherGroups(1),
    );
    expect(roomOf(uses, TASKS)).toEqual({ prompt: 30, behind: 0, prompts: 3, groups: 5, text: 0 });
    expect(roomOf(united(), TASKS)).toEqual({ prompt: 0, behind: 0, prompts: 0, groups: 0, text: 0 });
  });

  it('are refused in the words of the use, for the method that asks', () => {
    expect(() => requireUses([united(ledger(), solutionSteps)], TASKS, {})).toThrow(
      'm1: reads the steps of a solution, and sums has none; use countdown with answer: steps, a task of yours with givesSteps, or another method.',
    );
  });
});

describe('a figure', () => {
  it('is read where it was computed, under its own id', () => {
    const lengths = figure<number>({ id: 'lengths', says: 'lengths', compute: async () => [] });
    expect(lengths.of(rolloutOf(2, 1))).toBeUndefined();
    expect(lengths.of({ ...rolloutOf(2, 1), figures: { lengths: 2 } })).toBe(2);
  });
});
