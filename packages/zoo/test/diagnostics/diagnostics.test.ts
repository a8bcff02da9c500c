/** Every diagnostic is provoked by a stream that shows its reason; streams that show none provoke none. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMBINATION, NEVER_ACTED, STAGE_ENDED, STOP_CODES } from '../../../../src/diagnostics/codes.ts';
import { diagnosticsFor } from '../../../../src/diagnostics/diagnostic.ts';
import type { BatchRecord, EvaluationRecord } from '../../../../src/diagnostics/records.ts';
import { look, startWatch } from '../../../../src/diagnostics/watch.ts';
import type { Telling } from '../../../../src/methods/method.ts';
import { DIAGNOSIS_CODES, RUN_DIAGNOSTICS } from '../../diagnostics/catalogue.ts';
import { PROVOCATIONS, provoke } from './provocations.ts';
import { SECONDS, Stream } from './stream.ts';

/** What methods can do that a diagnostic applies to. */
const EVERYTHING: ReadonlySet<Telling> = new Set<Telling>(['clips', 'kl', 'hints', 'judges', 'replays', 'votes']);

const GUIDE = readFileSync(new URL('../../../../docs/diagnostics.md', import.meta.url), 'utf8');

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
    const only = diagnosticsFor(RUN_DIAGNOSTICS, stage, EVERYTHING).find((one) => one.code === code)?.reads;
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
    const said = [0.964, 0.943, 0.94, 0.93].map((share, i) => {
      const watch = startWatch(SECONDS);
      const { stage } = new Stream();
      const asked = diagnosticsFor(RUN_DIAGNOSTICS, stage, new Set());
      const evaluate = (step: number, greedy: number) =>
        look(watch, stage, step, { after: 'evaluation', record: evaluated(step, greedy) }, asked);
      evaluate(500, 0.964);
      evaluate(550 + i, share);
      return evaluate(600 + i, share);
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
  const unpaid = { live: 0, rewarded: 0 };

  it('is not said again while it lasts, nor when it comes and goes', () => {
    const stream = new Stream();
    stream.times(40, () => stream.batch(unpaid));
    stream.times(20, () => stream.batch(unpaid).times(5, () => stream.step()));
    expect(stream.codes()).toEqual(['no-reward']);
    expect(stream.standing()).toEqual(['no-reward']);
  });

  it('is said again when it was away for ten batches, and a third time when it was away for twenty', () => {
    const stream = new Stream().batch(unpaid);
    const again = (away: number): number =>
      stream
        .times(away, () => stream.step())
        .batch(unpaid)
        .codes()
        .filter((code) => code === 'no-reward').length;
    expect([again(9), again(10), again(19), again(20), again(29), again(30)]).toEqual([1, 2, 2, 3, 3, 4]);
  });

  it('is withdrawn when it was away for so long, with what shows it', () => {
    const stream = new Stream().batch(unpaid).times(9, (self) => self.step());
    expect(stream.standing()).toEqual(['no-reward']);
    stream.step();
    expect(stream.standing()).toEqual([]);
    expect(stream.said.at(-1)).toEqual({
      code: 'no-reward',
      level: 'withdrawn',
      step: 10,
      message: 'no-reward is no longer so: not found in the last 10 batches.',
    });
    expect(stream.batch(unpaid).standing()).toEqual(['no-reward']); // said again, it holds again
  });

  it('is kept where it is of something that happened', () => {
    const stream = new Stream().times(20, (self) => self.step()).step({}, { gradNorm: 40 });
    stream.times(60, () => stream.step());
    expect(stream.standing()).toEqual(['gradient-spike']);
  });

  it('is withdrawn when another one says more about the same', () => {
    const stream = new Stream().times(3, (self) => self.step({ truncated: 0.7 }));
    expect(stream.standing()).toEqual(['truncated']);
    const pay = { right: { count: 30, mean: 0.5 }, wrong: { count: 482, mean: 0.9 } };
    stream.times(3, () => stream.step({ truncated: 0.7, pay }));
    expect(stream.standing()).toEqual(['pays-wrong']);
    expect(stream.said.map(({ message }) => message)).toContain(
      'truncated is no longer so: pays-wrong says more of it.',
    );
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
    expect(said[0]?.code).toBe('policy-lost');
    expect(said[0]?.message).toMatch(/8\.0 % at step 1\)\. An update has destroyed .* learning_rate to 6e-5/);
  });
});

