/** Models of the hub: fetched once, through whatever goes wrong, into the cache that Python's libraries use too. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { program } from '../../../src/cli/program.ts';
import { HubError } from '../../../src/errors.ts';
import { refusalOf } from '../../../test/support/refusals.ts';
import { findSnapshot, hubCache, isOffline } from '../hub/cache.node.ts';
import { HubClient, type HubOptions } from '../hub/client.ts';
import { type FetchedModel, fetchModel } from '../hub/fetch_model.node.ts';
import { readHubName } from '../hub/names.ts';
import { findModel } from '../run/model/find_model.node.ts';
import { openPretrained } from '../run/model/open_pretrained.ts';
import { COMMIT, LoopbackHub } from './support/loopback_hub.ts';
import { smallPretrainedFiles } from './support/small_pretrained.ts';

const NAME = { owner: 'tiny', name: 'llama', revision: 'main' };
const DEAD_PID = 4_194_305; // above the largest number that Linux gives

const files = new Map<string, Uint8Array>();
let hub: LoopbackHub;
let cache: string;

beforeAll(async () => {
  const store = await smallPretrainedFiles();
  for (const file of await store.list('base')) files.set(file, (await store.read(`base/${file}`)) as Uint8Array);
  files.set('README.md', new TextEncoder().encode('# Tiny'));
  files.set('pytorch_model.bin', new Uint8Array(5_000));
});

beforeEach(async () => {
  hub = new LoopbackHub('tiny/llama', new Map(files));
  await hub.open();
  cache = realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-train-hub-')));
  vi.stubEnv('HF_HUB_CACHE', cache);
  vi.stubEnv('HF_ENDPOINT', hub.endpoint);
  vi.stubEnv('HF_TOKEN', '');
  vi.stubEnv('HF_HUB_OFFLINE', '');
  vi.stubEnv('TRANSFORMERS_OFFLINE', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await hub.close();
  rmSync(cache, { recursive: true, force: true });
});

function fetchTiny(options: HubOptions = {}, name = NAME): Promise<FetchedModel> {
  const client = new HubClient({ endpoint: hub.endpoint, pauseMs: 1, ...options });
  return fetchModel(name, { client, cache });
}

const refusal = (fetching: Promise<unknown>): Promise<HubError> => refusalOf(HubError, fetching);

const folder = (): string => join(cache, 'models--tiny--llama');
const blobs = (): string[] => readdirSync(join(folder(), 'blobs'));
const askedFor = (file: string) => hub.asked.filter(({ path }) => path.endsWith(file));
const weights = (): Uint8Array => hub.files.get('model.safetensors') as Uint8Array;

describe('a model of the hub', () => {
  it('is fetched in the layout of huggingface_hub: the files that are read, and no others', async () => {
    const { commit, folder: snapshot } = await fetchTiny();
    expect(commit).toBe(COMMIT);
    expect(snapshot).toBe(join(folder(), 'snapshots', COMMIT));
    expect(readFileSync(join(folder(), 'refs/main'), 'utf8')).toBe(COMMIT);
    expect(readdirSync(snapshot).sort()).toEqual(
      [...hub.files.keys()].filter((file) => !/README|\.bin$/.test(file)).sort(),
    );
    for (const file of readdirSync(snapshot)) {
      expect(lstatSync(join(snapshot, file)).isSymbolicLink(), file).toBe(true);
      expect(new Uint8Array(readFileSync(join(snapshot, file))), file).toEqual(hub.files.get(file));
    }
    expect(blobs().every((name) => /^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(name))).toBe(true);
  });

  it('opens by its name from then on, and is not asked for again', async () => {
    await fetchTiny();
    const { model } = await openPretrained(findModel('tiny/llama', '/nowhere'));
    expect(model.tensors.size).toBeGreaterThan(3);
    expect((await openPretrained(findModel(`tiny/llama@${COMMIT}`))).model.shape).toEqual(model.shape);
    hub.asked.length = 0;
    await fetchTiny();
    expect(hub.asked.map(({ path }) => path)).toEqual(['/api/models/tiny/llama/revision/main?blobs=true']);
  });

  it('is found where Python has fetched it, with files of its own where there are no links', async () => {
    const snapshot = join(folder(), 'snapshots', COMMIT);
    mkdirSync(snapshot, { recursive: true });
    mkdirSync(join(folder(), 'refs'));
    writeFileSync(join(folder(), 'refs/main'), COMMIT);
    for (const [file, content] of hub.files) writeFileSync(join(snapshot, file), content);
    expect(findSnapshot(cache, NAME)).toEqual({ commit: COMMIT, folder: snapshot });
    await fetchTiny();
    expect(hub.asked).toHaveLength(1);
  });

  it('has revisions, each under its own name', async () => {
    await fetchTiny({}, { ...NAME, revision: 'refs/pr/1' });
    expect(readFileSync(join(folder(), 'refs/refs/pr/1'), 'utf8')).toBe(COMMIT);
    expect(findSnapshot(cache, NAME)).toBeUndefined();
    expect(findModel('tiny/llama@refs/pr/1').name).toBe('tiny/llama@refs/pr/1');
    expect((await refusal(fetchTiny({}, { ...NAME, revision: 'v2' }))).message).toMatch(
      /^tiny\/llama@v2 — the model has no such revision/,
    );
  });

  it('comes in shards where its index says so', async () => {
    hub.files.set('model-00001-of-00001.safetensors', weights());
    const index = { weight_map: { 'model.norm.weight': 'model-00001-of-00001.safetensors' } };
    hub.files.set('model.safetensors.index.json', new TextEncoder().encode(JSON.stringify(index)));
    hub.files.delete('model.safetensors');
    const { files: fetched } = await fetchTiny();
    expect(fetched.map(({ path }) => path).slice(-2)).toEqual([
      'model.safetensors.index.json',
      'model-00001-of-00001.safetensors',
    ]);
  });

  it('that is not computed here is refused before its weights are fetched', async () => {
    hub.files.set('config.json', new TextEncoder().encode('{"model_type": "gpt2"}'));
    await expect(fetchTiny()).rejects.toThrow(/^tiny\/llama: config\.json: model_type "gpt2" — this engine computes/);
    expect(askedFor('model.safetensors')).toEqual([]);
  });

  it('whose weights are no safetensors is refused with what it has', async () => {
    hub.files.delete('model.safetensors');
    const { message } = await refusal(fetchTiny());
    expect(message).toMatch(/^tiny\/llama — has no model\.safetensors \(it has pytorch_model\.bin\); take one/);
  });
});

describe('a token', () => {
  it('is shown to the hub, and not to where the hub sends a download', async () => {
    await fetchTiny({ token: 'hf_secret' });
    expect(askedFor('/config.json')[0]).toMatchObject({ from: 'hub', token: 'Bearer hf_secret' });
    const [sent, stored] = askedFor('model.safetensors');
    expect(sent).toMatchObject({ from: 'hub', token: 'Bearer hf_secret' });
    expect(stored).toMatchObject({ from: 'store', token: undefined });
  });

  it.each([
    [{ status: 401, code: 'GatedRepo' }, undefined, /those alone who agree to its terms; agree to them at .*HF_TOKEN/],
    [{ status: 403 }, 'hf_secret', /the account of HF_TOKEN may not read it/],
    [{ status: 401, code: 'RepoNotFound' }, undefined, /no such model at .*; check the name, or it is not public/],
    [{ status: 404 }, 'hf_secret', /no such model at .* or the account of HF_TOKEN may not see it/],
    [{ status: 418 }, undefined, /answers with status 418/],
  ])('is asked for where the hub says %o', async (failure, token, message) => {
    hub.failures.push(failure);
    expect((await refusal(fetchTiny({ token }))).message).toMatch(message);
    expect(hub.asked).toHaveLength(1);
  });
});

describe('what goes wrong on the way', () => {
  it('a connection that is cut goes on where it was cut', async () => {
    hub.failures.push({ cut: 0 }, { cut: 0 });
    await fetchTiny();
    expect(askedFor('/config.json')).toHaveLength(3);
  });

  it('a large file is never asked for twice', async () => {
    const { folder: snapshot } = await fetchTinyWithFailures({ cut: 1_500 }, { cut: 700 });
    expect(askedFor('model.safetensors').flatMap(({ from, range }) => (from === 'store' ? [range] : []))).toEqual([
      undefined,
      'bytes=1500-',
      'bytes=2200-',
    ]);
    expect(new Uint8Array(readFileSync(join(snapshot, 'model.safetensors')))).toEqual(weights());
  });

  it('a server that knows no ranges sends it from its beginning', async () => {
    hub.ignoresRanges = true;
    const { folder: snapshot } = await fetchTinyWithFailures({ cut: 1_500 });
    expect(new Uint8Array(readFileSync(join(snapshot, 'model.safetensors')))).toEqual(weights());
  });

  it('a silent connection is taken for a lost one', async () => {
    const { folder: snapshot } = await fetchTinyWithFailures({ silent: 1_500 });
    expect(new Uint8Array(readFileSync(join(snapshot, 'model.safetensors')))).toEqual(weights());
  });

  it('a busy server is asked again', async () => {
    hub.failures.push({ status: 503 }, { status: 429 });
    await fetchTiny();
    expect(findSnapshot(cache, NAME)?.commit).toBe(COMMIT);
  });

  it('a network that stays lost is said, what came is kept, and the next command goes on with it', async () => {
    const losses = Array.from({ length: 5 }, () => ({ cut: 0 }));
    const { code, message } = await refusal(fetchTinyWithFailures({ cut: 1_500 }, ...losses));
    expect(code).toBe('unreachable');
    expect(message).toMatch(/cannot be reached \(.*\)\. What came so far is kept: .* the same command resumes\.$/);
    expect(findSnapshot(cache, NAME)).toBeUndefined();
    hub.failures.length = 0;
    hub.asked.length = 0;
    await fetchTiny();
    expect(askedFor('model.safetensors').at(-1)?.range).toBe('bytes=1500-');
    expect(askedFor('tokenizer.json')).toEqual([]);
  });

  it('goes on with what a killed process left, and begins anew where that was something else', async () => {
    for (const [left, range] of [
      [weights().slice(0, 3_000), ['bytes=3000-']],
      [new Uint8Array(3_000), ['bytes=3000-', undefined]],
    ] as const) {
      rmSync(folder(), { recursive: true, force: true });
      hub.asked.length = 0;
      const { hash } =
        (await new HubClient({ endpoint: hub.endpoint }).repository(NAME)).files.get('model.safetensors') ?? {};
      mkdirSync(join(folder(), 'blobs'), { recursive: true });
      writeFileSync(join(folder(), 'blobs', `${hash?.hex}.${DEAD_PID}.part`), left);
      const { folder: snapshot } = await fetchTiny();
      expect(
        askedFor('model.safetensors').flatMap(({ from, range: each }) => (from === 'store' ? [each] : [])),
      ).toEqual(range);
      expect(new Uint8Array(readFileSync(join(snapshot, 'model.safetensors')))).toEqual(weights());
      expect(blobs().some((name) => name.endsWith('.part'))).toBe(false);
    }
  });

  it('another content than the hash says is thrown away', async () => {
    for (const file of ['config.json', 'model.safetensors']) {
      hub.damaged.clear();
      hub.damaged.add(file);
      const { code, message } = await refusal(fetchTiny());
      expect(code).toBe('wrong-hash');
      expect(message).toMatch(new RegExp(`^tiny/llama: ${file.replace('.', '\\.')} — what came has another hash`));
      expect(blobs().some((name) => name.endsWith('.part'))).toBe(false);
    }
  });

  it('a disk without room is said before anything large is fetched', async () => {
    hub.toldBytes.set('model.safetensors', 9e15);
    const { code, message } = await refusal(fetchTiny());
    expect(code).toBe('disk-full');
    expect(message).toMatch(
      /9000000000\.0 MB are to be fetched, and its disk has .* MB left\. Free space, or set HF_HOME/,
    );
    expect(askedFor('model.safetensors')).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))('a disk that is full while it is written is said as such', async () => {
    const { files: listed } = await new HubClient({ endpoint: hub.endpoint }).repository(NAME);
    mkdirSync(join(folder(), 'blobs'), { recursive: true });
    const blob = join(folder(), 'blobs', listed.get('model.safetensors')?.hash.hex ?? '');
    symlinkSync('/dev/full', `${blob}.${process.pid}.part`);
    const { code, message } = await refusal(fetchTiny());
    expect(code).toBe('disk-full');
    expect(message).toBe(
      `${blob} cannot be written: no space is left on the disk. What came so far is kept. Free space, or set HF_HOME to a folder on another disk.`,
    );
  });

  it('a cache that cannot be written is said as such', async () => {
    writeFileSync(join(cache, 'models--tiny--llama'), '');
    expect((await refusal(fetchTiny())).message).toMatch(/cannot be written: a file is where a directory is needed/);
  });

  it('an answer of somebody else is none', async () => {
    hub.commit = '../../etc';
    expect((await refusal(fetchTiny())).message).toMatch(/its answer is not that of a hub; is HF_ENDPOINT right/);
    expect(() => new HubClient({ endpoint: 'nowhere' })).toThrow(/^HF_ENDPOINT: "nowhere" — no address/);
  });

  it('files that would lead out of the folder are not there', async () => {
    hub.files.set('../../outside.json', new Uint8Array(1));
    const { files: listed } = await new HubClient({ endpoint: hub.endpoint }).repository(NAME);
    expect([...listed.keys()]).not.toContain('../../outside.json');
  });

  /** The first failure meets the weights; everything else is in the cache before. */
  async function fetchTinyWithFailures(...failures: LoopbackHub['failures']): Promise<FetchedModel> {
    const client = new HubClient({ endpoint: hub.endpoint, pauseMs: 1, silenceMs: 300 });
    const onFile = ({ path }: { readonly path: string }): void => {
      if (path === 'model.safetensors') hub.failures.push(...failures);
    };
    return fetchModel(NAME, { client, cache, onFile });
  }
});

