/**
 * Does transformers.js in a browser say what this package says, with the model that `export --to onnx` wrote?
 *
 *   npm run bench -- onnx-page --onnx FOLDER --model PATH --transformers FOLDER [--tokens 24] [--threads 1] [--json FILE]
 *
 * `--onnx` is the export and `--model` what was exported: a folder, an adapter or a .gguf file. `--transformers` has
 * @huggingface/transformers in its node_modules (`npm install --ignore-scripts @huggingface/transformers` in a folder of its own:
 * what it brings is 450 MB, so this package does not depend on it). Chromium without a GPU opens a page of this machine, which
 * reaches nothing else; `pipeline('text-generation', …)` answers 20 prompts greedily there, and so does `rlvr-train sample`.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChromium } from './chromium.mjs';
import {
  describeMachine,
  fail,
  machineLine,
  readFlags,
  readThreads,
  THREADS_FLAG,
  table,
  writeJson,
} from './command.mjs';
import { ISOLATED, serveLocally, typeOf } from './local_site.mjs';

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const PROMPTS = [
  'What is the capital of Japan?',
  'Write a haiku about rain.',
  'What is 17 + 25?',
  'Name three colours.',
  'Who wrote Hamlet?',
  'Say hello in French.',
  'What do bees make?',
  'How many legs has a spider?',
  'Explain gravity in one sentence.',
  'List two prime numbers.',
  'Translate "cat" to Spanish.',
  'What is H2O?',
  'Spell the word "house" backwards.',
  'Is the sun a star?',
  'Give me a synonym of happy.',
  'What comes after Tuesday?',
  'Sort these numbers in ascending order: 4, 7, 8.',
  'Sort these numbers in ascending order: 9, 2, 5.',
  'Which planet is the largest?',
  'Complete: roses are red,',
];

const flags = readFlags({
  further: {
    threads: { ...THREADS_FLAG.threads, default: '1' },
    onnx: { type: 'string' },
    model: { type: 'string' },
    transformers: { type: 'string' },
    tokens: { type: 'string', default: '24' },
  },
});
const threads = readThreads(flags);
const tokens = Number(flags.tokens);
const folderOf = (flag, needed) => {
  const path = resolve(flags[flag] ?? fail(`--${flag} is missing.`));
  if (!existsSync(join(path, needed))) fail(`--${flag}: ${path} — ${needed} is not there.`);
  return path;
};
const onnx = folderOf('onnx', 'onnx');
const modules = join(folderOf('transformers', 'node_modules/@huggingface/transformers'), 'node_modules');
if (flags.model === undefined) fail('--model is missing.');
const { version } = JSON.parse(readFileSync(join(modules, '@huggingface/transformers/package.json'), 'utf8'));

const IMPORTS = {
  'onnxruntime-web/webgpu': '/modules/onnxruntime-web/dist/ort.webgpu.bundle.min.mjs',
  'onnxruntime-common': '/modules/onnxruntime-common/dist/esm/index.js',
};

const PAGE = `<!doctype html><script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module">
  import { env, pipeline } from '/modules/@huggingface/transformers/dist/transformers.web.js';
  Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: '/models/', useBrowserCache: false });
  Object.assign(env.backends.onnx.wasm, { wasmPaths: '/modules/onnxruntime-web/dist/', numThreads: ${threads} });
  globalThis.results = (async () => {
    const start = performance.now();
    const generate = await pipeline('text-generation', 'exported', { device: 'wasm' });
    const opened = performance.now();
    const texts = [];
    for (const content of ${JSON.stringify(PROMPTS)}) {
      const [answer] = await generate([{ role: 'user', content }], { max_new_tokens: ${tokens}, do_sample: false });
      texts.push(answer.generated_text.at(-1).content);
    }
    return { texts, opening: (opened - start) / 1000, answering: (performance.now() - opened) / 1000 };
  })();
</script>`;

const machine = describeMachine();
const said = await inBrowser();
const own = ownTexts();
const same = said.texts.filter((text, i) => text === own[i]).length;
const rows = PROMPTS.map((prompt, i) => [
  said.texts[i] === own[i] ? 'same' : 'DIFFERENT',
  prompt,
  JSON.stringify(said.texts[i]).slice(0, 60),
]);
process.stdout.write(
  `${machineLine(machine)}\n${table(['', 'prompt', 'text'], rows)}\n${same} of ${PROMPTS.length} texts are the same; transformers.js ${version} in ${said.browser}; opened in ${said.opening.toFixed(1)} s, answered in ${said.answering.toFixed(1)} s; asked elsewhere: ${said.elsewhere}\n`,
);
if (flags.json !== undefined) {
  const results = { same, of: PROMPTS.length, ...said, own };
  writeJson(flags.json, 'onnx-page', { machine, settings: { tokens, threads, transformers: version }, results });
}
if (same < PROMPTS.length) fail('a text is another.');

async function inBrowser() {
  const { url: origin, close } = await serveLocally((path, _, response) => answer(path, response));
  const browser = await startChromium({ webgpu: false });
  try {
    const page = await browser.newPage();
    let elsewhere = 0;
    page.on('pageerror', (error) => fail(`the page threw: ${error}`));
    await page.route(
      (url) => url.protocol.startsWith('http') && !url.href.startsWith(origin),
      (route) => {
        elsewhere++;
        return route.abort();
      },
    );
    await page.goto(origin);
    await page.waitForFunction(() => 'results' in globalThis, undefined, { timeout: 60_000 });
    const results = await page.evaluate(() => globalThis.results);
    return { ...results, elsewhere, browser: `Chromium ${browser.version()}` };
  } finally {
    await browser.close();
    close();
  }
}

function ownTexts() {
  const asked = ['--json', '--max-tokens', String(tokens), '--threads', String(threads), ...PROMPTS];
  const lines = execFileSync(process.execPath, [COMMAND, 'sample', '--model', resolve(flags.model), ...asked], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).completion);
}

function answer(path, response) {
  if (path === '/') return response.writeHead(200, { 'Content-Type': 'text/html', ...ISOLATED }).end(PAGE);
  const [, root, rest = ''] = /^\/(modules|models\/exported)\/(.+)$/.exec(path) ?? [];
  const folder = root === 'modules' ? modules : onnx;
  const file = join(folder, rest);
  if (root === undefined || !file.startsWith(folder) || !existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': typeOf(file), 'Content-Length': statSync(file).size, ...ISOLATED });
  createReadStream(file).pipe(response);
}
