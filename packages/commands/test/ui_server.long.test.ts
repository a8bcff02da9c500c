/** The server over real directories, by real requests on loopback. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { folderOfFile } from '../../../test/support/folders.ts';
import { CurveReader, type CurveState } from '../../report/series.ts';
import { completion, evaluation, ONE_STAGE, step } from '../../report/test/run_directory.ts';
import { RunControls } from '../process/controls.ts';
import { RequestListener } from '../process/run_requests.ts';
import { startUi, type UiServer } from '../ui/server.ts';

const root = folderOfFile();
const folder = join(root, 'runs');
let server: UiServer;

const jsonl = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

function makeRun(name: string, steps = 2): string {
  const directory = join(folder, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.yaml'), ONE_STAGE);
  const lines = Array.from({ length: steps }, (_, i) => step('grpo', i + 1, { reward: i / steps }));
  writeFileSync(join(directory, 'metrics.jsonl'), jsonl(lines));
  writeFileSync(join(directory, 'completions.jsonl'), jsonl([completion(1, 0, { prompt: '3 1 2' })]));
  return directory;
}

beforeAll(async () => {
  makeRun('one');
  makeRun('series/two');
  cpSync(makeRun('outside'), join(root, 'secret'), { recursive: true });
  rmSync(join(folder, 'outside'), { recursive: true });
  server = await startUi({ folder });
});
afterAll(() => server.close());

const get = (path: string, init?: RequestInit): Promise<Response> => fetch(server.url + path, init);
const post = (path: string): Promise<Response> => get(path, { method: 'POST', headers: { 'x-rlvr-train': '1' } });

/** As a page whose name was made to mean this machine: the Host says that name. */
function asHost(host: string): Promise<number> {
  const { port, pathname } = new URL(server.url);
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path: pathname, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

it('refuses foreign hosts and origins, and serves its own', async () => {
  const { host } = new URL(server.url);
  expect(await asHost(host)).toBe(200);
  expect(await asHost('evil.example')).toBe(403);
  expect((await get('runs.json', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  expect((await fetch(`http://${host}/`)).status).toBe(403);
  expect((await get('request?run=one&ask=stop', { method: 'POST' })).status).toBe(403);
});

it('lists the runs of the folder, by names below it', async () => {
  const runs = (await (await get('runs.json')).json()) as { name: string }[];
  expect(runs.map(({ name }) => name).sort()).toEqual(['one', 'series/two']);
});

it('serves an empty list before there is any run, and even a folder for them', async () => {
  const early = await startUi({ folder: join(root, 'not there yet') });
  const answer = async (path: string) => (await fetch(early.url + path)).text();
  expect(await answer('runs.json')).toBe('[]');
  expect(await answer('')).toContain('<h1>');
  await early.close();
});

it('shows a run, its report and its completions, and nothing from outside of the folder', async () => {
  const page = await (await get('run?run=series%2Ftwo')).text();
  expect(page).toContain('<h1>series/two</h1>');
  expect(await (await get('report?run=one')).text()).toContain('complete in itself');
  expect(await (await get('completions.json?run=one')).text()).toContain('3 1 2');
  for (const name of ['../secret', '..%2Fsecret', 'one/../../secret', join(root, 'secret'), '', 'three']) {
    const { status } = await get(`run?run=${encodeURIComponent(name)}`);
    expect([name, status]).toEqual([name, 409]);
  }
  expect(await (await get('file?run=one&path=config.yaml')).text()).toBe(ONE_STAGE);
  for (const path of ['../../secret/config.yaml', '/etc/passwd', '.lock', '', '../one/config.yaml']) {
    const { status } = await get(`file?run=one&path=${encodeURIComponent(path)}`);
    expect([path, status]).toEqual([path, 409]);
  }
  const docs = await get('docs/ui.md');
  expect([docs.headers.get('content-type'), await docs.text()]).toEqual([
    'text/plain; charset=utf-8',
    expect.stringContaining('# Runs as pages'),
  ]);
  for (const path of [
    'train/../../package.json',
    'docs/../package.json',
    'docs/%2e%2e/package.json',
    'docs/',
    'train/%2e%2e/%2e%2e/package.json',
    'train/assets',
  ]) {
    expect((await get(path)).status, path).toBeGreaterThanOrEqual(403);
  }
  for (const path of ['../secret/config.yaml', 'one/config.yaml', 'config.yaml', '%2e%2e/%2e%2e/etc/passwd']) {
    const response = await get(path);
    expect(response.status, path).toBeGreaterThanOrEqual(403);
  }
});

/** The events of some runs, as text, until `isEnough`. */
async function events(path: string, isEnough: (text: string) => boolean): Promise<string> {
  const stop = new AbortController();
  const response = await get(path, { signal: stop.signal });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (isEnough(text)) break;
  }
  stop.abort();
  return text;
}

it('tells the lines of a log as it grows, whole ones alone, and of one that was cut to go on', async () => {
  const directory = makeRun('growing');
  const log = join(directory, 'metrics.jsonl');
  let stage = 0;
  const text = await events('events?run=one&run=growing', (so) => {
    if (stage === 0 && so.includes('event: state\ndata: 1')) {
      const [whole, half] = [jsonl([step('grpo', 3)]), jsonl([step('grpo', 4)]).slice(0, 20)];
      appendFileSync(log, whole + half);
      stage = 1;
    }
    if (stage === 1 && so.includes('"step":3')) {
      expect(so).not.toContain('"step":4');
      truncateSync(log, 0);
      appendFileSync(log, jsonl(Array.from({ length: 9 }, (_, i) => step('grpo', i + 1, { again: 1 }))));
      stage = 2;
    }
    return stage === 2 && so.includes('"step":9');
  });
  expect(text).toMatch(/event: lines\ndata: 0\ndata: \{"step":1/);
  expect(text).toMatch(/event: reset\ndata: 1\n\nevent: lines\ndata: 1\ndata: \{"step":1[^\n]*"again":1/);
  expect(text).toContain('"condition":"over"');
}, 20_000);

it('follows runs for as many pages as people have, and refuses more until one is closed', async () => {
  const stops: AbortController[] = [];
  const open = async (): Promise<number> => {
    const stop = new AbortController();
    stops.push(stop);
    return (await get('events?run=one', { signal: stop.signal })).status;
  };
  expect(new Set(await Promise.all(Array.from({ length: 64 }, open)))).toEqual(new Set([200]));
  const refused = await get('events?run=one');
  expect([refused.status, await refused.text()]).toEqual([503, '64 pages follow runs already; close some of them.\n']);
  stops[0].abort();
  await expect.poll(open).toBe(200);
  for (const stop of stops) stop.abort();
}, 20_000);

it('sends the curves of a long log in the place of its lines, and then the lines that come', async () => {
  const directory = makeRun('long', 12_000);
  const log = join(directory, 'metrics.jsonl');
  expect(statSync(log).size).toBeGreaterThan(1024 ** 2);
  const [newest = ''] = readFileSync(log, 'utf8').trim().split('\n').slice(-1);
  let isGrown = false;
  const text = await events('events?run=long', (so) => {
    if (!isGrown && so.includes('event: state')) {
      isGrown = true;
      appendFileSync(log, `${newest}\n`);
    }
    return so.includes('event: lines');
  });
  expect(text.match(/event: \w+/g)).toEqual(['event: curves', 'event: state', 'event: lines']);
  expect(text.endsWith(`event: lines\ndata: 0\ndata: ${newest}\n\n`)).toBe(true);
  const state = JSON.parse(/event: curves\ndata: 0\ndata: (.*)/.exec(text)?.[1] ?? '') as CurveState;
  const { stages } = CurveReader.from([{ stage: 'sft' }, { stage: 'grpo' }], state).curves();
  expect(stages.at(-1)?.taken).toBe(12_000);
  expect(text.length).toBeLessThan(statSync(log).size / 2);
}, 20_000);

it('asks a run that this process has, and says of another why it cannot', async () => {
  const directory = makeRun('held');
  const claim = await fileStore(directory).claim();
  const refused = await post('request?run=held&ask=pause');
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('takes no requests')]);
  const controls = new RunControls();
  const listener = new RequestListener(directory, controls);
  const asked = (word: string) => events('events?run=held', (so) => so.includes(`"asked":"${word}"`));
  await asked('nothing');
  expect((await post('request?run=held&ask=pause')).status).toBe(204);
  await asked('pause');
  expect((await post('request?run=held&ask=resume')).status).toBe(204);
  expect((await post('request?run=held&ask=evaluate')).status).toBe(204);
  await asked('evaluation');
  expect((await post('request?run=held&ask=explode')).status).toBe(400);
  expect((await post('request?run=held&ask=stop')).status).toBe(204);
  await asked('stop');
  expect(controls.signal.aborted).toBe(true);
  await listener.close();
  await claim.release();
  expect(await fileStore(directory).list('.control')).toEqual([]);
  expect((await post('request?run=held&ask=pause')).status).toBe(409);
}, 20_000);

it('keeps the name and the note that a run is given, and removes the run that is named', async () => {
  makeRun('named');
  const sent = (path: string, body: string, headers: Record<string, string> = { 'x-rlvr-train': '1' }) =>
    get(path, { method: 'POST', headers, body });
  const listed = async () => {
    const runs = (await (await get('runs.json')).json()) as { name: string; title: string; note: string }[];
    return runs.find(({ name }) => name === 'named');
  };
  const notes = JSON.stringify({ name: ' The <b>best</b>\nso far ', note: 'entropy_coef helped', more: 1 });
  expect((await sent('notes?run=named', notes)).status).toBe(204);
  expect(await listed()).toMatchObject({ title: 'The <b>best</b> so far', note: 'entropy_coef helped' });
  const page = await (await get('run?run=named')).text();
  expect(page).toContain('<h1>The &lt;b&gt;best&lt;/b&gt; so far</h1>');
  for (const body of ['', '[]', 'x'.repeat(70_000)]) expect((await sent('notes?run=named', body)).status).toBe(409);
  expect((await sent('notes?run=named', notes, {})).status).toBe(403);
  expect((await sent('notes?run=..%2Fsecret', notes)).status).toBe(409);
  expect((await sent('notes?run=named', '{}')).status).toBe(204);
  expect(await listed()).toMatchObject({ title: '', note: '' });

  expect((await get('delete?run=named')).status).toBe(404);
  expect((await get('delete?run=named', { method: 'POST' })).status).toBe(403);
  expect((await post('delete?run=..%2Fsecret')).status).toBe(409);
  writeFileSync(join(folder, 'named', 'thesis.tex'), '');
  const refused = await post('delete?run=named');
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('holds thesis.tex')]);
  rmSync(join(folder, 'named', 'thesis.tex'));
  expect((await post('delete?run=named')).status).toBe(204);
  expect(await listed()).toBeUndefined();
  expect((await post('delete?run=named')).status).toBe(409);
});

it('tells how long a run under way will still take', async () => {
  const directory = makeRun('timed');
  const stage = '{stage: grpo, max_steps: 60, eval_steps: 20, generation_batch_size: 64}';
  writeFileSync(join(directory, 'config.yaml'), `task: {name: sort_digits}\nstages:\n  - ${stage}\n`);
  const lines = Array.from({ length: 40 }, (_, i) => step('grpo', i + 1, { learning_rate: 1e-3, step_time: 0.5 }));
  writeFileSync(
    join(directory, 'metrics.jsonl'),
    jsonl([...lines, { ...evaluation('grpo', 40, 'periodic', 0.5), eval_runtime: 2 }]),
  );
  const left = async () => {
    const runs = (await (await get('runs.json')).json()) as { name: string; left: object | null }[];
    return runs.find(({ name }) => name === 'timed')?.left;
  };
  const claim = await fileStore(directory).claim();
  // Twenty steps of half a second, and one evaluation.
  expect(await left()).toEqual({ seconds: 12 });
  await claim.release();
  expect(await left()).toBeNull();
});

it('compares groups of finished runs problem by problem, and says why it cannot', async () => {
  const head = {
    version: 1,
    stageIndex: 0,
    stage: 'grpo',
    step: 2,
    tasks: [{ task: { name: 'sort_digits' }, weight: 1 }],
  };
  const asked = { problems: 'p', count: 2, samples: 1, sampling: { temperature: 1 }, seed: 0 };
  const problem = (key: string, score: number) => {
    const verdict = { score, status: score === 1 ? 'correct' : 'incorrect' };
    const greedy = { ...verdict, text: '12', length: 2 };
    return { key, weight: 1, prompt: `${key}<`, greedy, samples: [{ ...verdict, tokens: [1], logprob: -1 }] };
  };
  for (const [name, scores, rate] of [
    ['compared/a', [1, 0], 1],
    ['compared/b', [1, 1], 2],
    ['compared/c', [], 3],
  ] as const) {
    const directory = makeRun(name);
    writeFileSync(join(directory, 'config.yaml'), `${ONE_STAGE}    learning_rate: ${rate}e-4\n`);
    if (scores.length === 0) continue;
    mkdirSync(join(directory, 'evaluations'));
    const lines = [{ ...head, ...asked }, ...scores.map((score, i) => problem(String(i), score))];
    writeFileSync(join(directory, 'evaluations/final.jsonl'), jsonl(lines));
  }
  const page = await (await get('overlay?run=compared%2Fa&run=compared%2Fb&run=compared%2Fc')).text();
  expect(page).toContain('Problem by problem');
  expect(page).toContain('<h3>A compared/a <span class="note">beside</span> B compared/b</h3>');
  expect(page).toContain('<td data-head="A">50.0 %</td><td data-head="B">100.0 %</td><td data-head="B − A">+50.0</td>');
  expect(page).toContain('<code>1&lt;</code>');
  expect(page).toMatch(/B compared\/c<\/h3><p class="notice">Not compared: .*final\.jsonl: there is no such file/);
  rmSync(join(folder, 'compared'), { recursive: true });
});
