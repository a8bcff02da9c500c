import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectFingerprint, readGitCommit } from '../../src/run/fingerprint/fingerprint.node.ts';
import {
  checkResume,
  describeChanges,
  type Fingerprint,
  hashConfig,
  readFingerprint,
  SUMS,
  sameBits,
  writeFingerprint,
} from '../../src/run/fingerprint/fingerprint.ts';
import { memoryStore } from '../../src/run/store/store.ts';
import { folderOfTest } from '../support/folders.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

const recorded: Fingerprint = {
  packageVersion: '0.1.0',
  backend: 'wasm',
  backendFeatures: { fma: 'fused', adapter: 'A', simd: '128-bit' },
  engine: 'v8 11.3.244.8',
  runtime: 'node 20.20.2',
  platform: 'linux',
  arch: 'x64',
  cpuModel: 'A CPU',
  threads: 4,
  seed: 42,
  gitCommit: COMMIT,
  configHash: 'aaaa',
};

describe('sameBits', () => {
  it('a fingerprint has the same bits as itself', () => {
    expect(sameBits(recorded, { ...recorded })).toEqual({ same: true, differences: [], warnings: [] });
  });

  it.each<[string, Partial<Fingerprint>, string]>([
    ['package version', { packageVersion: '0.2.0' }, 'packageVersion: 0.1.0 → 0.2.0'],
    ['engine', { engine: 'v8 12.4' }, 'engine: v8 11.3.244.8 → v8 12.4'],
    ['platform', { platform: 'darwin' }, 'platform: linux → darwin'],
    ['architecture', { arch: 'arm64' }, 'arch: x64 → arm64'],
    ['seed', { seed: 43 }, 'seed: 42 → 43'],
    ['configuration', { configHash: 'bbbb' }, 'configHash: aaaa → bbbb'],
    [
      'FMA',
      { backendFeatures: { ...recorded.backendFeatures, fma: 'unfused' } },
      'backendFeatures.fma: fused → unfused',
    ],
    ['a feature gone', { backendFeatures: { fma: 'fused', simd: '128-bit' } }, 'backendFeatures.adapter: A → absent'],
  ])('another %s is another run', (_name, change, difference) => {
    const comparison = sameBits(recorded, { ...recorded, ...change });
    expect(comparison).toEqual({ same: false, differences: [difference], warnings: [] });
  });

  it.each<[string, Partial<Fingerprint>, string]>([
    ['threads', { threads: 2 }, 'threads: 4 → 2'],
    ['git commit', { gitCommit: null }, `gitCommit: ${COMMIT} → none`],
    ['runtime version', { runtime: 'node 20.20.3' }, 'runtime: node 20.20.2 → node 20.20.3'],
    ['CPU model on wasm', { cpuModel: 'B CPU' }, 'cpuModel: A CPU → B CPU'],
  ])('other %s: a warning, and the same bits', (_name, change, warning) => {
    const comparison = sameBits(recorded, { ...recorded, ...change });
    expect(comparison).toEqual({ same: true, differences: [], warnings: [warning] });
  });

  it('a run of a version that took equal completions one by one resumes, and is told', () => {
    const { same, warnings } = sameBits(recorded, { ...recorded, sums: SUMS });
    expect(same).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/^sums: .* one by one.* last bits of its weights differ/)]);
    expect(sameBits({ ...recorded, sums: SUMS }, { ...recorded, sums: SUMS }).warnings).toEqual([]);
  });

  it('the width of SIMD on wasm is measured at every start, and nothing is said of it', () => {
    const comparison = sameBits(recorded, {
      ...recorded,
      backendFeatures: { ...recorded.backendFeatures, simd: '256-bit' },
    });
    expect(comparison).toEqual({ same: true, differences: [], warnings: [] });
  });

  describe('between engines whose mathematics agree', () => {
    const node: Fingerprint = { ...recorded, mathematics: 'm' };
    const browser = {
      engine: 'chrome 156',
      runtime: 'chrome 156',
      platform: 'browser',
      arch: 'not told',
      cpuModel: 'not told',
      gitCommit: null,
    };

    it('a browser goes on with a run of Node, and Node with one of a browser', () => {
      const page = { ...node, ...browser };
      for (const [before, after] of [
        [node, page],
        [page, node],
      ] as const) {
        const { same, warnings } = sameBits(before, after);
        expect(same).toBe(true);
        expect(warnings.map((line) => line.split(':')[0])).toEqual(
          expect.arrayContaining(['engine', 'platform', 'arch', 'cpuModel']),
        );
      }
      expect(sameBits(node, { ...node, engine: 'v8 13.6' }).differences).toEqual([]);
    });

    it.each<[string, Partial<Fingerprint>, Partial<Fingerprint>]>([
      ['where they do not', {}, { ...browser, mathematics: 'other' }],
      ['where an older run does not say', { mathematics: undefined }, browser],
      ['on webgpu', { backend: 'webgpu' }, { ...browser, backend: 'webgpu' }],
      ['between two systems', {}, { platform: 'darwin' }],
      ['between two architectures', {}, { arch: 'arm64' }],
    ])('but not %s', (_, before, after) => {
      expect(sameBits({ ...node, ...before }, { ...node, ...after }).same).toBe(false);
    });

    it('a run from before there were hashes of them goes on where it was begun', () => {
      expect(sameBits(recorded, node)).toEqual({ same: true, differences: [], warnings: [] });
    });
  });

  it.each(['tfjs', 'webgpu'])('another CPU model on %s is another run', (backend) => {
    expect(sameBits({ ...recorded, backend }, { ...recorded, backend, cpuModel: 'B CPU' }).same).toBe(false);
  });
});

