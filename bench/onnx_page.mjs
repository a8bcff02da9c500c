/**
 * Does transformers.js, in Node and in a browser, say what this package says, with the model that `export --to onnx` wrote?
 *
 *   npm run bench -- onnx-page --onnx FOLDER --model PATH --transformers FOLDER [--tokens 24] [--threads 1] [--json FILE]
 *
 * `--onnx` is the export and `--model` what was exported: a run, a folder, an adapter or a .gguf file. `--transformers` has
 * @huggingface/transformers in its node_modules (`npm install --ignore-scripts @huggingface/transformers` in a folder of its own:
 * what it brings is 450 MB, so this package does not depend on it). Chromium without a GPU opens a page of this machine, which
 * reaches nothing else; `pipeline('text-generation', …)` answers 20 prompts greedily there and in Node, and so does `rlvr-train
 * sample`. A run with a vocabulary of its own is asked prompts of its own.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startChromium } from './chromium.mjs';
import { fail, openBench } from './command.mjs';
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

const { flags, threads, show, write } = openBench('onnx-page', {
  threads: '1',
  onnx: { type: 'string' },
  model: { type: 'string' },
  transformers: { type: 'string' },
  tokens: { type: 'string', default: '24' },
});
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

const prompts = promptsOf(resolve(flags.model));

const PAGE = `<!doctype html><script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module">
  import { env, pipeline } from '/modules/@huggingface/transformers/dist/transformers.web.js';
  Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: '/models/', useBrowserCache: false });
  Object.assign(env.backends.onnx.wasm, { wasmPaths: '/modules/onnxruntime-web/dist/', numThreads: ${threads} });
  ${answers}
  const open = () => pipeline('text-generation', 'exported', { device: 'wasm' });
  globalThis.results = answers(open, ${JSON.stringify(prompts)}, ${tokens});
</script>`;

const own = ownTexts();
const asked = { node: await inNode(), browser: await inBrowser() };
const sameAs = ({ texts }) => own.filter((text, i) => texts[i] === text).length;
const rows = prompts.map((prompt, i) => [
  ...Object.values(asked).map(({ texts }) => (texts[i] === own[i] ? 'same' : 'DIFFERENT')),
  prompt,
  JSON.stringify(own[i]).slice(0, 60),
]);
show([...Object.keys(asked), 'prompt', 'text'], rows);
for (const said of Object.values(asked)) {
  process.stdout.write(
    `${said.by}, transformers.js ${version}: ${sameAs(said)} of ${prompts.length} texts are the same; opened in ${said.opening.toFixed(1)} s, answered in ${said.answering.toFixed(1)} s; asked elsewhere: ${said.elsewhere}\n`,
  );
}
const results = { of: prompts.length, own };
for (const [place, said] of Object.entries(asked)) results[place] = { same: sameAs(said), ...said };
write({ onnx: basename(onnx), model: basename(flags.model), tokens, transformers: version }, results);
if (Object.values(asked).some((said) => sameAs(said) < prompts.length)) fail('a text is another.');

/** The first of a run whose vocabulary is closed, which reads nothing else. */
function promptsOf(model) {
  const recorded = join(model, 'completions.jsonl');
  if (JSON.parse(readFileSync(join(onnx, 'tokenizer_config.json'), 'utf8')).chat_template || !existsSync(recorded))
    return PROMPTS;
  const lines = readFileSync(recorded, 'utf8').trim().split('\n');
  return [...new Set(lines.map((line) => JSON.parse(line).prompt))].slice(0, PROMPTS.length);
}

/** In the page, too. @returns greedy texts, and seconds */
async function answers(open, prompts, tokens) {
  const start = performance.now();
  const generate = await open();
  const opened = performance.now();
  const isChat = Boolean(generate.tokenizer.chat_template);
  const texts = [];
  for (const content of prompts) {
    const given = isChat ? [{ role: 'user', content }] : content;
    const settings = { max_new_tokens: tokens, do_sample: false, return_full_text: isChat };
    const [{ generated_text: text }] = await generate(given, settings);
    texts.push(isChat ? text.at(-1).content : text.trimStart());
  }
  return { texts, opening: (opened - start) / 1000, answering: (performance.now() - opened) / 1000 };
}

async function inNode() {
  const library = join(modules, '@huggingface/transformers/dist/transformers.node.mjs');
  const { env, pipeline } = await import(pathToFileURL(library).href);
  Object.assign(env, { allowRemoteModels: false, localModelPath: `${dirname(onnx)}/` });
  const options = { device: 'cpu', session_options: { intraOpNumThreads: threads } };
  const said = await answers(() => pipeline('text-generation', basename(onnx), options), prompts, tokens);
  return { ...said, elsewhere: 0, by: `Node ${process.versions.node}` };
}

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
    await page.waitForFunction(() => 'results' in globalThis, undefined, { timeout: 300_000 });
    const results = await page.evaluate(() => globalThis.results);
    return { ...results, elsewhere, by: `Chromium ${browser.version()}` };
  } finally {
    await browser.close();
    close();
  }
}

function ownTexts() {
  const asked = ['--json', '--max-tokens', String(tokens), '--threads', String(threads), ...prompts];
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
