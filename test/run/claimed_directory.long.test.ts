/** A run holds its directory: a second one is refused, and a directory that goes away is said. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileStore } from '../../src/run/store/files.node.ts';
import { memoryStore } from '../../src/run/store/store.ts';
import { folderOfTest } from '../support/folders.ts';
import { finish, metricsOf, YAML } from './tiny_run.ts';

const SAVES_OFTEN = YAML.replace('save_seconds: 3600', 'save_seconds: 0.000001');

const root = folderOfTest();

it.each([true, false])(
  'a second run is refused while the first is under way, and changes nothing (resume: %s)',
  async (resume) => {
    const [alone, store] = [memoryStore(), fileStore(root())];
    const expected = await finish({ store: alone });
    let refusals = 0;
    const summary = await finish({
      store,
      heard: async (event) => {
        if (event.type !== 'step') return;
        await expect(finish({ store: fileStore(root()), resume })).rejects.toMatchObject({ code: 'run-under-way' });
        refusals++;
      },
    });
    expect(refusals).toBe(4);
    expect(summary.weightsSha256).toBe(expected.weightsSha256);
    expect(await metricsOf(store)).toEqual(await metricsOf(alone));
    expect(await store.read('completions.jsonl')).toEqual(await alone.read('completions.jsonl'));
    expect(await readdir(root())).not.toContain('.lock');
  },
);

it('a resume where there is no run makes no directory', async () => {
  const nowhere = join(root(), 'nowhere');
  await expect(finish({ store: fileStore(nowhere), resume: true })).rejects.toMatchObject({ code: 'no-run' });
  expect(await readdir(root())).toEqual([]);
});

it.each([
  ['often', SAVES_OFTEN],
  ['at its end alone', YAML],
])('a run that saves %s says that its directory was removed under it', async (_, yaml) => {
  const failed = finish({
    store: fileStore(root()),
    yaml,
    heard: async (event) => {
      if (event.type === 'step' && event.step === 2) await rm(root(), { recursive: true });
    },
  });
  await expect(failed).rejects.toMatchObject({ code: 'directory-lost' });
  await expect(failed).rejects.toThrow('runs/one  was removed while this run was under way: it ends here');
});

it('what killed processes left half-written is gone after the next start', async () => {
  const store = fileStore(root());
  await finish({ store });
  const left = [
    '.metrics.jsonl',
    'model/.config.json',
    'checkpoints/grpo-4/.manifest.json',
    'checkpoints/.tmp-grpo-5/a',
  ];
  for (const name of left) await store.writeAtomic(`${name}.tmp-999999999-0`, new Uint8Array(1));
  await finish({ store, resume: true });
  const names = await readdir(root(), { recursive: true });
  expect(names.filter((name) => name.includes('tmp'))).toEqual([]);
  expect(names).toContain('checkpoints/grpo-4/manifest.json');
});