describe('checkResume', () => {
  const current = { ...recorded, seed: 43, configHash: 'bbbb', threads: 2 };

  it('refuses another fingerprint, naming each difference and --force', () => {
    const configChanges = ['learning_rate: 0.001 → 0.002'];
    const refuse = () => checkResume({ recorded, current, force: false, configChanges });
    expect(refuse).toThrow(expect.objectContaining({ code: 'fingerprint-differs' }));
    expect(refuse).toThrow(/seed: 42 → 43\n {2}learning_rate: 0\.001 → 0\.002\n.*--force/);
  });

  it('forced, tells every difference', () => {
    const told = ['seed: 42 → 43', 'configHash: aaaa → bbbb', 'threads: 4 → 2'];
    expect(checkResume({ recorded, current, force: true })).toEqual(told);
  });

  it('lets harmless differences pass and tells them', () => {
    expect(checkResume({ recorded, current: { ...recorded, threads: 2 }, force: false })).toEqual(['threads: 4 → 2']);
  });
});

describe('the configuration', () => {
  it('its hash ignores the order of keys and the keys that decide no bits', async () => {
    const hash = await hashConfig({ a: 1, b: { c: 2, d: [3, 4] }, output_dir: 'x' }, ['output_dir']);
    expect(await hashConfig({ output_dir: 'y', b: { d: [3, 4], c: 2 }, a: 1 }, ['output_dir'])).toBe(hash);
    expect(await hashConfig({ a: 1, b: { c: 2, d: [4, 3] } })).not.toBe(hash);
  });

  it('its changes are named by dotted key', () => {
    const before = { a: 1, b: { c: 'x', d: [1] }, gone: null };
    const after = { a: 1, b: { c: 'y', d: [1, 2] }, added: true };
    const changes = ['b.c: x → y', 'b.d: [1] → [1,2]', 'gone: none → absent', 'added: absent → true'];
    expect(describeChanges(before, after)).toEqual(changes);
  });
});

describe('fingerprint.json', () => {
  it('is read back as written', async () => {
    const store = memoryStore();
    await writeFingerprint(store, recorded);
    expect(await readFingerprint(store)).toEqual(recorded);
  });

  it('is undefined where there is none', async () => {
    expect(await readFingerprint(memoryStore())).toBeUndefined();
  });

  it.each(['', 'garbage', '{}', '[]'])('with the content %j is refused', async (text) => {
    const store = memoryStore();
    await store.writeAtomic('fingerprint.json', new TextEncoder().encode(text));
    await expect(readFingerprint(store)).rejects.toMatchObject({ code: 'fingerprint-malformed' });
  });
});

describe('collecting a fingerprint in Node', () => {
  const root = folderOfTest();

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(root(), path)), { recursive: true });
    await writeFile(join(root(), path), text);
  }

  it('every field is filled and the file takes it', async () => {
    const inputs = { backend: 'wasm', backendFeatures: { fma: 'fused' }, threads: 2, seed: 1, configHash: 'cc' };
    const fingerprint = collectFingerprint({ ...inputs, directory: root() });
    expect(fingerprint).toMatchObject({ ...inputs, gitCommit: null, platform: process.platform });
    expect(fingerprint.packageVersion).toMatch(/^\d+\.\d+\.\d+/);
    const store = memoryStore();
    await writeFingerprint(store, fingerprint);
    expect(await readFingerprint(store)).toEqual(fingerprint);
  });

  it('outside a repository there is no commit', () => {
    expect(readGitCommit(root())).toBeNull();
  });

  it('a branch is followed, from a folder inside the repository', async () => {
    await write('.git/HEAD', 'ref: refs/heads/main\n');
    await write('.git/refs/heads/main', `${COMMIT}\n`);
    await mkdir(join(root(), 'deep/folder'), { recursive: true });
    expect(readGitCommit(join(root(), 'deep/folder'))).toBe(COMMIT);
  });

  it('a detached head is the commit itself', async () => {
    await write('.git/HEAD', `${COMMIT}\n`);
    expect(readGitCommit(root())).toBe(COMMIT);
  });

  it('a packed branch is found', async () => {
    await write('.git/HEAD', 'ref: refs/heads/main\n');
    await write(
      '.git/packed-refs',
      `# pack-refs with: peeled\n${'f'.repeat(40)} refs/heads/domain\n${COMMIT} refs/heads/main\n`,
    );
    expect(readGitCommit(root())).toBe(COMMIT);
  });

  it('before the first commit there is none', async () => {
    await write('.git/HEAD', 'ref: refs/heads/main\n');
    expect(readGitCommit(root())).toBeNull();
  });

  it('a linked worktree finds its branch in the shared directory', async () => {
    await write('main/.git/refs/heads/side', `${COMMIT}\n`);
    await write('main/.git/worktrees/side/HEAD', 'ref: refs/heads/side\n');
    await write('main/.git/worktrees/side/commondir', '../..\n');
    await write('side/.git', `gitdir: ${join(root(), 'main/.git/worktrees/side')}\n`);
    expect(readGitCommit(join(root(), 'side'))).toBe(COMMIT);
  });
});
