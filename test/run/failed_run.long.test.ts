/** What a run that failed leaves behind: everything before the failure, and the command that resumes. */

import { describe, expect, it } from 'vitest';
import { withResumeAdvice } from '../../src/cli/runs/resume_advice.ts';
import { CheckpointError, PluginError } from '../../src/errors.ts';
import { method, type StepContext } from '../../src/methods/method.ts';
import type { OwnMethods } from '../../src/methods/method_list.ts';
import type { RewardFunction } from '../../src/rewards/reward_function.ts';
import { memoryStore, type Store } from '../../src/run/store/store.ts';
import { fewOf } from '../support/budget.ts';
import { fullStore } from './faulty_store.ts';
import { finish, firstToken, metricsOf, YAML } from './tiny_run.ts';

describe('a run', () => {
  it('on a disk that refuses everything says what was refused first', async () => {
    const kept = memoryStore();
    const isFull = (): boolean => true;
    const store: Store = {
      ...fullStore(kept, isFull),
      claim: async () => ({ ...(await kept.claim()), release: () => Promise.reject(new Error('EIO: unlink .lock')) }),
    };
    await expect(finish({ store })).rejects.toThrow('no space is left on the disk (ENOSPC)');
    // The lock alone is no reason for a run to fail.
    const sound = memoryStore();
    await finish({ store: { ...fullStore(sound, () => false), claim: store.claim } });
    expect(await sound.exists('summary.json')).toBe(true);
  });

  it.each(fewOf([3, 1, 2], { quick: 1, all: 2 }))(
    'whose reward fails in step %i goes on from that batch to the same end',
    async (fails) => {
      const [whole, store] = [memoryStore(), memoryStore()];
      const expected = await finish({ store: whole });
      const failing: RewardFunction['score'] = (batch) =>
        batch.trainerState.step + 1 === fails ? [Number.NaN, 0, 0, 0] : firstToken(batch);
      const failed = finish({ store, score: failing });
      await expect(failed).rejects.toBeInstanceOf(PluginError);
      await expect(failed).rejects.toThrow(`reward "mine" gave NaN for completion 1 of 4 in step ${fails} (`);
      expect(await store.list('checkpoints')).toEqual([`grpo-${fails - 1}`]); // that of step 0 has the baseline
      const resumed = await finish({ store, resume: true });
      expect(resumed.weightsSha256).toBe(expected.weightsSha256);
      expect(await metricsOf(store)).toEqual(await metricsOf(whole));
    },
  );

  describe.each([
    [
      'credit_steps: [./mine.ts]',
      'apply',
      [
        [1, 2],
        [1, 3],
        [2, 3],
      ],
    ],
    [
      'loss_terms: [./mine.ts]',
      'add',
      [
        [1, 2],
        [1, 3],
        [2, 3],
        [2, 4],
      ],
    ], // step 4 of the second is on old rollouts
  ])('whose method at %s', (key, part, cases) => {
    it.each(fewOf(cases, { quick: 1, all: 2 }))(
      'fails, with %i passes over a batch, in step %i goes on from there to the same end',
      async (passes, fails) => {
        const [whole, store] = [memoryStore(), memoryStore()];
        const yaml = `${YAML}\nnum_iterations: ${passes}\n${key}`;
        let calls = 0;
        const failing = (isBroken: boolean): OwnMethods => ({
          './mine.ts': method({
            id: 'mine',
            about: { does: 'Fails.', formula: 'none', source: 'own', certainty: 'own' },
            options: {},
            create: () => ({
              coupling: 'token',
              [part]: (first: unknown, _: unknown, context?: StepContext) => {
                const { step } = context ?? (_ as StepContext);
                calls += 1;
                if (isBroken && step + 1 >= fails) throw new PluginError('method-failed', 'method "mine" failed.');
                return first;
              },
            }),
          }),
        });
        const expected = await finish({ store: whole, yaml, methods: failing(false) });
        const failed = finish({ store, yaml, methods: failing(true) });
        await expect(failed).rejects.toThrow('method "mine" failed.');
        expect(calls).toBeGreaterThan(0);
        const resumed = await finish({ store, yaml, resume: true, methods: failing(false) });
        expect(resumed.weightsSha256).toBe(expected.weightsSha256);
        expect(await metricsOf(store)).toEqual(await metricsOf(whole));
        expect(await store.read('completions.jsonl')).toEqual(await whole.read('completions.jsonl'));
      },
    );
  });

  it('whose method fails in an update is saved as it was before that step', async () => {
    const store = memoryStore();
    const methods: OwnMethods = {
      './mine.ts': method({
        id: 'mine',
        about: { does: 'Fails.', formula: 'none', source: 'own', certainty: 'own' },
        options: {},
        create: () => (tokens: number) => {
          if (isLate) throw new PluginError('method-failed', 'method "mine" failed.');
          return 1 / tokens;
        },
      }),
    };
    let isLate = false;
    const heard = (event: { readonly type: string; readonly step?: number }): void => {
      if (event.type === 'step' && event.step === 3) isLate = true;
    };
    const failed = finish({ store, yaml: `${YAML}\naggregation: ./mine.ts`, methods, heard });
    await expect(failed).rejects.toThrow('method "mine" failed.');
    expect(await store.list('checkpoints')).toEqual(['grpo-3']);
  });

  it('on a disk that fills up keeps its last checkpoint, and goes on from it when there is space', async () => {
    const [whole, disk] = [memoryStore(), memoryStore()];
    const yaml = YAML.replace('save_seconds: 3600', 'save_seconds: 0.000001');
    const expected = await finish({ store: whole, yaml });
    let steps = 0;
    const counting: RewardFunction['score'] = (batch) => {
      steps = batch.trainerState.step;
      return firstToken(batch);
    };
    const failed = finish({ store: fullStore(disk, () => steps >= 2), yaml, score: counting });
    await expect(failed).rejects.toMatchObject({ code: 'disk-full' });
    expect(await disk.list('checkpoints')).toContain('grpo-2');
    const resumed = await finish({ store: disk, resume: true, yaml });
    expect(resumed.weightsSha256).toBe(expected.weightsSha256);
  });

  const unwritten: readonly (readonly [string, number, number])[] = [
    ['metrics.jsonl', 0.000001, 1],
    ['metrics.jsonl', 3600, 4],
    ['completions.jsonl', 0.000001, 1],
    ['completions.jsonl', 3600, 4],
  ];
  it.each(fewOf(unwritten, { quick: 2, all: 2 }))(
    'whose %s cannot be written saves its step with the lines (save_seconds %s)',
    async (file, seconds, saved) => {
      const [whole, disk] = [memoryStore(), memoryStore()];
      const yaml = YAML.replace('save_seconds: 3600', `save_seconds: ${seconds}`);
      const expected = await finish({ store: whole, yaml });
      let isFull = false;
      const store: Store = {
        ...fullStore(disk, () => false),
        append: async (path, content) => {
          if (path !== file || !isFull) return disk.append(path, content);
          await disk.append(path, content.slice(0, 20));
          throw new CheckpointError('disk-full', `${path}: no space is left on the disk (ENOSPC).`);
        },
      };
      const failed = finish({
        store,
        yaml,
        heard: (event) => {
          if (event.type === 'step') isFull = true;
        },
      });
      await expect(failed).rejects.toThrow(`${file}: no space is left`);
      expect((await disk.list('checkpoints')).at(-1)).toBe(`grpo-${saved}`);
      const resumed = await finish({ store: disk, resume: true, yaml });
      expect(resumed.weightsSha256).toBe(expected.weightsSha256);
      expect(await metricsOf(disk)).toEqual(await metricsOf(whole));
      expect(await disk.read('completions.jsonl')).toEqual(await whole.read('completions.jsonl'));
    },
  );

  it('goes on where the disk refused lines for a moment', async () => {
    const [whole, disk] = [memoryStore(), memoryStore()];
    const yaml = YAML.replace('save_seconds: 3600', 'save_seconds: 0.000001');
    const { weightsSha256 } = await finish({ store: whole, yaml });
    let refusals = 2;
    const store: Store = {
      ...fullStore(disk, () => false),
      append: async (path, content) => {
        if (path === 'metrics.jsonl' && refusals-- > 0) throw new CheckpointError('disk-full', 'full');
        return disk.append(path, content);
      },
    };
    await expect(finish({ store, yaml })).rejects.toThrow('full');
    expect((await finish({ store, resume: true, yaml })).weightsSha256).toBe(weightsSha256);
    expect(await metricsOf(disk)).toEqual(await metricsOf(whole));
  });

  it('tells of a completions.jsonl that lost bytes', async () => {
    const store = memoryStore();
    await finish({ store });
    await store.truncate('completions.jsonl', 100);
    const notes: string[] = [];
    await finish({ store, resume: true, heard: (event) => void (event.type === 'note' && notes.push(event.message)) });
    expect(notes[0]).toMatch(/^completions\.jsonl has lost \d+ bytes that the checkpoint counted\.$/);
  });

  it('does not touch the run that its directory holds already', async () => {
    const store = memoryStore();
    await finish({ store });
    await store.append('metrics.jsonl', '{"step":5,'); // a line that its own process is about to end
    const before = await Promise.all((await store.list('')).map((name) => store.read(name)));
    await expect(finish({ store, yaml: `${YAML}\nseed: 5` })).rejects.toMatchObject({ code: 'directory-in-use' });
    expect(await Promise.all((await store.list('')).map((name) => store.read(name)))).toEqual(before);
  });

  it.each(['config.yaml', 'model/model.safetensors', 'summary.json'])(
    'does not write over a %s that is of no run',
    async (name) => {
      const store = memoryStore();
      await store.writeAtomic(name, new TextEncoder().encode('mine'));
      const message = `runs/one  holds ${name.split('/')[0]}, which is of no run and would be written over; give an empty or new --output.`;
      await expect(finish({ store })).rejects.toThrow(message);
      expect(new TextDecoder().decode(await store.read(name))).toBe('mine');
    },
  );

  it('starts again where a crash left its own config.yaml and nothing else', async () => {
    const [whole, store] = [memoryStore(), memoryStore()];
    const { weightsSha256 } = await finish({ store: whole });
    await store.writeAtomic('config.yaml', (await whole.read('config.yaml')) as Uint8Array);
    expect((await finish({ store })).weightsSha256).toBe(weightsSha256);
  });

  it('says which keys of the config are not those that it was started with', async () => {
    const store = memoryStore();
    await finish({ store });
    const changed = YAML.replace('learning_rate: 0.01', 'learning_rate: 0.02').replace(
      '[mine]',
      '[{name: mine, weight: 2}]',
    );
    await expect(finish({ store, resume: true, yaml: changed })).rejects.toThrow(
      'its bits would not continue:\n' +
        '  stages.0.learning_rate: 0.01 → 0.02\n' +
        '  stages.0.reward_funcs.0.weight: 1 → 2\n' +
        'Restore them, or add --force to resume all the same.',
    );
  });
});

describe('the command that resumes', () => {
  it('after a full disk is to resume as it is', async () => {
    const store = memoryStore();
    await finish({ store });
    const error = new CheckpointError('disk-full', 'metrics.jsonl cannot be written.');
    expect(await withResumeAdvice(error, store, 'my runs/one')).toMatchObject({
      name: 'CheckpointError',
      message:
        'metrics.jsonl cannot be written.\nEverything up to grpo-4 is saved. Then resume with:\n' +
        "  npx --no-install rlvr-train --resume --output 'my runs/one'",
    });
  });

  it('is not told where no run has begun, or where the error is another one', async () => {
    const error = new CheckpointError('disk-full', 'full');
    expect(await withResumeAdvice(error, memoryStore(), 'runs/one')).toBe(error);
    const other = new TypeError('ours');
    expect(await withResumeAdvice(other, memoryStore(), 'runs/one')).toBe(other);
  });
});
