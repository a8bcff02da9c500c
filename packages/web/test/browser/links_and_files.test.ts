/** What a stranger sends, a link or a saved run, opens nothing, runs nothing and replaces nothing unasked. */
import { createHash } from 'node:crypto';
import { unzipSync, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedCode } from '../../../../web/src/link_code.ts';
import {
  arrive,
  downloaded,
  openRun,
  openSite,
  reach,
  status,
  stepOf,
  trainTo,
  type Visit,
  visit,
  weightsHash,
} from './chromium.ts';

const LINK = '#preset=sort-two&steps=2000&evalEvery=500';
const CODE = 'function reward({ completion }) { return completion[0] === "7" ? 1 : 0; }';
const WITH_CODE = `${LINK}&reward=yours&code=${packedCode(CODE)}`;

const { browser, site } = await openSite();

const notes = (page: Page): Promise<string | null> => page.textContent('#notes');
/** Addresses of the workers that live: the engine's, and `data:` for a reward's. */
const workers = (page: Page): string[] => page.workers().map((worker) => worker.url());

/** Paths, lengths and hashes of all that the page keeps. */
function kept(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    type Folder = FileSystemDirectoryHandle & { entries(): AsyncIterableIterator<[string, FileSystemHandle]> };
    const found: string[] = [];
    const walk = async (folder: Folder, path: string): Promise<void> => {
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind === 'directory') await walk(handle as Folder, `${path}/${name}`);
        else {
          const bytes = await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer();
          const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, 6);
          found.push(`${path}/${name} ${bytes.byteLength} ${digest.join('.')}`);
        }
      }
    };
    await walk((await navigator.storage.getDirectory()) as Folder, '');
    return found.sort();
  });
}

describe('a link', () => {
  it('opens no engine, keeps nothing and runs no code, whatever it asks for', async () => {
    const before = site.requests.length;
    const greedy = `${site.url}?threads=300&backend=wasm${WITH_CODE}&width=512&layers=12`;
    const { page, errors, close } = await arrive(browser, greedy);
    await status(page, 'waiting');
    await page.waitForTimeout(1500);
    expect(workers(page)).toEqual([]);
    expect(site.requests.slice(before).filter((path) => path.includes('engine'))).toEqual([]);
    await expect.poll(() => kept(page)).toEqual([]);
    await expect.poll(() => page.textContent('#backend')).toMatch(/^Nothing runs yet/);
    expect(errors).toEqual([]);
    await close();
  });

  it('that asks for more threads than there are cores gets as many as there are, and is told', async () => {
    const { page, close } = await visit(browser, `${site.url}?threads=300${LINK}`);
    await trainTo(page, 2);
    await expect
      .poll(() => page.textContent('#backend'))
      .toMatch(/300 threads were asked for, and there are \d+ cores/);
    await close();
  });

  it('whose run needs more memory than there is says so at the click, with what to lower', async () => {
    const huge = '#preset=countdown&width=512&layers=12&batch=65536&group=64';
    const { page, close } = await visit(browser, `${site.url}${huge}`);
    await status(page, 'failed');
    await expect.poll(() => notes(page)).toMatch(/GiB|MiB[\s\S]*[Ll]ower/);
    await close();
  });

  it('with keys and values that there are not is followed in the rest, and says which', async () => {
    const { page, close } = await arrive(browser, `${site.url}${LINK}&lr=0.1&group=many`);
    await status(page, 'waiting');
    await page.waitForSelector('#notes >> text=/lr: there is no such setting/');
    await page.waitForSelector('#notes >> text=/group=many: a number is due, and 16 is used/');
    await close();
  });

  it('with code shows it, and runs it after the click that agrees, not after one on Train', async () => {
    const { page, close } = await arrive(browser, `${site.url}${WITH_CODE}`);
    await status(page, 'waiting');
    await expect
      .poll(() => page.textContent('#agreement'))
      .toMatch(/This link brings code of its own[\s\S]*Nothing of it has run/);
    await expect.poll(() => page.textContent('#agreement pre')).toBe(CODE);
    await expect.poll(() => page.inputValue('#reward-code')).toBe(CODE);
    await page.click('#train');
    await status(page, 'asking');
    expect(workers(page)).toEqual([]);
    await page.click('#decline');
    await status(page, 'waiting');
    expect(workers(page)).toEqual([]);
    await page.click('#train');
    await page.click('#agree');
    await reach(page, 2);
    expect(workers(page).some((url) => url.startsWith('data:'))).toBe(true);
    // Its own reload opens it again, and asks nothing: it was agreed to.
    await page.click('#train');
    await status(page, 'resting');
    const step = await stepOf(page);
    await page.reload();
    await status(page, 'resting');
    await expect.poll(() => stepOf(page)).toBe(step);
    await close();
  });

  it('that comes while a run trains is never marked as opened, however long it takes to read', async () => {
    const { page, close } = await visit(browser, `${site.url}${LINK}`);
    const isMarked = (): Promise<boolean> => page.evaluate(() => history.state?.opened === true);
    await status(page, 'resting');
    await page.click('#train');
    await reach(page, 2);
    await expect.poll(() => isMarked()).toBe(true);
    // What unpacks its code comes after some steps of the run that is under way.
    let read = (): void => {};
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    await page.route(/link_code/, async (route) => {
      await isRead;
      await route.continue();
    });
    const step = await stepOf(page);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, WITH_CODE);
    await reach(page, step + 2);
    await expect.poll(() => isMarked()).toBe(false);
    read();
    await status(page, 'waiting');
    await expect.poll(() => isMarked()).toBe(false);
    await page.reload();
    await status(page, 'waiting');
    await expect.poll(() => page.textContent('#agreement pre')).toBe(CODE);
    expect(workers(page)).toEqual([]);
    await close();
  });

  it('to a reward of the visitor brings its code to whoever follows it', async () => {
    const { page, close } = await visit(browser, `${site.url}${LINK}`);
    await status(page, 'resting');
    await page.fill('#reward-code', CODE);
    await page.click('#use-reward');
    await page.waitForFunction(() => location.hash.includes('code='));
    const url = page.url();
    await close();
    const other = await arrive(browser, url);
    await status(other.page, 'waiting');
    await expect.poll(() => other.page.textContent('#agreement pre')).toBe(CODE);
    await other.close();
  });
});

