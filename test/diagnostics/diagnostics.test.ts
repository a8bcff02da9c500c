/** Every diagnostic is provoked by a stream that shows its reason; streams that show none provoke none. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIAGNOSIS_CODES, diagnosticsFor, observe } from '../../src/diagnostics/catalogue.ts';
import { COMBINATION, NEVER_ACTED, STAGE_ENDED, STOP_CODES } from '../../src/diagnostics/codes.ts';
import type { BatchRecord, EvaluationRecord } from '../../src/diagnostics/records.ts';
import { startWatch } from '../../src/diagnostics/watch.ts';
import type { Telling } from '../../src/methods/method.ts';
import { PROVOCATIONS, provoke } from './provocations.ts';
import { SECONDS, Stream } from './stream.ts';

/** What methods can do that a diagnostic applies to. */
const EVERYTHING: ReadonlySet<Telling> = new Set<Telling>(['clips', 'kl', 'hints', 'judges', 'replays', 'votes']);

const GUIDE = readFileSync(new URL('../../docs/diagnostics.md', import.meta.url), 'utf8');

describe.each(Object.entries(PROVOCATIONS))('%s', (code, provocation) => {
  const { said } = provoke(provocation);

  it('is said once, and alone, of a stream that shows it', () => {
    expect(said.map((diagnosis) => diagnosis.code)).toEqual([code]);
  });

  it('says what was seen, and which key to change', () => {
    for (const pattern of provocation.says) expect(said[0]?.message).toMatch(pattern);
    expect(said[0]?.message).not.toMatch(/NaN|undefined|Infinity|\.\.|\d{6}/);
  });

  it('is said the same by a run that is resumed at every step', () => {
    expect(provoke(provocation, { throughJson: true }).said).toEqual(said);
  });

  it('is said where the figures that it reads are all there is', () => {
    const { stage } = provoke(provocation);
    const only = diagnosticsFor(stage, EVERYTHING).find((one) => one.code === code)?.reads;
    const alone = provoke(provocation, { only }).said.find((one) => one.code === code);
    expect(alone?.message).not.toMatch(/NaN|undefined/);
    expect(alone).toBeDefined();
  });
});

it('every name is provoked by a stream, except those that stop a run and what the config alone says', () => {
  expect([...Object.keys(PROVOCATIONS), ...STOP_CODES, COMBINATION, NEVER_ACTED, STAGE_ENDED].sort()).toEqual(
    [...DIAGNOSIS_CODES].sort(),
  );
});

