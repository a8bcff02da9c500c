/** One run directory, one process: who is refused, and whose lock is void. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { isAlive } from '../../../../src/run/store/lock.node.ts';
import { memoryStore } from '../../../../src/run/store/store.ts';
import { temporaryFolder } from '../../nats/temporary_folder.node.ts';

let root: string;
let lock: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlvr-lock-'));
  lock = join(root, '.lock');
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Of a process that has ended and was waited for. */
function deadPid(): number {
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect(isAlive(pid)).toBe(false);
  return pid;
}

/** The lock that this process takes, with some of its facts replaced. */
async function writeLock(facts: Readonly<Record<string, unknown>>): Promise<void> {
  const claim = await fileStore(root).claim();
  const own = JSON.parse(await readFile(lock, 'utf8'));
  await claim.release();
  await writeFile(lock, `${JSON.stringify({ ...own, ...facts })}\n`);
}

describe('a claim', () => {
  it('refuses a second store in the same directory by pid and host, until it is released', async () => {
    const claim = await fileStore(root).claim();
    const second = fileStore(root);
    const refused = second.claim();
    await expect(refused).rejects.toMatchObject({
      code: 'run-under-way',
      facts: { pid: process.pid, host: hostname() },
    });
    await expect(refused).rejects.toThrow(`${root}  a run with pid ${process.pid} is under way here, since `);
    await claim.release();
    await (await second.claim()).release();
    expect(await readdir(root)).toEqual([]);
  });

  it('makes a directory that is missing', async () => {
    const claim = await fileStore(join(root, 'runs/one')).claim();
    expect(await readdir(join(root, 'runs/one'))).toEqual(['.lock']);
    await claim.release();
  });

  it.each([
    ['files', () => fileStore(root)],
    ['memory', () => memoryStore()],
  ])('is given again by the same store over %s, and held until the last is released', async (kind, open) => {
    const store = open();
    const [first, second] = await Promise.all([store.claim(), store.claim()]);
    await first.release();
    await first.release();
    expect(await second.holds()).toBe(true);
    if (kind === 'files') await expect(fileStore(root).claim()).rejects.toMatchObject({ code: 'run-under-way' });
    await second.release();
    const third = await store.claim();
    expect(await third.holds()).toBe(true);
    await third.release();
  });

  it('holds no more where another process has taken the directory, and leaves its lock alone', async () => {
    const claim = await fileStore(root).claim();
    const text = (await readFile(lock, 'utf8')).replace(/"pid":\d+/, '"pid":1');
    await writeFile(lock, text);
    expect(await claim.holds()).toBe(false);
    await claim.release();
    expect(await readFile(lock, 'utf8')).toBe(text);
  });

  it('makes a lock anew that was removed by hand, and holds no more where the directory is gone', async () => {
    const claim = await fileStore(root).claim();
    await rm(lock);
    expect(await claim.holds()).toBe(true);
    await expect(fileStore(root).claim()).rejects.toMatchObject({ code: 'run-under-way' });
    await rm(root, { recursive: true });
    expect(await claim.holds()).toBe(false);
    await claim.release();
  });
});

describe('a lock that was left behind', () => {
  it.each<[string, () => Record<string, unknown>]>([
    ['by a process that is gone', () => ({ pid: deadPid() })],
    ['by an earlier process of the same number', () => ({ processStart: '1' })],
    ['before the machine was started again', () => ({ boot: '0000' })],
    ['in an earlier container of this name', () => ({ namespace: 'pid:[1]' })],
  ])('%s is void', async (_, facts) => {
    await writeLock(facts());
    const claim = await fileStore(root).claim();
    expect(JSON.parse(await readFile(lock, 'utf8')).pid).toBe(process.pid);
    await claim.release();
    expect(await readdir(root)).toEqual([]);
  });

  it.each(['', '{"pid":', '{"pid":-1}', 'null'])('as %j, by a start that was cut short, is void', async (text) => {
    await writeFile(lock, text);
    await (await fileStore(root).claim()).release();
    expect(await readdir(root)).toEqual([]);
  });

  it('on another host stands, and the remedy is named', async () => {
    await writeLock({ host: 'elsewhere', pid: deadPid() });
    const before = await readFile(lock, 'utf8');
    const refused = fileStore(root).claim();
    await expect(refused).rejects.toThrow(/is under way here, on host elsewhere, since .* remove \S+\/\.lock\.$/);
    expect(await readFile(lock, 'utf8')).toBe(before);
  });

  it('is void also where a process was killed while it removed it', async () => {
    await writeLock({ processStart: '1' });
    await writeFile(`${lock}.turn`, '');
    await utimes(`${lock}.turn`, new Date(0), new Date(0));
    await (await fileStore(root).claim()).release();
    expect(await readdir(root)).toEqual([]);
  });

  it('is won by exactly one of twelve that find it void at once', async () => {
    for (let trial = 0; trial < 40; trial++) {
      await writeLock({ processStart: '1' });
      const claims = await Promise.allSettled(Array.from({ length: 12 }, () => fileStore(root).claim()));
      const won = claims.filter((claim) => claim.status === 'fulfilled');
      expect(won).toHaveLength(1);
      expect(await won[0].value.holds()).toBe(true);
      await won[0].value.release();
    }
    expect(await readdir(root)).toEqual([]);
  });
});

describe('half-written files', () => {
  it('of processes that are gone are removed from the folders of a run, and all others stay', async () => {
    const gone = deadPid();
    const written = ['checkpoints/', 'checkpoints/grpo-1/', 'tensorboard/1-sft/', 'evaluations/', 'answers/0/'];
    const folders = ['', 'model/', ...written];
    for (const folder of [...folders, 'mine/']) {
      await mkdir(join(root, folder), { recursive: true });
      await writeFile(join(root, `${folder}.file.tmp-${gone}-0`), '');
    }
    const earlier = join(root, `.file.tmp-${process.pid}-7`);
    await writeFile(earlier, '');
    await utimes(earlier, new Date(0), new Date(0));
    const kept = [`.file.tmp-${process.ppid}-0`, `.file.tmp-${process.pid}-0`, `file.tmp-${gone}-0`, '.tmp-1', 'log'];
    for (const name of kept) await writeFile(join(root, name), '');
    await fileStore(root).removeLeftovers();
    const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name).sort()).toEqual([...kept, `.file.tmp-${gone}-0`].sort());
    expect(await readdir(join(root, 'mine'))).toHaveLength(1);
  });

  it('are gone with the next folder of their kind, where a killed process has left its own', async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = root;
    try {
      const left = [`rlvr-train-run-${deadPid()}-aB3`, `rlvr-train-run-${process.ppid}-aB3`, 'rlvr-train-run-mine'];
      for (const name of left) await mkdir(join(root, name, 'run'), { recursive: true });
      const made = [temporaryFolder('run'), temporaryFolder('run')].map((folder) => basename(folder));
      expect((await readdir(root)).sort()).toEqual([...left.slice(1), ...made].sort());
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });

  it('are none of in a directory that is not there', async () => {
    await fileStore(join(root, 'nowhere')).removeLeftovers();
    expect(await readdir(root)).toEqual([]);
  });
});
