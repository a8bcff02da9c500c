/** A checkpoint knows its run: those of another one, copied in, are passed over. */
import { describe, expect, it } from 'vitest';
import { loadLatestCheckpoint } from '../../src/run/checkpoint/checkpoints.ts';
import { encodeManifest } from '../../src/run/checkpoint/manifest.ts';
import { memoryStore, type Store } from '../../src/run/store/store.ts';
import { finish, metricsOf, YAML } from './tiny_run.ts';

const SAVES_OFTEN = `${YAML.replace('save_seconds: 3600', 'save_seconds: 0.000001')}\nsave_total_limit: 4`;

/** A run that stops after so many steps, as a kill does after a save. */
async function stopped(store: Store, yaml: string, steps: number): Promise<void> {
  const failed = finish({
    store,
    yaml,
    heard: (event) => {
      if (event.type === 'checkpoint' && event.name === `grpo-${steps}`) throw new Error('stopped');
    },
  });
  await expect(failed).rejects.toThrow('stopped');
}

async function copyCheckpoint(from: Store, to: Store, name: string): Promise<void> {
  for (const file of await from.list(`checkpoints/${name}`)) {
    const path = `checkpoints/${name}/${file}`;
    await to.writeAtomic(path, (await from.read(path)) as Uint8Array);
  }
}

async function notesOfResume(store: Store, yaml: string): Promise<string[]> {
  const notes: string[] = [];
  await finish({
    store,
    yaml,
    resume: true,
    heard: (event) => {
      if (event.type === 'note') notes.push(event.message);
    },
  });
  return notes;
}

describe('a checkpoint of another run', () => {
  it.each([
    ['seed', `${SAVES_OFTEN}\nseed: 7`, 'one of seed 7 (this is 42)'],
    ['config', SAVES_OFTEN.replace('0.01', '0.02'), 'one of config '],
  ])('by its %s is passed over, and the run ends as if it were not there', async (_, yaml, reason) => {
    const [whole, store, other] = [memoryStore(), memoryStore(), memoryStore()];
    const { weightsSha256 } = await finish({ store: whole, yaml: SAVES_OFTEN });
    await stopped(store, SAVES_OFTEN, 2);
    await stopped(other, yaml, 3);
    await copyCheckpoint(other, store, 'grpo-3');
    const notes = await notesOfResume(store, SAVES_OFTEN);
    expect(notes[0]).toContain(`checkpoint grpo-3 is not of this run, but of ${reason}`);
    expect(notes).toContain('resumed from checkpoint grpo-2.');
    expect(await metricsOf(store)).toEqual(await metricsOf(whole));
    expect((await loadLatestCheckpoint(store))?.name).toBe('grpo-4');
    const summary = JSON.parse(new TextDecoder().decode(await store.read('summary.json')));
    expect(summary.weightsSha256).toBe(weightsSha256);
  });

  it('is no reason to go on where there is no other', async () => {
    const [store, other] = [memoryStore(), memoryStore()];
    await stopped(store, SAVES_OFTEN, 1);
    await stopped(other, `${SAVES_OFTEN}\nseed: 7`, 3);
    await store.remove('checkpoints');
    await copyCheckpoint(other, store, 'grpo-3');
    await expect(finish({ store, yaml: SAVES_OFTEN, resume: true })).rejects.toThrow(
      'checkpoints/grpo-3: not of this run, but of one of seed 7 (this is 42)',
    );
    expect(await store.list('checkpoints')).toEqual(['grpo-3']);
  });
});

it('a checkpoint without the name of its run is one of an earlier version, and resumes', async () => {
  const [whole, store] = [memoryStore(), memoryStore()];
  const { weightsSha256 } = await finish({ store: whole, yaml: SAVES_OFTEN });
  await stopped(store, SAVES_OFTEN, 2);
  for (const name of await store.list('checkpoints')) {
    const path = `checkpoints/${name}/manifest.json`;
    const { run, checksum: _, ...before } = JSON.parse(new TextDecoder().decode(await store.read(path)));
    expect(run).toMatchObject({ seed: 42 });
    await store.writeAtomic(path, await encodeManifest(before));
  }
  expect(await notesOfResume(store, SAVES_OFTEN)).toEqual(['resumed from checkpoint grpo-2.']);
  const summary = JSON.parse(new TextDecoder().decode(await store.read('summary.json')));
  expect(summary.weightsSha256).toBe(weightsSha256);
});

it('after a forced resume under another config the checkpoints are still those of the run', async () => {
  const store = memoryStore();
  await stopped(store, SAVES_OFTEN, 2);
  const changed = SAVES_OFTEN.replace('0.01', '0.02');
  const failed = finish({
    store,
    yaml: changed,
    resume: true,
    force: true,
    heard: (event) => {
      if (event.type === 'checkpoint') throw new Error('stopped');
    },
  });
  await expect(failed).rejects.toThrow('stopped');
  const again = await finish({ store, yaml: changed, resume: true, force: true });
  expect(again.steps).toEqual([{ stage: 'grpo', steps: 4 }]);
});