it('every name is a heading of docs/diagnostics.md, and every heading a name', () => {
  const headings = [...GUIDE.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
  expect(headings.sort()).toEqual([...DIAGNOSIS_CODES].sort());
});

describe('a stream that is well', () => {
  /** Rises, flattens, and ends: with the noise of small batches. */
  const noise = (step: number, size: number): number => size * Math.sin(12.9898 * step) * Math.cos(78.233 * step);

  it('of a policy that learns to 0.6 with a tenth of its entropy provokes nothing', () => {
    const stream = new Stream({ keys: { dynamic_sampling: 'refill', entropy_coef: 0.03 } });
    stream.evaluation({ greedy: 0.375, sampled: 0.176 });
    for (let step = 1; step <= 300; step++) {
      const correct = 0.6 - 0.42 * Math.exp(-step / 60) + noise(step, 0.08);
      const dead = Math.round(20 * (1 - Math.exp(-step / 100)));
      stream.step(
        {
          correct,
          reward: correct,
          paid: correct,
          groups: 32 + dead,
          live: 32,
          allRight: Math.round(dead * correct),
          allWrong: dead - Math.round(dead * correct),
          rounds: dead > 5 ? 3 : 2,
          entropy: 0.09 + 0.18 * Math.exp(-step / 50) + noise(step + 1, 0.01),
          variety: 0.2 + 0.4 * Math.exp(-step / 60),
        },
        { gradNorm: 0.4 * (1 + noise(step + 2, 0.8)) + (step % 50 === 0 ? 1 : 0) },
      );
      const heldOut = 0.4 - 0.22 * Math.exp(-step / 60) + noise(step, 0.01);
      if (step % 46 === 0) stream.evaluation({ greedy: 0.42 + noise(step, 0.02), sampled: heldOut, pass: 0.6 });
    }
    expect(stream.said).toEqual([]);
  });

  it('of a policy that solves its task, with most groups dead at last, provokes nothing', () => {
    const stream = new Stream({ keys: { reward_funcs: ['positions'], learning_rate: 1e-3 } });
    stream.evaluation({ greedy: 0, sampled: 0 });
    for (let step = 1; step <= 600; step++) {
      const progress = 1 / (1 + Math.exp((170 - step) / 50));
      const correct = Math.max(0, 0.985 * progress ** 2 + noise(step, 0.01));
      const live = Math.max(2, Math.round(32 * (1 - progress ** 4)));
      stream.step(
        {
          correct,
          reward: 0.05 + 0.94 * progress,
          paid: Math.min(1, 0.17 + progress),
          live,
          allRight: 32 - live,
          allWrong: 0,
          entropy: 2.25 * (1 - progress) ** 1.2 + 0.02,
          variety: 0.95 * (1 - progress) + 0.01,
          eos: 0,
          truncated: 0,
        },
        { gradNorm: 1 + 4 * Math.abs(noise(step, 1)) },
      );
      if (step % 50 === 0) stream.evaluation({ greedy: correct, sampled: correct, pass: correct });
    }
    // A batch without a live group now and then is what success looks like.
    stream
      .batch({ live: 0, allRight: 32, allWrong: 0, correct: 1, reward: 1, lowest: 1, paid: 0 })
      .step({ correct: 0.98 });
    expect(stream.said).toEqual([]);
  });

  it('that moves by two points between evaluations of thousands of problems is not below its best', () => {
    const of = (mean: number) => ({ mean, low: mean - 0.008, high: mean + 0.008, count: 4000 });
    const evaluated = (step: number, greedy: number): EvaluationRecord => {
      const share = of(greedy);
      return { step, greedy: share, sampled: share, samples: 1, pass: share, training: null, chance: 0 };
    };
    const said = [0.964, 0.943, 0.964, 0.93].map((share, i) => {
      const watch = startWatch(SECONDS);
      const { stage } = new Stream();
      observe(watch, stage, 500, { after: 'evaluation', record: evaluated(500, 0.964) });
      return observe(watch, stage, 550 + i, { after: 'evaluation', record: evaluated(550 + i, share) });
    });
    expect(said.map((diagnoses) => diagnoses.map(({ code }) => code))).toEqual([[], [], [], ['below-best']]);
  });

  it('that is played in turns is told of its turns, and of no limit that is not theirs', () => {
    const said = (batch: Partial<BatchRecord>): string => {
      const stream = new Stream();
      return stream
        .times(3, () => stream.step({ turns: 2.5, ...batch }))
        .said.map(({ message }) => message)
        .join();
    };
    expect(said({ truncated: 1, eos: 0, longest: 6 })).toMatch(
      /all episodes ended with a turn that was cut at 6 tokens/,
    );
    expect(said({ truncated: 0.7, longest: 6 })).toMatch(/70\.0 % of the episodes ended with a turn that was cut/);
    expect(said({ truncated: 0.7, longest: 6 })).not.toMatch(/max_completion_length to|soft_overlong/);
  });

  it('of two passes per batch with a KL that grows provokes nothing', () => {
    const stream = new Stream({ keys: { num_iterations: 2, beta: 0.01 } });
    for (let step = 1; step <= 200; step++) {
      const kl = 0.3 * (1 - Math.exp(-step / 40)) * (1 + noise(step, 0.3));
      stream.step({}, { kl }).update({ kl, onPolicy: false, clipped: 0.06, meanDifference: 0.03, maxDifference: 0.7 });
    }
    expect(stream.said).toEqual([]);
  });

  it('that is helped, replays, judges and chooses its problems as it should provokes nothing', () => {
    const methods = ['success-replay', 'hint-resample', 'self-verify'];
    const stream = new Stream({ keys: { rollout_strategies: methods, prompt_source: 'keep-range' } });
    for (let step = 1; step <= 100; step++) {
      const replays = step % 3 === 0;
      stream.step(
        {
          helped: 0.9 * Math.exp(-step / 30),
          judge: { said: '<yes>', often: 0.9 - 0.3 * Math.exp(-step / 30), right: 0.6 },
          starved: { source: 'keep-range', share: step < 4 ? 0.6 : 0.1 },
          ...(replays && { replayAge: 60 }),
        },
        replays ? { replayMoved: 0.3 + noise(step, 0.1) } : {},
      );
    }
    expect(stream.said).toEqual([]);
  });

  it('of a supervised stage provokes nothing', () => {
    const stream = new Stream({ keys: { stage: 'sft', warmup_steps: 20 } });
    for (let step = 1; step <= 300; step++) {
      stream.update({
        loss: 0.3 + 4 * Math.exp(-step / 30) + noise(step, 0.08),
        gradNorm: 1 + Math.abs(noise(step, 2)),
      });
    }
    expect(stream.said).toEqual([]);
  });
});

describe('a diagnostic that was said', () => {
  const dead = { live: 0, allWrong: 32, allRight: 0, correct: 0, reward: 0, highest: 0, paid: 0 };

  it('is not said again while it lasts, nor when it comes and goes', () => {
    const stream = new Stream();
    stream.times(40, () => stream.batch(dead));
    stream.times(20, () => stream.batch(dead).times(5, () => stream.step()));
    expect(stream.codes()).toEqual(['all-wrong']);
  });

  it('is said again when it was away for ten batches, and a third time when it was away for twenty', () => {
    const stream = new Stream().batch(dead);
    const again = (away: number): number =>
      stream
        .times(away, () => stream.step())
        .batch(dead)
        .codes()
        .filter((code) => code === 'all-wrong').length;
    expect([again(9), again(10), again(19), again(20), again(29), again(30)]).toEqual([1, 2, 2, 3, 3, 4]);
  });

  it('keeps another silent that would say less of the same', () => {
    const stream = new Stream().times(30, (self, i) =>
      self.step(i < 15 ? {} : { entropy: 0, variety: 0, live: 1, correct: 0.2 }),
    );
    expect(stream.codes()).toContain('entropy-collapse');
    expect(stream.codes()).not.toContain('duplicates');
  });
});

describe('all-wrong', () => {
  const dead = { live: 0, allWrong: 8, allRight: 0, correct: 0, reward: 0, highest: 0, paid: 0 };

  it('waits for three batches where a batch is small', () => {
    const stream = new Stream();
    const small = { ...dead, groups: 8, completions: 32 };
    expect(stream.batch(small).batch(small).codes()).toEqual([]);
    expect(stream.batch(small).codes()).toEqual(['all-wrong']);
  });

  it('blames the update where completions were right before', () => {
    const { said } = new Stream().step({ correct: 0.08 }).batch(dead);
    expect(said[0]?.message).toMatch(/though 8\.0 % were at step 1\. An update has destroyed .* learning_rate to 6e-5/);
  });
});

it('low-solve-rate leaves a dense reward alone, however rare the right answers are', () => {
  const stream = new Stream().evaluation({ greedy: 0, sampled: 0 }).step({ correct: 0.01, reward: 0.05, paid: 0.17 });
  expect(stream.said).toEqual([]);
});

it('length-explosion leaves completions alone that grow with the reward', () => {
  const stream = new Stream().times(100, (self, i) =>
    self.step({ meanLength: 12 + i, longest: 150, reward: 0.3 + 0.005 * i }),
  );
  expect(stream.said).toEqual([]);
});

it('held-out-falls forgives a single bad evaluation', () => {
  const stream = new Stream().evaluation({ greedy: 0.9, sampled: 0.9 });
  for (const sampled of [0.92, 0.82, 0.94, 0.83, 0.84, 0.95]) {
    stream
      .times(5, () => stream.step({ correct: 0.97, reward: 0.97, entropy: 0.05 }))
      .evaluation({ greedy: sampled, sampled });
  }
  expect(stream.codes()).not.toContain('held-out-falls');
  expect(stream.said.map(({ code, step }) => [code, step])).toEqual([['below-best', 10]]); // at once
});

it('held-out-falls sees a reward that is gamed in greedy accuracy alone, and leaves sharpening to its own name', () => {
  const of = (sampled: number) => {
    const stream = new Stream({ keys: { reward_funcs: ['lcs'] } }).evaluation({ greedy: 0.65, sampled: 0.1 });
    const part = (i: number) => stream.times(5, () => stream.step({ reward: 0.5 + 0.05 * i }));
    return stream.times(4, (_, i) => part(i).evaluation({ greedy: 0.39, sampled })).codes();
  };
  expect(of(0.11)).toEqual(['below-best', 'held-out-falls']);
  expect(of(0.3)).toEqual(['below-best', 'sharpening']);
});

it('constant-reward leaves rewards alone that group steps have made: beside its group each completion may be worth the same', () => {
  const equal = { live: 0, allRight: 31, correct: 0.97, reward: 0.5, lowest: 0.5, highest: 0.5, paid: 0 };
  expect(new Stream().batch(equal).codes()).toContain('constant-reward');
  expect(new Stream({ keys: { group_steps: ['win-rate'] } }).batch(equal).codes()).not.toContain('constant-reward');
});
