/** Group steps through whole steps: rounds, dead groups, metrics before and after, kept rows, and what a kill leaves. */
import { describe, expect, it } from 'vitest';
import { train } from '../../src/grpo/trainer.ts';
import { type Method, method, type StepContext } from '../../src/methods/method.ts';
import type { OwnMethods } from '../../src/methods/method_list.ts';
import type { GroupStep } from '../../src/methods/points.ts';
import type { CreditedGroup, RolloutGroup } from '../../src/methods/records.ts';
import { killedAndResumed } from '../support/killed_runs.ts';
import {
  finishRun,
  finishSmallRun,
  openSmallRun,
  plainWasm,
  type SmallRun,
  smallConfig,
} from '../support/small_runs.ts';

const ABOUT = { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' } as const;

const run = (lines: string, methods: OwnMethods = {}): SmallRun => ({ yaml: smallConfig(lines), methods });

/** A step of one's own, by the file `./own.ts`. */
const own = (part: GroupStep): OwnMethods => ({
  './own.ts': method({ id: 'own', about: ABOUT, options: {}, create: () => part }) as Method<unknown>,
});
const withOwn = (part: GroupStep, lines = ''): SmallRun => run(`group_steps: [./own.ts]\n${lines}`, own(part));

function rewarded(group: RolloutGroup, rewardAt: (place: number) => number): RolloutGroup {
  return { ...group, rollouts: group.rollouts.map((rollout, i) => ({ ...rollout, reward: rewardAt(i) })) };
}

describe('a step of scope group', () => {
  it('acts in each round before dead is asked, with random numbers of its own, and logs the mean of the rounds', async () => {
    const calls: { groups: number; draw: number }[] = [];
    let round = 0;
    const part: GroupStep = {
      scope: 'group',
      apply(groups, { rng, metric }: StepContext) {
        calls.push({ groups: groups.length, draw: rng.float() });
        metric('mark', calls.length);
        round++;
        // The first round of a step has one live group, so that three are drawn again.
        return groups.map((group, g) => rewarded(group, (i) => (round % 2 === 1 && g > 0 ? 1 : i)));
      },
    };
    const { metrics } = await finishSmallRun(await plainWasm(), withOwn(part, 'dynamic_sampling: refill'));
    expect(calls.slice(0, 2).map(({ groups }) => groups)).toEqual([4, 3]);
    expect(calls[0].draw).not.toBe(calls[1].draw);
    expect(metrics[0]['groups/rounds']).toBe(2);
    expect(metrics[0].frac_reward_zero_std).toBeCloseTo(3 / 7, 12);
    expect(metrics[0]['own/mark']).toBeCloseTo((4 * 1 + 3 * 2) / 7, 12);
  });

  it('may call a group dead whose rewards differ: it moves no weight, though a term keeps it in the update', async () => {
    const firstAlone: GroupStep = {
      scope: 'group',
      apply: (groups) => groups.map((group, g) => ({ ...rewarded(group, (i) => i), dead: g > 0 })),
    };
    const opened = await openSmallRun(await plainWasm(), withOwn(firstAlone, 'beta: 0.1'));
    const seen: (readonly CreditedGroup[])[] = [];
    for await (const event of train(opened)) if (event.type === 'rollouts') seen.push(event.groups);
    await opened.engine.policy.close();
    for (const [live, ...dead] of seen) {
      expect(live.advantages.some((value) => value !== 0)).toBe(true);
      for (const { advantages } of dead) expect([...advantages]).toEqual([0, 0, 0, 0]);
    }
  });

  it('leaves the given rewards to the metrics, and says what it made of them', async () => {
    const plain = await finishSmallRun(await plainWasm(), run(''));
    const part: GroupStep = {
      scope: 'group',
      apply: (groups) => groups.map((group) => rewarded(group, (i) => 10 + i)),
    };
    const { metrics } = await finishSmallRun(await plainWasm(), withOwn(part));
    for (const name of ['reward', 'reward_std', 'rewards/lcs/mean', 'rewards/lcs/std']) {
      expect(metrics[0][name]).toBe(plain.metrics[0][name]);
    }
    expect(metrics[0]['group_steps/reward']).toBeCloseTo(11.5, 12);
    expect(metrics[0]['group_steps/reward_std']).toBeCloseTo(Math.sqrt(4 / 3), 12);
    expect(metrics[0].frac_reward_zero_std).toBe(0);
    expect(plain.metrics[0]).not.toHaveProperty('group_steps/reward');
  });
});

describe('a step of scope batch', () => {
  it('acts once over the groups of all rounds, after which a live group may be dead', async () => {
    const calls: number[] = [];
    const part: GroupStep = {
      scope: 'batch',
      apply(groups) {
        calls.push(groups.length);
        return groups.map((group, g) => rewarded(group, (i) => (g === 0 ? i : 2)));
      },
    };
    const opened = await openSmallRun(await plainWasm(), withOwn(part, 'dynamic_sampling: refill'));
    const dead: boolean[][] = [];
    for await (const event of train(opened)) {
      if (event.type === 'rollouts') dead.push(event.groups.map((group) => group.dead));
    }
    await opened.engine.policy.close();
    expect(calls).toHaveLength(3);
    for (const [first, ...others] of dead) {
      expect(first).toBe(false);
      expect(others.every(Boolean)).toBe(true);
    }
  });
});

describe('what was kept of the forward pass', () => {
  // Completions of one length: a wrong row would not be seen by its number.
  const sorting = (part: GroupStep): SmallRun => {
    const { yaml, ...rest } = withOwn(part);
    const task = yaml.replace(/task: .*/, 'task: {name: sort_digits, digits: 3}').replace('[lcs]', '[positions]');
    return { ...rest, yaml: task };
  };
  const shortened = (keep: (place: number) => boolean): GroupStep => ({
    scope: 'group',
    apply: (groups) =>
      groups.map((group) => ({
        ...rewarded(group, (i) => i),
        rollouts: rewarded(group, (i) => i).rollouts.filter((_, i) => keep(i)),
      })),
  });

  it.each([
    ['the first completions', (i: number) => i < 3],
    ['the last completions', (i: number) => i > 0],
  ])('is that of %s where the others are left out', async (_, keep) => {
    // One run keeps its rows, the other computes them again.
    const kept = await finishSmallRun(await plainWasm(), sorting(shortened(keep)));
    const again = await finishSmallRun(await plainWasm(), sorting(copied(shortened(keep))));
    expect(kept.sha256).toBe(again.sha256);
  });

  /** The same completions in arrays of their own: nothing is known of where their rows stand. */
  const copied = (step: GroupStep): GroupStep => ({
    ...step,
    apply: (groups, context) =>
      step.apply(groups, context).map((group) => ({
        ...group,
        rollouts: group.rollouts.map((rollout) => ({ ...rollout, tokens: rollout.tokens.slice() })),
      })),
  });
});

describe('a run that is killed', () => {
  it('goes on to the same weights and metrics, with its buffer and what a step keeps', async () => {
    const counting = (): OwnMethods => {
      const part = method({
        id: 'own',
        about: ABOUT,
        options: {},
        create: (): GroupStep => {
          let calls = 0;
          return {
            scope: 'group',
            apply(groups, { metric, rng }) {
              metric('calls', ++calls);
              return groups.map((group) => rewarded(group, () => rng.int(0, calls)));
            },
            state: () => calls,
            restore(state) {
              calls = Number(state);
            },
          };
        },
      });
      return { './own.ts': part as Method<unknown> };
    };
    const lines =
      'group_steps: [./own.ts]\nnum_iterations: 2\nper_device_train_batch_size: 8\ndynamic_sampling: refill';
    const whole = await finishSmallRun(await plainWasm(), run(lines, counting()));
    const { killed, resumed } = await killedAndResumed(run(lines, counting()));
    expect(killed.journal.state.buffer?.groups[0].rollouts[0].given?.rewardParts).toHaveLength(1);
    const { metrics, sha256 } = await finishRun(resumed);
    const withoutTime = (all: typeof metrics) => all.map((line) => ({ ...line, step_time: 0 }));
    expect(withoutTime(metrics)).toEqual(withoutTime(whole.metrics.slice(1)));
    expect(sha256).toBe(whole.sha256);
  });
});
