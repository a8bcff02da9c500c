import { open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CheckpointError } from '../../src/errors.ts';
import { describeFileError } from '../../src/run/store/file_errors.ts';
import { fileStore, requireWritable } from '../../src/run/store/files.node.ts';
import { memoryStore, type Store } from '../../src/run/store/store.ts';
import { folderOfTest } from '../support/folders.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function readText(store: Store, path: string): Promise<string | undefined> {
  const bytes = await store.read(path);
  return bytes && new TextDecoder().decode(bytes);
}

const root = folderOfTest();
afterEach(async () => {
  vi.restoreAllMocks();
});

const stores: [string, () => Store][] = [
  ['memory', () => memoryStore()],
  ['files', () => fileStore(join(root(), 'run'))],
];

describe.each(stores)('a store over %s', (_name, create) => {
  let store: Store;
  beforeEach(() => {
    store = create();
  });

  it('has nothing at first', async () => {
    expect(await store.read('a')).toBeUndefined();
    expect(await store.size('a')).toBeUndefined();
    expect(await store.exists('a')).toBe(false);
    expect(await store.list('')).toEqual([]);
    expect(await store.list('a')).toEqual([]);
  });

  it('gives back what was written, and the last of two', async () => {
    await store.writeAtomic('deep/er/file', bytesOf('first'));
    await store.writeAtomic('deep/er/file', bytesOf('second'));
    expect(await readText(store, 'deep/er/file')).toBe('second');
    expect(await store.size('deep/er/file')).toBe(6);
  });

  it('owns its bytes: neither the writer nor a reader can change them afterwards', async () => {
    const bytes = bytesOf('fixed');
    await store.writeAtomic('file', bytes);
    bytes.fill(0);
    (await store.read('file'))?.fill(0);
    expect(await readText(store, 'file')).toBe('fixed');
  });

  it('reads a range, as far as the file goes', async () => {
    await store.writeAtomic('file', bytesOf('0123456789'));
    const between = async (begin: number, end: number): Promise<string> =>
      new TextDecoder().decode(await store.readRange('file', begin, end));
    expect(await between(0, 10)).toBe('0123456789');
    expect(await between(3, 5)).toBe('34');
    expect(await between(8, 20)).toBe('89');
    expect([await between(4, 4), await between(12, 20)]).toEqual(['', '']);
    (await store.readRange('file', 0, 10))?.fill(0);
    expect(await readText(store, 'file')).toBe('0123456789');
    expect(await store.readRange('missing', 0, 1)).toBeUndefined();
    await expect(store.readRange('../file', 0, 1)).rejects.toMatchObject({ code: 'bad-path' });
  });

  it('appends, syncs and truncates, never extending', async () => {
    await store.append('log', 'one µ\n');
    await store.append('log', 'two\n');
    await store.sync('log');
    expect(await store.size('log')).toBe(11);
    await store.truncate('log', 7);
    await store.truncate('log', 100);
    expect(await readText(store, 'log')).toBe('one µ\n');
  });

  it('syncing or truncating a missing file does nothing', async () => {
    await store.sync('missing/log');
    await store.truncate('missing/log', 5);
    expect(await store.exists('missing/log')).toBe(false);
  });

  it('lists the names in a directory, sorted, files and folders', async () => {
    for (const path of ['b/x/1', 'b/x/2', 'b/c', 'a']) await store.writeAtomic(path, bytesOf(path));
    expect(await store.list('')).toEqual(['a', 'b']);
    expect(await store.list('b')).toEqual(['c', 'x']);
  });

  it('removes files and whole directories, and leaves neighbours', async () => {
    for (const path of ['run/a/1', 'run/a/2', 'run/ab']) await store.writeAtomic(path, bytesOf(path));
    await store.remove('run/a');
    await store.remove('run/a');
    expect(await store.list('run')).toEqual(['ab']);
  });

  it('renames a directory to a free name and refuses one that is taken or missing', async () => {
    for (const path of ['a/1', 'a/b/2', 'c/3']) await store.writeAtomic(path, bytesOf(path));
    await store.renameDirectory('a', 'd');
    expect(await readText(store, 'd/b/2')).toBe('a/b/2');
    expect(await store.exists('a')).toBe(false);
    await expect(store.renameDirectory('d', 'c')).rejects.toThrow(CheckpointError);
    await expect(store.renameDirectory('missing', 'e')).rejects.toThrow(CheckpointError);
  });

  it.each(['../out', '/etc/passwd', 'a/../../b', 'a//b', './a', '', 'a\\b'])('refuses the path %j', async (path) => {
    await expect(store.writeAtomic(path, bytesOf('x'))).rejects.toMatchObject({ code: 'bad-path' });
    await expect(store.remove(path)).rejects.toMatchObject({ code: 'bad-path' });
  });

  it('reads nothing under a name whose parent is a file', async () => {
    await store.writeAtomic('file', bytesOf('x'));
    expect(await store.read('file/inner')).toBeUndefined();
    expect(await store.exists('file/inner')).toBe(false);
  });
});