describe('blame', () => {
  /** Evaluations of sort-digits as it ships, seed 0: 82.0 % at step 300, 77.8 at 350, 98.2 at 750. */
  const evaluated = (...shares: readonly number[]): Stream => {
    const stream = new Stream({ keys: { max_steps: 750 } });
    for (const share of shares) stream.times(50, () => stream.step()).evaluation({ greedy: share, sampled: share });
    return stream;
  };

  it('waits for a second evaluation', () => {
    expect(evaluated(0.5, 0.82, 0.74, 0.86, 0.98).said).toEqual([]);
  });

  it('is withdrawn by an evaluation that is the best so far', () => {
    const stream = evaluated(0.5, 0.82, 0.74, 0.73, 0.98);
    expect(stream.codes()).toEqual(['below-best']);
    expect(stream.standing()).toEqual([]);
    expect(stream.said.at(-1)?.message).toBe(
      'below-best is no longer so: held-out accuracy is 98.1 % greedy and 98.1 % sampled.',
    );
  });

  it('falls on no update where a few completions of small groups are wrong by chance', () => {
    const stream = new Stream({ keys: { num_generations: 2, generation_batch_size: 16 } });
    const small = { completions: 16, groups: 8, live: 1, allWrong: 7, allRight: 0, correct: 0.07, reward: 0.07 };
    stream.times(5, () => stream.step(small));
    stream.times(3, () => stream.batch({ ...small, live: 0, allWrong: 8, correct: 0, reward: 0, highest: 0, paid: 0 }));
    expect(stream.said).toEqual([]);
  });

  it('falls on no update where the best of many averages was high by chance', () => {
    const stream = new Stream();
    const noisy = (mean: number) => (i: number) => mean * (i % 5 === 0 ? 3 : 0.5);
    const part = (of: (i: number) => number) =>
      stream.times(10, (_, i) => stream.step({ completions: 128, reward: of(i), correct: of(i), paid: of(i) }));
    part(noisy(0.089));
    part(noisy(0.027));
    expect(stream.said.filter(({ code }) => code === 'reward-collapse')).toEqual([]);
  });

  it('falls on no beta that is too small where it already pulls', () => {
    const jump = (beta: number) =>
      new Stream({ keys: { beta } })
        .times(17, (stream, i) => stream.step({ reward: 0.3 + 0.02 * i }, { kl: 0.0008 * i }))
        .times(3, (stream) => stream.step({ reward: 0.7 }, { kl: 0.07 }))
        .codes();
    expect(jump(0.01)).toEqual(['kl-jump']);
    expect(jump(2)).toEqual([]);
  });
});

describe('what is held out', () => {
  it('is not what a batch shows: neither is nothing of the task learned, nor are few of the completions right', () => {
    const stream = new Stream().evaluation({ greedy: 0, sampled: 0, chance: 0.01 });
    const right = { correct: 0.86, reward: 0.86, paid: 0.86 };
    stream.times(3, () =>
      stream.times(50, () => stream.step(right)).evaluation({ greedy: 0, sampled: 0, chance: 0.01 }),
    );
    expect(stream.codes()).toEqual(['held-out-gap']);
  });

  it('tells memory from success, in a supervised stage and after it', () => {
    const facts = { isPretrained: false, problems: 115, answers: null };
    const stream = new Stream({ keys: { stage: 'sft', learning_rate: 2e-3, max_steps: 2500 }, facts });
    const learn = (times: number, loss: (i: number) => number) =>
      stream.times(times, (_, i) => stream.update({ loss: loss(i), gradNorm: 1e-6 }));
    learn(60, (i) => 3 * 0.85 ** i);
    stream.evaluation({ greedy: 0.26, sampled: 0.27 });
    expect(stream.codes()).toEqual(['memorised']);
    expect(stream.said[0]?.message).toMatch(/loss is 0\.0\d+ nats per token, each of the 115 problems came \d+ times/);
    learn(20, (i) => (i < 10 ? 1e-9 : 4e-8)).update({ loss: 1e-4, gradNorm: 1.4 }); // no rise, and no spike
    expect(stream.codes()).toEqual(['memorised']);
    const well = new Stream({ keys: { stage: 'sft', learning_rate: 2e-3 }, facts });
    well.times(40, (_, i) => well.update({ loss: 3 * 0.85 ** i })).evaluation({ greedy: 0.93, sampled: 0.9 });
    expect(well.said).toEqual([]);
  });
});

it('gradient-spike is of what max_grad_norm cuts, and asks for no bound of next to nothing', () => {
  const spike = (typical: number, gradNorm: number) =>
    new Stream()
      .times(20, (self) => self.step({}, { gradNorm: typical }))
      .step({}, { gradNorm })
      .said.map(({ message }) => message)
      .join();
  expect(spike(1.4e-6, 0.955)).toBe('');
  expect(spike(1.4e-6, 1.3)).toMatch(/If it comes again, set learning_rate to 1\.5e-4 \(now 3e-4\)\.$/);
  expect(spike(0.3, 12)).toMatch(/set max_grad_norm to 0\.6 \(now 1\), or learning_rate/);
});

it('right-refused is not said where an answer was accepted before', () => {
  const refused = { inside: 0.25, exact: 0, reason: 'not the word reversed' };
  const dead = { live: 0, allWrong: 32, allRight: 0, correct: 0, reward: 0, highest: 0, paid: 0, refused };
  expect(new Stream().evaluation({ greedy: 0.3, sampled: 0.3 }).batch(dead).codes()).toEqual(['all-wrong']);
  expect(new Stream().evaluation({ greedy: 0, sampled: 0 }).batch(dead).codes()).toEqual(['right-refused']);
});

it('no advice builds on entropy_coef where every group is dead', () => {
  const stream = new Stream().times(12, (self) =>
    self.batch({ live: 0, allWrong: 23, allRight: 9, correct: 0.28, entropy: 0.5, spread: 0, variety: 0.3 }),
  );
  expect(stream.codes()).toEqual(['all-dead']);
  expect(stream.said[0]?.message).not.toContain('entropy_coef');
});

it('a rate that pretrained weights take is no small one', () => {
  const keys = { learning_rate: 1e-6 };
  const of = (isPretrained: boolean) => new Stream({ keys, facts: { isPretrained, problems: null, answers: null } });
  expect([of(true).codes(), of(false).codes(), new Stream({ keys }).codes()]).toEqual([[], ['small-rate'], []]);
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
  expect(stream.said.map(({ code, level, step }) => [code, level, step])).toEqual([
    ['below-best', 'warning', 25], // the second in a row
    ['below-best', 'withdrawn', 30], // the best so far
  ]);
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
