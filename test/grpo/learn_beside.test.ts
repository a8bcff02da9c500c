/** A batch that is sampled while the policy learns from one that waits: at the same time, to the same bits, and failing as one. */
import { describe, expect, it } from 'vitest';
import { localGenerator, type MakeGenerator } from '../../src/grpo/generator.ts';
import { train } from '../../src/grpo/trainer.ts';
import { nextTask } from '../../src/kernels/next_task.ts';
import type { RewardFunction } from '../../src/rewards/reward_function.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../support/killed_runs.ts';
import { smallConfig } from '../support/small_runs.ts';

/** Its samples wait until an update has begun, so that whoever samples first waits for ever. */
const elsewhere: MakeGenerator = (policy, version) => {
  const local = localGenerator(policy, version);
  return Object.assign(local, {
    beside: (turns: Parameters<NonNullable<typeof local.beside>>[0]) => ({
      ...localGenerator(policy, version),
      async sample(...asked: Parameters<typeof local.sample>) {
        while (turns.learnedMs === 0) await nextTask();
        return turns.take(() => local.sample(...asked));
      },
    }),
  });
};
const small = (lines: string, more = {}) => ({ yaml: smallConfig(lines, 6), ...more });
const STALE = 'staleness: 2\nbeta: 0.1\nper_device_train_batch_size: 4';

describe('a batch that is sampled beside an update', () => {
  it('has the bits of one that is sampled before it, killed and resumed too', async () => {
    const { whole } = await wholeAndKilled('', small(STALE));
    const beside = await wholeAndKilled('', small(STALE, { makeGenerator: elsewhere }));
    expect(beside).toEqual({ whole, killed: whole });
  });

  it('leaves the run where it was if its reward fails, and the next attempt ends with the same weights', async () => {
    const run = async (failsAt: number) => {
      let calls = 0;
      const fails: RewardFunction = {
        name: 'fails',
        score({ completions }) {
          if (++calls === failsAt) throw new Error('once');
          return completions.map((text) => text.length % 3);
        },
      };
      const rewards = { fails };
      return withTossedRun(
        '',
        async (own) => {
          const failed = await goOn(own).catch((error: Error) => error.message);
          const { step, itemsDrawn, queue } = own.journal.state;
          if (failsAt > 0) expect([step, itemsDrawn, queue.length]).toEqual([1, 12, 2]);
          await goOn(own);
          return { failed: typeof failed === 'string', sha256: await weightsSha256(own.engine.policy) };
        },
        small('', {
          yaml: smallConfig(STALE, 6).replace('[lcs]', '[fails]'),
          rewards,
          makeGenerator: elsewhere,
        }),
      );
    };
    expect(await run(4)).toEqual({ failed: true, sha256: (await run(0)).sha256 });
  });

  it('without anything to learn from ends the run before the step, whose gradients are forgotten', async () => {
    let batches = 0;
    const three: RewardFunction = {
      name: 'three',
      score: ({ completions }) =>
        ++batches <= 3 ? completions.map((text) => text.length % 3) : completions.map(() => 1),
    };
    const seen = async (makeGenerator?: MakeGenerator) => {
      batches = 0;
      return withTossedRun(
        '',
        async (run) => {
          let lines = 0;
          const toEnd = async (): Promise<void> => {
            for await (const { type } of train(run)) if (type === 'batch') lines++;
          };
          const { code } = await toEnd().catch((error) => error);
          const { step, itemsDrawn, queue, deadBatches } = run.journal.state;
          return {
            code,
            lines,
            step,
            itemsDrawn,
            waiting: queue.length,
            deadBatches,
            sha256: await weightsSha256(run.engine.policy),
          };
        },
        small('', { yaml: smallConfig(STALE, 6).replace('[lcs]', '[three]'), rewards: { three }, makeGenerator }),
      );
    };
    const beside = await seen(elsewhere);
    expect(beside).toMatchObject({ code: 'nothing-to-learn', lines: 12, step: 1, waiting: 2 });
    expect(beside).toEqual(await seen());
  });

  it('cut off, is sampled again, and the step is taken as if it had not been', async () => {
    const weights = (cutAt?: number) =>
      withTossedRun(
        '',
        async (run) => {
          const stop = new AbortController();
          const { policy } = run.engine;
          const { replay } = policy.engine;
          let replays = 0;
          policy.engine.replay = (...programs) => {
            if (++replays === cutAt) stop.abort(new Error('cut off'));
            return replay.call(policy.engine, ...programs);
          };
          const trained = async (): Promise<void> => {
            for await (const _ of train(run, { signal: stop.signal }));
          };
          if (cutAt !== undefined) await expect(trained()).rejects.toThrow('cut off');
          policy.engine.replay = replay;
          await goOn(run);
          return weightsSha256(policy);
        },
        small(STALE, { makeGenerator: elsewhere }),
      );
    const whole = await weights();
    for (const replays of [45, 60, 75]) expect(await weights(replays)).toBe(whole);
  });
});