type Files = Record<string, Uint8Array>;
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
/** The first path that ends so; each name of a checkpoint is there. */
const pathTo = (files: Files, end: string): string => {
  const path = Object.keys(files).find((name) => name.endsWith(end));
  if (path === undefined) throw new Error(`no ${end}`);
  return path;
};
const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte));

/** Damages one part of a saved run; what remains is zipped anew, with checksums that are right. */
const DAMAGES: Readonly<Record<string, (files: Files) => void>> = {
  'page.json that is no JSON': (files) => {
    files['page.json'] = new Uint8Array([123]);
  },
  'page.json that is null': (files) => {
    files['page.json'] = bytesOf(null);
  },
  'page.json without a link': (files) => {
    files['page.json'] = bytesOf({ code: '' });
  },
  'page.json with another setting': (files) => {
    files['page.json'] = bytesOf({ link: 'preset=sort-two&speed=9', code: '' });
  },
  'page.json of another model': (files) => {
    files['page.json'] = bytesOf({ link: `${LINK.slice(1)}&width=64`, code: '' });
  },
  'no fingerprint.json': (files) => {
    delete files['fingerprint.json'];
  },
  'fingerprint.json with a letter less': (files) => {
    files['fingerprint.json'] = (files['fingerprint.json'] as Uint8Array).subarray(1);
  },
  'no config.yaml': (files) => {
    delete files['config.yaml'];
  },
  'metrics.jsonl that is cut off': (files) => {
    files['metrics.jsonl'] = (files['metrics.jsonl'] as Uint8Array).subarray(0, -9);
  },
  'metrics.jsonl with a line that is none': (files) => {
    files['metrics.jsonl'] = new TextEncoder().encode(`nothing\n${textOf(files['metrics.jsonl'])}`);
  },
  'weights with one bit flipped': (files) => {
    const path = pathTo(files, 'weights.safetensors');
    files[path] = flipped(files[path] as Uint8Array);
  },
  'moments with one bit flipped': (files) => {
    const path = pathTo(files, 'optimizer.safetensors');
    files[path] = flipped(files[path] as Uint8Array);
  },
  'state.json with one bit flipped': (files) => {
    const path = pathTo(files, 'state.json');
    files[path] = flipped(files[path] as Uint8Array);
  },
  'no manifest.json': (files) => {
    delete files[pathTo(files, 'manifest.json')];
  },
  'a state that is forged, with hashes that are right': (files) => {
    const path = pathTo(files, 'state.json');
    const state = bytesOf({ ...JSON.parse(textOf(files[path])), parts: null });
    files[path] = state;
    const at = pathTo(files, 'manifest.json');
    const { checksum: _, ...manifest } = JSON.parse(textOf(files[at]));
    manifest.files['state.json'] = { bytes: state.length, sha256: createHash('sha256').update(state).digest('hex') };
    const checksum = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
    files[at] = new TextEncoder().encode(`${JSON.stringify({ ...manifest, checksum }, null, 2)}\n`);
    // On a busy machine there is a checkpoint before it, which the page would continue from.
    const folder = at.slice(0, at.lastIndexOf('/') + 1);
    for (const other of Object.keys(files))
      if (other.startsWith('checkpoints/') && !other.startsWith(folder)) delete files[other];
  },
  'no state at all': (files) => {
    for (const path of Object.keys(files)) if (path.startsWith('checkpoints/')) delete files[path];
  },
  'a path that leaves the directory': (files) => {
    files['../outside'] = new Uint8Array([1]);
  },
  'code that was not trained on': (files) => {
    const { link } = JSON.parse(textOf(files['page.json'])) as { link: string };
    files['page.json'] = bytesOf({ link: `${link}&reward=yours`, code: 'function reward() { return 1; }' });
  },
};

