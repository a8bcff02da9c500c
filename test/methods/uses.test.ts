/** What methods use of a run: the union over a stage, its words, room and refusals, and methods that still say `needs`. */
import { describe, expect, it } from 'vitest';
import type { TaskSet } from '../../src/data/task_set.ts';
import { createMethods, usesOf } from '../../src/methods/create.ts';
import { figure } from '../../src/methods/uses/figure.ts';
import { ledger } from '../../src/methods/uses/ledger.ts';
import { maskedKl } from '../../src/methods/uses/masked_kl.ts';
import { type OldNeeds, usesOfNeeds, withOldNeeds } from '../../src/methods/uses/old_needs.ts';
import { parameterSet } from '../../src/methods/uses/parameter_sets.ts';
import { refLogprobs } from '../../src/methods/uses/ref_logprobs.ts';
import { furtherPrompts, shownTexts } from '../../src/methods/uses/room.ts';
import { solutionSteps } from '../../src/methods/uses/solution_steps.ts';
import { roomOf, uniteUses, wordsOf } from '../../src/methods/uses/stage_uses.ts';
import type { Use } from '../../src/methods/uses/use.ts';
import { findOldSpellings } from '../../src/options/find_old_spellings.ts';
import { requireUses } from '../../src/run/check_uses.ts';
import { rolloutOf } from '../support/rollouts.ts';
import { stageOf } from '../support/stages.ts';

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
    const uses = united(shownTexts(1), shownTexts(3), furtherPrompts(2), furtherPrompts(1));
    expect(roomOf(uses, TASKS)).toEqual({ prompt: 30, behind: 0, prompts: 3, text: 0 });
    expect(roomOf(united(), TASKS)).toEqual({ prompt: 0, behind: 0, prompts: 0, text: 0 });
  });

  it('are refused in the words of the use, for the method that asks', () => {
    expect(() => requireUses([united(ledger(), solutionSteps)], TASKS)).toThrow(
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

describe('a method that says what it needs as in 0.1', () => {
  it('uses the same', () => {
    const needs: OldNeeds = { shown: 2, parameterSets: ['first'], ledger: 'history', feedback: 'wanted' };
    const ids = usesOfNeeds('mine', needs).map(({ id }) => id);
    expect(ids).toEqual(['set:first', 'ledger-history', 'feedback', 'shown-texts:2']);
  });

  it('is opened with them, and noted', () => {
    const about = { does: 'A.', formula: 'a', source: 'own', certainty: 'own' } as const;
    const mine = { id: 'mine', about, options: {}, create: () => ({ apply: () => [] }) };
    const stage = stageOf('credit_steps: [./mine.ts]');
    const opened = withOldNeeds(mine, () => ({ steps: true }));
    expect(createMethods(stage, { './mine.ts': opened }).uses.has(solutionSteps)).toBe(true);
    expect(usesOf(stage).has(solutionSteps)).toBe(false);
    const text =
      "import { method } from 'rlvr-train/methods';\nexport default method({\n  needs: () => ({ steps: true }),\n});";
    expect(findOldSpellings(text)).toEqual(['uses for needs (line 3)']);
  });

  it('is told what to write where it asks for a figure, which is read in another way', () => {
    expect(() => usesOfNeeds('mine', { sampled: ['uniformKl'] })).toThrow(
      'mine: asks for a figure in needs, which is called uses now; write uses: () => [uniformKl] in its place, and read uniformKl.of(rollout); rlvr-train/methods has it.',
    );
  });
});