describe('the command', () => {
  async function run(...words: string[]): Promise<string> {
    let printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
    await program().parseAsync(['fetch', ...words], { from: 'user' });
    return printed;
  }

  it('says what it fetches, where it is, and how a config names it', async () => {
    const printed = await run('tiny/llama');
    expect(printed).toContain(`tiny/llama, from ${hub.endpoint}\n  config.json  0.0 MB\n`);
    expect(printed).toMatch(/in a config: model_name_or_path: tiny\/llama\n$/);
    expect(JSON.parse(await run('tiny/llama', '--json'))).toMatchObject({ model: 'tiny/llama', commit: COMMIT });
  });

  it('asks nothing offline', async () => {
    await expect(run('tiny/llama', '--offline')).rejects.toThrow(
      `model "tiny/llama" — not in the Hugging Face cache (${cache}), and --offline asks no network; fetch it without.`,
    );
    vi.stubEnv('HF_HUB_OFFLINE', '1');
    await expect(run('tiny/llama')).rejects.toThrow(/and HF_HUB_OFFLINE asks no network/);
    expect(hub.asked).toEqual([]);
    vi.stubEnv('HF_HUB_OFFLINE', '');
    await run('tiny/llama');
    hub.asked.length = 0;
    expect(await run('tiny/llama', '--offline')).toContain(`${COMMIT} is in ${folder()}`);
    expect(hub.asked).toEqual([]);
  });

  it('says at once that nobody is there', async () => {
    await hub.close();
    await expect(run('tiny/llama')).rejects.toThrow(`${hub.endpoint}: cannot be reached (ECONNREFUSED).`);
  });

  it('takes names of the hub alone', async () => {
    for (const text of ['llama', './tiny/llama', 'a/b/c', 'tiny/..', 'tiny/llama@../../x', '']) {
      await expect(run(text)).rejects.toThrow(/no name of the hub; give owner\/name/);
    }
  });
});

it('the cache lies where the variables of Python’s libraries say', () => {
  expect(hubCache({ HF_HUB_CACHE: '/a', HF_HOME: '/b' })).toBe('/a');
  expect(hubCache({ HF_HOME: '/b' })).toBe('/b/hub');
  expect(hubCache({ XDG_CACHE_HOME: '/c' })).toBe('/c/huggingface/hub');
  expect(hubCache({})).toMatch(/\.cache\/huggingface\/hub$/);
  expect([{ HF_HUB_OFFLINE: '1' }, { TRANSFORMERS_OFFLINE: 'true' }, { HF_HUB_OFFLINE: '0' }].map(isOffline)).toEqual([
    true,
    true,
    false,
  ]);
});

it('a name of the hub has two parts, and perhaps a revision', () => {
  expect(readHubName('Qwen/Qwen3-0.6B')).toEqual({ owner: 'Qwen', name: 'Qwen3-0.6B', revision: 'main' });
  expect(readHubName('a/b@refs/pr/3')?.revision).toBe('refs/pr/3');
});
