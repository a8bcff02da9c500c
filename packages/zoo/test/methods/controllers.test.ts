/** When controllers act, and by how much: their formulas, on levers that only write down what is done. */
import { describe, expect, it } from 'vitest';
import type { Controller, StepLevers } from '../../../../src/methods/points.ts';
import type { Evaluation, StepMetrics } from '../../../../src/methods/records.ts';
import { optionsNamed } from '../../../../src/methods/settings.ts';
import { createMethods, remarksOn } from '../../../../test/support/everything.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';

interface Desk {
  readonly controller: Controller;
  /** What was done, in order. */
  readonly done: string[];
  levers(step: number, kl?: number): StepLevers;
}

function deskOf(...lines: readonly string[]): Desk {
  const stage = stageOf(...lines);
  const methods = createMethods(stage);
  const done: string[] = [];
  const settings: Record<string, number> = {};
  const act = (what: string) => async () => {
    done.push(what);
  };
  const levers = (step: number, kl = 0): StepLevers => ({
    ...stepContext(stage, step),
    copyToReference: act('copy'),
    mixIntoReference: act('mix'),
    mix: async (to, from, share) => {
      done.push(`${to} ← ${share}·${from}`);
    },
    mixIntoPolicy: async (from, share) => {
      done.push(`policy ← ${share}·${from}`);
      return 0;
    },
    resetMoments: act('reset moments'),
    get: (key) => settings[key] ?? optionsNamed(methods.options, key)[0]?.at(step, {}) ?? 0,
    set: (key, value) => {
      settings[key] = value;
      done.push(`${key} ${Number(value.toPrecision(6))}`);
    },
    endStage: (reason) => {
      done.push(`end: ${reason}`);
    },
    stepsLeft: 1,
    dropRollouts: () => {
      done.push('drop');
    },
    kl: async () => kl,
    groups: [],
    layerNorms: async () => [],
  });
  return { controller: methods.controllers[0].part, done, levers };
}

const evaluationOf = (accuracy: number): Evaluation =>
  ({ accuracy: { mean: accuracy, low: 0, high: 1, count: 4 } }) as Evaluation; // they read nothing else

describe('adaptive-beta', () => {
  const desk = () =>
    deskOf(
      'beta: 0.1',
      'generation_batch_size: 80',
      'controllers: [{name: adaptive-beta, kl_target: 0.02, kl_horizon: 1000}]',
    );

  it.each([
    ['above its target by more than a fifth', 0.1, 1.016],
    ['above it', 0.022, 1.008],
    ['at it', 0.02, 1],
    ['below it', 0, 0.984],
  ])('moves beta where the KL is %s', async (_, kl, factor) => {
    const { controller, done, levers } = desk();
    await controller.afterStep?.({ kl }, levers(1));
    expect(done).toEqual([`beta ${Number((0.1 * factor).toPrecision(6))}`]);
  });

  it('measures the KL itself where no term has', async () => {
    const { controller, done, levers } = desk();
    await controller.afterStep?.({}, levers(1, 1));
    expect(done).toEqual(['beta 0.1016']);
  });
});

describe('kl-trust', () => {
  it('raises beta above the limit, and lets it fall to that of the config below half of it', async () => {
    const { controller, done, levers } = deskOf('beta: 0.1', 'controllers: [{name: kl-trust, kl_limit: 0.2}]');
    for (const kl of [0.3, 0.3, 0.15, 0.05, 0.05, 0.05]) await controller.afterStep?.({ kl }, levers(1));
    expect(done).toEqual(['beta 0.2', 'beta 0.4', 'beta 0.2', 'beta 0.1']);
  });

  it('drops the rollouts, or ends the stage', async () => {
    const line = (what: string) => `controllers: [{name: kl-trust, kl_limit: 0.2, beyond_limit: ${what}}]`;
    for (const [what, expected] of [
      ['skip', ['drop']],
      ['end', ['end: the KL to the reference, 0.300, is above kl_limit 0.2']],
    ] as const) {
      const { controller, done, levers } = deskOf('num_iterations: 2', line(what));
      await controller.afterStep?.({}, levers(1, 0.1));
      expect(done).toEqual([]);
      await controller.afterStep?.({}, levers(2, 0.3));
      expect(done).toEqual(expected);
    }
  });
});

describe('ref-reset', () => {
  it('resets once at reset_at', async () => {
    const { controller, done, levers } = deskOf('beta: 0.1', 'controllers: [{name: ref-reset, every: 0, reset_at: 2}]');
    for (const step of [1, 2, 3, 4]) await controller.afterStep?.({}, levers(step));
    expect(done).toEqual(['copy']);
  });

  it('acts by steps, by the KL and by a fall of accuracy, with the moments where that is asked', async () => {
    const { controller, done, levers } = deskOf(
      'beta: 0.1',
      'controllers: [{name: ref-reset, every: 4, reset_kl: 0.5, reset_drop: 0.1, reset_moments: true}]',
    );
    for (const [step, kl] of [
      [1, 0.4],
      [2, 0.6],
      [4, 0],
    ]) {
      await controller.afterStep?.({ kl }, levers(step));
    }
    expect(done).toEqual(['copy', 'reset moments', 'copy', 'reset moments']);
    for (const accuracy of [0.5, 0.6, 0.55, 0.45, 0.42]) {
      await controller.afterEvaluation?.(evaluationOf(accuracy), levers(5));
    }
    expect(done).toHaveLength(6); // 0.45 is too far below 0.6; 0.42 is near what it has been since
  });
});