it('both stores agree after any sequence of operations', async () => {
  const path = fc.constantFrom('a/1', 'a/2', 'b/1', 'log');
  const operation = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), path, text: fc.string({ maxLength: 8 }) }),
    fc.record({ kind: fc.constant('append' as const), path, text: fc.string({ maxLength: 8 }) }),
    fc.record({ kind: fc.constant('truncate' as const), path, bytes: fc.nat(12) }),
    fc.record({ kind: fc.constant('remove' as const), path }),
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
      const both = [memoryStore(), fileStore(join(root(), `run-${run++}`))];
      const contents = await Promise.all(
        both.map(async (store) => {
          for (const step of operations) {
            if (step.kind === 'write') await store.writeAtomic(step.path, bytesOf(step.text));
            if (step.kind === 'append') await store.append(step.path, step.text);
            if (step.kind === 'truncate') await store.truncate(step.path, step.bytes);
            if (step.kind === 'remove') await store.remove(step.path);
          }
          return Promise.all(['a/1', 'a/2', 'b/1', 'log'].map((name) => readText(store, name)));
        }),
      );
      expect(contents[0]).toEqual(contents[1]);
    }),
    { numRuns: 40 },
  );
});

it('a place where no directory can be made is refused before anything is written', async () => {
  const folder = root();
  await writeFile(join(folder, 'file'), '');
  await requireWritable(join(folder, 'runs', 'one'), true);
  await expect(requireWritable(join(folder, 'file', 'runs', 'one'), true)).rejects.toThrow('cannot be written');
  await requireWritable(join(folder, 'runs', 'one'));
  await expect(requireWritable(join(folder, 'file', 'runs', 'one'))).rejects.toThrow(
    /file\/runs\/one cannot be written: the file \S+\/file is where a directory is needed \(EEXIST\)\. Move that file/,
  );
  expect(await readdir(folder)).toEqual(['file']);
});

it.runIf(process.platform === 'linux')(
  'so is a file system that takes no directories, though it permits them',
  async () => {
    await expect(requireWritable('/proc/run')).rejects.toMatchObject({ code: 'no-directory' });
  },
);

describe('a disk that fails', () => {
  it('is full midway: the old file stays, no temporary file is left, the message says what to do', async () => {
    const store = fileStore(root());
    await store.writeAtomic('summary.json', bytesOf('old'));
    const probe = await open(join(root(), 'summary.json'));
    vi.spyOn(Object.getPrototypeOf(probe), 'writeFile').mockImplementation(async function (this: typeof probe) {
      await this.write(bytesOf('ne'));
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    });
    const error = await store.writeAtomic('summary.json', bytesOf('new')).catch((thrown: unknown) => thrown);
    await probe.close();
    expect(error).toMatchObject({ code: 'disk-full' });
    expect(String(error)).toMatch(
      /summary\.json cannot be written: no space .*\(ENOSPC\)\. Free space, or .*output_dir/,
    );
    expect(await readText(store, 'summary.json')).toBe('old');
    expect(await readdir(root())).toEqual(['summary.json']);
  });

  it('has a file where the run directory should be', async () => {
    await writeFile(join(root(), 'run'), 'a file');
    const store = fileStore(join(root(), 'run'));
    await expect(store.writeAtomic('checkpoints/a', bytesOf('x'))).rejects.toMatchObject({ code: 'not-a-directory' });
    await expect(store.append('log', 'x')).rejects.toMatchObject({ code: 'not-a-directory' });
  });

  it('has a directory where a file should be', async () => {
    const store = fileStore(root());
    await store.writeAtomic('log/inner', bytesOf('x'));
    await expect(store.append('log', 'x')).rejects.toMatchObject({ code: 'is-a-directory' });
    await expect(store.read('log')).rejects.toMatchObject({ code: 'is-a-directory' });
  });

  it.each([
    ['ENOSPC', 'disk-full'],
    ['EDQUOT', 'disk-full'],
    ['EACCES', 'not-permitted'],
    ['EROFS', 'read-only'],
    ['ENOENT', 'no-directory'],
    ['ENOTDIR', 'not-a-directory'],
    ['EIO', 'file-failed'],
  ])('%s becomes %s, with path, cause and remedy', (system, code) => {
    const cause = Object.assign(new Error(`${system}: it failed`), { code: system });
    const error = describeFileError(cause, 'written', '/runs/one/metrics.jsonl');
    expect(error).toBeInstanceOf(CheckpointError);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(
      new RegExp(`^/runs/one/metrics\\.jsonl cannot be written: .+ \\(${system}\\)\\. .+\\.$`),
    );
  });
});
