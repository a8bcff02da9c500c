/** Which groups pseudo-label-select leaves to the vote. */
import { describe, expect, it } from 'vitest';
import type { GrpoStageConfig } from '../../../../../src/methods/stage.ts';
import { createMethods, remarksOn } from '../../../../../test/support/everything.ts';
import { wholeAndKilled } from '../../../../../test/support/killed_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { type Row, StepTrial } from '../../support/group_steps.ts';

/** Answers of four completions; `r` is right. */
const rows = (answers: string): Row[] =>
  [...answers].map((text) => ({ parts: [text === 'r' ? 1 : 0], text, ...(text === '-' && { verdict: NONE }) }));
const NONE = { status: 'invalid' } as const;

const kept = (options: string, ...groups: readonly string[]) => {
  const trial = new StepTrial(`majority, {name: pseudo-label-select, ${options}}`, '[accuracy]');
  const { groups: after, logged } = trial.apply(groups.map(rows));
  return { kept: groups.filter((_, g) => !after[g].dead), logged };
};

describe('pseudo-label-select', () => {
  const all = ['rrrx', 'rrxy', 'xxxr', 'rxyz', '----'];

  it('keeps what is sure, and what is surest of a round', () => {
    expect(kept('sure: 0.75, top: 0', ...all).kept).toEqual(['rrrx', 'xxxr']);
    expect(kept('sure: 0.5, top: 0', ...all).kept).toEqual(['rrrx', 'rrxy', 'xxxr']);
    expect(kept('sure: 1, top: 0.2', ...all).kept).toEqual(['rrrx']);
    expect(kept('sure: 1, top: 0.21', ...all).kept).toEqual(['rrrx', 'xxxr']);
  });

  it('never keeps a group in which nobody answers', () => {
    expect(kept('sure: 1, top: 1', ...all).kept).toEqual(['rrrx', 'rrxy', 'xxxr', 'rxyz']);
  });

  it('logs how often labels are right, of those kept and of all', () => {
    const { logged } = kept('sure: 0.75, top: 0', 'rrrx', 'rrrr', 'xxxr', 'xyrr', 'xyzr');
    expect(logged['pseudo-label-select/kept']).toBeCloseTo(3 / 5, 12);
    expect(logged['pseudo-label-select/kept_label_accuracy']).toBeCloseTo(2 / 3, 12);
    expect(logged['pseudo-label-select/label_accuracy']).toBeCloseTo(3 / 5, 12);
  });

  it('leaves rewards as they are', () => {
    const trial = new StepTrial('majority, {name: pseudo-label-select, sure: 0.75}', '[accuracy]');
    expect(trial.apply([rows('xxxr'), rows('rrxy')]).rewards).toEqual([
      [1, 1, 1, 0],
      [1, 1, 0, 0],
    ]);
  });

  it('is said to lose hard problems where nothing pays votes', () => {
    const [alone, voting] = [
      stageOf('group_steps: [pseudo-label-select]'),
      stageOf('group_steps: [majority, pseudo-label-select]'),
    ];
    const said = (stage: GrpoStageConfig) => remarksOn(stage).map(({ text }) => text);
    expect(said(alone)).toEqual([expect.stringMatching(/nothing pays votes.*add majority to group_steps/)]);
    expect(said(voting)).toEqual([]);
    expect(createMethods(voting).groupSteps.map(({ id }) => id)).toEqual(['majority', 'pseudo-label-select']);
  });

  it('refuses shares beyond their limits', () => {
    for (const option of ['sure: 0', 'sure: 1.1', 'top: -0.1', 'top: 2']) {
      expect(() => stageOf(`group_steps: [{name: pseudo-label-select, ${option}}]`)).toThrow(/group_steps/);
    }
  });

  it('has the same bits after a kill, with refill for what it leaves out', async () => {
    const lines =
      'group_steps: [majority, {name: pseudo-label-select, sure: 0.5}]\ndynamic_sampling: {name: refill, max_rounds: 1}';
    const { whole, killed } = await wholeAndKilled(lines);
    expect(killed).toEqual(whole);
  });
});
