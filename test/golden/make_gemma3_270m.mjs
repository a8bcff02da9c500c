/**
 * gemma3_270m.json: what llama.cpp says of texts with the file that `rlvr-train fetch gemma3-270m` fetches: tokens, the
 * likeliest token at each place, and the log-prob of the text's own one.
 *
 *   npm install --ignore-scripts node-llama-cpp @node-llama-cpp/linux-x64     # in a folder of its own, 700 MB
 *   rlvr-train export models/gemma-3-270m-q4_k_m.gguf --output f32.gguf --dtype f32
 *   node test/golden/make_gemma3_270m.mjs FOLDER f32.gguf
 *
 * The same values in float32, since beside blocks llama.cpp rounds activations to 8 bits: with the file itself it finds the
 * same token likeliest at 97.5 % of the 243 places, and log-probs that differ by 0.057 on average and 0.57 at most.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, file] = process.argv.slice(2);
const library = join(resolve(folder), 'node_modules/node-llama-cpp');
const { getLlama, LlamaLogLevel } = await import(pathToFileURL(join(library, 'dist/index.js')).href);
const { version } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));

const TEXTS = [
  'The capital of Japan is Tokyo. The capital of France is Paris. The capital of Italy is Rome, and that of Spain is Madrid.',
  'Once upon a time there was a small fox who lived at the edge of a great forest. Every morning she went down to the river.',
  'def fibonacci(n):\n    if n < 2:\n        return n\n    return fibonacci(n - 1) + fibonacci(n - 2)\n\nprint(fibonacci(10))  # 55',
  'Die Straßen von Zürich sind im Winter oft glatt; naïve Besucher gehen 12 + 30 = 42 Schritte, dann rutschen sie aus. 東京 😀',
  'Water boils at 100 degrees Celsius at sea level. At higher altitudes it boils at lower temperatures because the pressure is lower.',
  'Question: If a train travels 60 miles in 1 hour, how far does it travel in 3 hours?\nAnswer: It travels 180 miles in 3 hours.',
  'In 1969 the first human being walked on the moon. He said that it was one small step for a man, one giant leap for mankind.',
];

const llama = await getLlama({ build: 'never', gpu: false, logLevel: LlamaLogLevel.error, maxThreads: 2 });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: 256, threads: 2 });
const sequence = context.getSequence();
const texts = [];
for (const text of TEXTS) {
  const ids = [model.tokens.bos, ...model.tokenize(text)];
  await sequence.clearHistory();
  const options = { temperature: 1, topK: 0, topP: 1, minP: 0 };
  const asked = ids.slice(0, -1).map((id) => [id, { generateNext: { logits: true, options } }]);
  const found = await sequence.controlledEvaluate(asked);
  const [likeliest, logprobs] = [[], []];
  found.forEach(({ next: { logits } }, i) => {
    const [[first, most]] = logits;
    let sum = 0;
    for (const logit of logits.values()) sum += Math.exp(logit - most);
    likeliest.push(first);
    logprobs.push(Number((logits.get(ids[i + 1]) - most - Math.log(sum)).toFixed(5)));
  });
  texts.push({ text, ids, likeliest, logprobs });
}
const golden = { about: 'see make_gemma3_270m.mjs', versions: { 'node-llama-cpp': version }, texts };
writeFileSync(
  new URL('gemma3_270m.json', import.meta.url),
  `${JSON.stringify(golden).replaceAll('{"text"', '\n{"text"')}\n`,
);
process.exit(0);