describe('a saved run', () => {
  let saved: Buffer;
  let open: Visit;

  const load = async (buffer: Buffer | Uint8Array, name = 'run.zip'): Promise<void> => {
    const { page } = open;
    await page.evaluate(() => {
      for (const close of document.querySelectorAll<HTMLElement>('#notes button')) close.click();
    });
    await page.setInputFiles('#load', { name, mimeType: 'application/zip', buffer: Buffer.from(buffer) });
  };
  const refused = async (): Promise<string> => {
    await open.page.waitForSelector('#notes >> text=/cannot be loaded/');
    // The kept run is opened again behind the note: the page rests before that, too.
    await open.page.waitForTimeout(500);
    await status(open.page, 'resting');
    return (await notes(open.page)) ?? '';
  };

  beforeAll(async () => {
    open = await visit(browser, `${site.url}${LINK}`);
    await trainTo(open.page, 3);
    saved = await downloaded(open.page, '#save');
    await trainTo(open.page, (await stepOf(open.page)) + 2);
  });
  afterAll(async () => {
    await open?.close();
  });

  it.each(Object.keys(DAMAGES))(
    'with %s is refused, and the kept run of the same experiment is as it was',
    async (damage) => {
      const { page } = open;
      const before = await kept(page);
      const step = await stepOf(page);
      const files: Files = unzipSync(saved);
      DAMAGES[damage]?.(files);
      await load(zipSync(files, { level: 0 }), 'damaged.zip');
      if (damage.startsWith('code')) {
        await page.waitForSelector('#agree');
        expect(workers(page).filter((url) => url.startsWith('data:'))).toEqual([]);
        await page.click('#agree');
      }
      expect(await refused()).toMatch(/damaged\.zip cannot be loaded: .*Nothing was changed/);
      await expect.poll(() => kept(page)).toEqual(before);
      await expect.poll(() => stepOf(page)).toBe(step);
    },
  );

  it.each([
    ['one bit flipped anywhere in its weights', () => flipped(saved)],
    ['its end missing', () => saved.subarray(0, saved.length - 100)],
    ['nothing of a zip in it', () => Buffer.from('no zip')],
  ])('with %s is refused by its checksums', async (_, damaged) => {
    const before = await kept(open.page);
    await load(damaged(), 'damaged.zip');
    expect(await refused()).toMatch(/damaged\.zip cannot be loaded/);
    await expect.poll(() => kept(open.page)).toEqual(before);
  });

  it('that is whole takes the place of the kept one', async () => {
    const { page } = open;
    const [step, hash] = [await stepOf(page), await weightsHash(page)];
    await load(saved);
    await page.waitForFunction(
      (at) => !document.getElementById('progress')?.textContent?.startsWith(`step ${at} `),
      step,
    );
    await status(page, 'resting');
    await expect.poll(() => stepOf(page)).toBeLessThan(step);
    expect(await weightsHash(page)).not.toBe(hash);
    expect((await kept(page)).filter((path) => path.includes('/.'))).toEqual([]);
    await page.reload();
    await status(page, 'resting');
    await expect.poll(() => stepOf(page)).toBeLessThan(step);
  });

  it('with code shows it, and runs it only when the visitor agrees', async () => {
    const author = await visit(browser, `${site.url}${LINK}`);
    await status(author.page, 'resting');
    await author.page.fill('#reward-code', CODE);
    await author.page.click('#use-reward');
    await author.page.waitForFunction(() => location.hash.includes('code='));
    // The page still rests from the run before, until it is drawn anew.
    await author.page.waitForSelector('.yaml >> text=/reward_funcs: .*yours/', { state: 'attached' });
    await trainTo(author.page, 2);
    const [file, step] = [await downloaded(author.page, '#save'), await stepOf(author.page)];
    await author.close();

    const { page } = open;
    const before = await kept(page);
    await load(file, 'mine.zip');
    await page.waitForSelector('#agree');
    await expect.poll(() => page.textContent('#agreement')).toMatch(/mine\.zip brings code of its own/);
    await expect.poll(() => page.textContent('#agreement pre')).toBe(CODE);
    await page.waitForTimeout(500);
    expect(workers(page).filter((url) => url.startsWith('data:'))).toEqual([]);
    await page.click('#decline');
    await expect.poll(() => kept(page)).toEqual(before);
    await load(file, 'mine.zip');
    await page.click('#agree');
    await page.waitForFunction(() => location.hash.includes('code='));
    await status(page, 'resting');
    await expect.poll(() => stepOf(page)).toBe(step);
    await expect.poll(() => page.inputValue('#reward-code')).toBe(CODE);
  });

  it('whose replacement was cut short is put in place by the next page', async () => {
    const { page, close } = await visit(browser, `${site.url}${LINK}`);
    await trainTo(page, 2);
    const [step, hash] = [await stepOf(page), await weightsHash(page)];
    await page.evaluate(async () => {
      type Folder = FileSystemDirectoryHandle & { entries(): AsyncIterableIterator<[string, FileSystemHandle]> };
      const copy = async (from: Folder, to: FileSystemDirectoryHandle): Promise<void> => {
        for await (const [name, handle] of from.entries()) {
          if (handle.kind === 'directory') {
            await copy(handle as Folder, await to.getDirectoryHandle(name, { create: true }));
          } else {
            const writable = await (await to.getFileHandle(name, { create: true })).createWritable();
            await writable.write(await (handle as FileSystemFileHandle).getFile());
            await writable.close();
          }
        }
      };
      const site = await navigator.storage.getDirectory();
      const runs = (await site.getDirectoryHandle('rlvr-train')) as Folder;
      for await (const [name, run] of runs.entries()) {
        const incoming = await runs.getDirectoryHandle(`.incoming-${name}`, { create: true });
        await copy(run as Folder, incoming);
        await (await (await incoming.getFileHandle('.whole', { create: true })).createWritable()).close();
        await (run as Folder).removeEntry('fingerprint.json');
        await (run as Folder).removeEntry('checkpoints', { recursive: true });
        break;
      }
    });
    await page.reload();
    await status(page, 'resting');
    expect([await stepOf(page), await weightsHash(page)]).toEqual([step, hash]);
    expect((await kept(page)).filter((path) => path.includes('/.'))).toEqual([]);
    await close();
  });
});

it('a second visit waits for a click, too, and says that a run is kept', async () => {
  const { page, close } = await visit(browser, `${site.url}${LINK}`);
  await trainTo(page, 2);
  const step = await stepOf(page);
  const again = await page.context().newPage();
  await page.close();
  await again.goto(`${site.url}${LINK}`);
  await status(again, 'waiting');
  await again.waitForSelector(`#notes >> text=/A run of this is kept here, at step ${step}/`);
  expect(workers(again)).toEqual([]);
  await openRun(again);
  await status(again, 'resting');
  await expect.poll(() => stepOf(again)).toBe(step);
  await close();
});