describe('ref-ema', () => {
  it('mixes the reference itself, or an average beside it that the reference becomes', async () => {
    const of = async (options: string): Promise<string[]> => {
      const { controller, done, levers } = deskOf(
        'beta: 0.1',
        `controllers: [{name: ref-ema, ema_rate: 0.2${options}}]`,
      );
      for (const step of [1, 2]) await controller.afterStep?.({}, levers(step));
      return done;
    };
    expect(await of('')).toEqual(['reference ← 0.2·policy', 'reference ← 0.2·policy']);
    expect(await of(', ema_every: 2')).toEqual([
      'average ← 0.2·policy',
      'average ← 0.2·policy',
      'reference ← 1·average',
    ]);
  });
});

describe('what ends a stage', () => {
  it('is a metric that has not improved for so many evaluations', async () => {
    const { controller, done, levers } = deskOf(
      'controllers: [{name: early-stop-metric, stop_patience: 2, least_gain: 0.1}]',
    );
    for (const accuracy of [0.3, 0.5, 0.55]) await controller.afterEvaluation?.(evaluationOf(accuracy), levers(1));
    expect(done).toEqual([]);
    await controller.afterEvaluation?.(evaluationOf(0.6), levers(1));
    expect(done).toEqual(['end: accuracy has not risen above 0.600 in 2 evaluations']);
  });

  it('is a reward that rises while accuracy falls', async () => {
    const { controller, done, levers } = deskOf(
      'controllers: [{name: overopt-stop, accuracy_fall: 0.1, reward_steps: 1}]',
    );
    for (const [reward, accuracy] of [
      [0.5, 0.6],
      [0.4, 0.3],
      [0.6, 0.55],
      [0.7, 0.4],
    ]) {
      await controller.afterStep?.({ reward }, levers(1));
      await controller.afterEvaluation?.(evaluationOf(accuracy), levers(1));
    }
    expect(done).toEqual(['end: accuracy fell from 0.600 to 0.400 while the reward rose']);
  });
});

const remarksOf = (stage: ReturnType<typeof stageOf>) => remarksOn(stage);

describe.each(['adaptive-beta', 'kl-trust'])('%s without a beta', (id) => {
  it('is warned of before step 1, and moves none', async () => {
    const line = `controllers: [${id}]`;
    const stage = stageOf(line);
    const warned = remarksOf(stage).filter(({ level }) => level === 'warning');
    expect(warned.map(({ text }) => text).join()).toMatch(/there is no beta to (move|raise); give the stage one/);
    expect(remarksOf(stageOf('beta: 0.04', line))).toEqual([]);
    const { controller, done, levers } = deskOf(line);
    await controller.afterStep?.({}, levers(1, 9));
    expect(done).toEqual([]);
  });
});

it('a schedule in the place of the temperature is told which method moves it', () => {
  expect(() => stageOf('temperature: {from: 1, to: 0.5}')).toThrow(
    /must be one number, which evaluations keep to; .*temperature-schedule/,
  );
});

describe('m-forgetting', () => {
  const parted = (a: number, b: number): Evaluation =>
    ({ ...evaluationOf((a + b) / 2), byTask: { a: evaluationOf(a), b: evaluationOf(b) } }) as Evaluation;

  it('says how far each task is below its best, and continues after a resume', async () => {
    const logged: Record<string, number> = {};
    const deskWith = () => {
      const desk = deskOf('controllers: [m-forgetting]');
      const levers = {
        ...desk.levers(1),
        metric: (name: string, value: number) => {
          logged[name] = value;
        },
      };
      return { controller: desk.controller, levers, done: desk.done };
    };
    const first = deskWith();
    await first.controller.afterStep?.({}, first.levers);
    expect(logged).toEqual({});
    await first.controller.afterEvaluation?.(parted(0.5, 0.8), first.levers);
    await first.controller.afterEvaluation?.(parted(0.75, 0.5), first.levers);
    const second = deskWith();
    second.controller.restore?.(JSON.parse(JSON.stringify(first.controller.state?.())));
    for (const { controller, levers } of [first, second]) {
      await controller.afterStep?.({}, levers);
      expect(logged.forgotten).toBeCloseTo(0.15, 12);
      expect(logged.worst).toBeCloseTo(0.3, 12);
    }
    await second.controller.afterEvaluation?.(parted(0.75, 0.9), second.levers);
    await second.controller.afterStep?.({}, second.levers);
    expect(logged).toEqual({ forgotten: 0, worst: 0 });
    expect(first.done).toEqual([]);
  });
});

describe('checkpoint-average', () => {
  it('acts once, after the last step, and not at all where all is kept', async () => {
    const desk = deskOf('controllers: [{name: checkpoint-average, kept_share: 0.75}]');
    for (const step of [1, 9, 10]) await desk.controller.afterStep?.({} as StepMetrics, desk.levers(step));
    expect(desk.done).toEqual(['policy ← 0.25·first']);
    const whole = deskOf('controllers: [{name: checkpoint-average, kept_share: 1}]');
    await whole.controller.afterStep?.({} as StepMetrics, whole.levers(10));
    expect(whole.done).toEqual([]);
  });

  it('goes beyond the weights where more than all is kept', async () => {
    const desk = deskOf('controllers: [{name: checkpoint-average, kept_share: 1.5}]');
    await desk.controller.afterStep?.({} as StepMetrics, desk.levers(10));
    expect(desk.done).toEqual(['policy ← -0.5·first']);
  });
});
