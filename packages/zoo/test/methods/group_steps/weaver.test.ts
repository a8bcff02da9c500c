import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { posteriors } from '../../../methods/support/rewards/dawid_skene.ts';
import { type Row, StepTrial } from '../../support/group_steps.ts';

/** How often each of five simulated verifiers is right. */
const SKILLS = [0.85, 0.85, 0.75, 0.6, 0.55];
const REWARDS = '[accuracy, positions, lcs, repetition, ternary]';
const NAMES = 'rewards: [accuracy, positions, lcs, repetition, ternary]';

interface Simulated {
  readonly rows: readonly Row[];
  readonly truth: readonly number[];
}

function simulate(count: number, skills = SKILLS): Simulated {
  const rng = rngFor('weaver');
  const truth = Array.from({ length: count }, () => rng.int(0, 1));
  const rows = truth.map((right) => ({ parts: skills.map((skill) => (rng.float() < skill ? right : 1 - right)) }));
  return { rows, truth };
}

const agreement = (said: readonly (number | null)[], truth: readonly number[]): number =>
  said.filter((chance, i) => Number((chance ?? 0) > 0.5) === truth[i]).length / truth.length;

describe('five verifiers of unequal skill', () => {
  const { rows, truth } = simulate(20_000);
  const trial = new StepTrial(`{name: weaver, ${NAMES}}`, REWARDS);

  it('are right 91.3 % of the time joined by their skill, and 87.4 % by majority', () => {
    const [chances] = trial.apply([rows]).rewards;
    const votes = rows.map(({ parts }) => parts.reduce<number>((sum, vote) => sum + (vote ?? 0), 0) / 5);
    // The exact figures of these skills are 91.4 % and 87.3 %; four standard errors are 0.8 and 1 points.
    expect(Math.abs(agreement(votes, truth) - 0.873)).toBeLessThan(0.01);
    expect(Math.abs(agreement(chances, truth) - 0.914)).toBeLessThan(0.008);
  });

  it('have chances that are what they say', () => {
    const [chances] = trial.apply([rows]).rewards;
    const sure = chances.flatMap((chance, i) => ((chance ?? 0) > 0.9 ? [truth[i]] : []));
    expect(sure.reduce((sum, right) => sum + right, 0) / sure.length).toBeGreaterThan(0.9);
  });
});

describe('the chances', () => {
  it('are those of Bayes where the rates are known: many votes of three equal verifiers', () => {
    const patterns = ['111', '110', '101', '011', '100', '010', '001', '000'];
    const skill = 0.8;
    const chance = (pattern: string, right: number): number =>
      [...pattern].reduce((product, vote) => product * (Number(vote) === right ? skill : 1 - skill), 0.5);
    const counts = new Map(patterns.map((one) => [one, 1e6 * (chance(one, 1) + chance(one, 0))]));
    const found = posteriors(counts, [0, 1, 2]);
    for (const one of patterns) {
      expect(found.get(one)).toBeCloseTo(chance(one, 1) / (chance(one, 1) + chance(one, 0)), 4);
    }
  });

  it('do not move with a verifier that does not apply', () => {
    const { rewards } = new StepTrial('{name: weaver, rewards: [accuracy, positions, lcs]}').apply([
      [...simulate(400, [0.9, 0.9, 0.9]).rows, { parts: [1, 1, null] }, { parts: [null, null, null] }],
    ]);
    const [absent, nothing] = rewards[0].slice(-2);
    expect(absent).toBeGreaterThan(0.9);
    expect(nothing).toBeNull();
  });

  it('are the share of the votes where fewer than three verifiers say both', () => {
    const trial = new StepTrial('{name: weaver, rewards: [accuracy, positions, lcs]}');
    const { rewards, logged } = trial.apply([[{ parts: [1, 1, 0] }, { parts: [0, 1, 0] }, { parts: [1, 1, 0] }]]);
    expect(rewards).toEqual([[2 / 3, 1 / 3, 2 / 3]]);
    expect(logged['weaver/verifiers']).toBe(1);
  });

  it('remember the votes of earlier steps, in the checkpoint too', () => {
    const options = '{name: weaver, rewards: [accuracy, positions, lcs]}';
    const [whole, first, second] = [new StepTrial(options), new StepTrial(options), new StepTrial(options)];
    const batches = [0, 1, 2].map((i) => simulate(300, [0.9, 0.8, 0.7]).rows.slice(100 * i, 100 * i + 100));
    for (const one of [whole, first]) one.apply([batches[0]], 0);
    second.state = first.state;
    for (const step of [1, 2]) expect(second.apply([batches[step]], step)).toEqual(whole.apply([batches[step]], step));
    expect(whole.apply([batches[1]], 3).rewards).not.toEqual(new StepTrial(options).apply([batches[1]], 3).rewards);
  });
});
