/** What is removed of a folder of runs, and what never is. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { folderOfFile } from '../../../test/support/folders.ts';
import { removeRun } from '../runs/remove_run.ts';

const root = folderOfFile();

/** A directory with these files, by their paths. */
function made(name: string, files: readonly string[]): string {
  const directory = join(root, name);
  for (const file of files) {
    mkdirSync(join(directory, file, '..'), { recursive: true });
    writeFileSync(join(directory, file), '');
  }
  return directory;
}

const RUN = ['config.yaml', 'fingerprint.json', 'metrics.jsonl', 'checkpoints/grpo-1/manifest.json', 'notes.json'];
const runs = (): string => join(root, 'runs');

it('a run is removed with all that it wrote', async () => {
  const directory = made('runs/series/one', [
    ...[...RUN, 'model/config.json', '.control/state.json', 'fleet.jsonl'],
    ...['evaluations/counts.jsonl', 'answers/0/1.jsonl'],
  ]);
  made('runs/series/two', RUN);
  await removeRun(runs(), directory);
  expect(readdirSync(join(runs(), 'series'))).toEqual(['two']);
});

it('what holds another file stays, whatever its name, and is named', async () => {
  const directory = made('runs/mine', [...RUN, 'paper.tex']);
  await expect(removeRun(runs(), directory)).rejects.toThrow('mine  holds paper.tex, which no run wrote');
  expect(existsSync(join(directory, 'checkpoints/grpo-1/manifest.json'))).toBe(true);
});

it('a folder that holds a config and no run stays', async () => {
  const directory = made('runs/project', ['config.yaml']);
  await expect(removeRun(runs(), directory)).rejects.toThrow('holds no run');
  expect(existsSync(directory)).toBe(true);
});

it('a run under way stays, and can be removed when it has ended', async () => {
  const directory = made('runs/live', RUN);
  const claim = await fileStore(directory).claim();
  await expect(removeRun(runs(), directory)).rejects.toThrow(`a run with pid ${process.pid} is under way here`);
  expect(readdirSync(directory)).toContain('metrics.jsonl');
  await claim.release();
  await removeRun(runs(), directory);
  expect(existsSync(directory)).toBe(false);
});

it('neither the folder itself, nor a link, nor what lies elsewhere is removed', async () => {
  const outside = made('elsewhere', RUN);
  symlinkSync(outside, join(runs(), 'link'));
  mkdirSync(join(runs(), 'inner'), { recursive: true });
  symlinkSync(root, join(runs(), 'inner/up'));
  await expect(removeRun(runs(), join(runs(), 'link'))).rejects.toThrow('is a link');
  await expect(removeRun(runs(), outside)).rejects.toThrow('outside of the folder');
  await expect(removeRun(runs(), join(runs(), 'inner/up/elsewhere'))).rejects.toThrow('outside of the folder');
  await expect(removeRun(outside, outside)).rejects.toThrow('is the folder that this page shows');
  expect(readdirSync(outside)).toContain('fingerprint.json');
});
