/**
 * Does llama.cpp read an exported GGUF file as this package reads the model that it was made of?
 *
 *   npm run bench -- llama --llama FOLDER --model PATH --gguf FILE [--lora FILE] [--gguf FILE …] [--threads 1] [--json FILE]
 *
 * `--model` is what was exported: a run, a folder, an adapter or a .gguf file. `--llama` has node-llama-cpp and
 * @node-llama-cpp/linux-x64 in its node_modules (`npm install --ignore-scripts node-llama-cpp @node-llama-cpp/linux-x64` in a
 * folder of its own: what it brings is 700 MB, so this package does not depend on it); nothing is built or downloaded. `--lora`
 * is an adapter beside each file. Both say of the same 16 texts, token by token, what they find likeliest and how likely the
 * text's own token is. The texts are questions with answers, as the model's template writes them, or those of the run.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { scoreDifference } from '../build/packages/models/run/model/rescore.js';
import { fail, openBench } from './command.mjs';
import { scoredTexts } from './scored_texts.mjs';

/** No token is left out. */
const UNCHANGED = { temperature: 1, topK: 0, topP: 1, minP: 0 };

const { flags, threads, show, write } = openBench('llama', {
  threads: '1',
  llama: { type: 'string' },
  model: { type: 'string' },
  gguf: { type: 'string', multiple: true },
  lora: { type: 'string' },
});
const there = (flag, path) => {
  const found = resolve(path ?? fail(`--${flag} is missing.`));
  if (!existsSync(found)) fail(`--${flag}: ${found} — is not there.`);
  return found;
};
const library = join(there('llama', flags.llama), 'node_modules/node-llama-cpp/dist/index.js');
const files = (flags.gguf ?? fail('--gguf is missing.')).map((file) => there('gguf', file));
const lora = flags.lora === undefined ? undefined : there('lora', flags.lora);
const path = there('model', flags.model);

const { texts: asked, scores: own } = await scoredTexts(path, threads);

const { getLlama, LlamaLogLevel } = await import(pathToFileURL(there('llama', library)).href);
const llama = await getLlama({ build: 'never', gpu: false, logLevel: LlamaLogLevel.error, maxThreads: threads });
const results = [];
for (const file of files) results.push({ file: basename(file), bytes: statSync(file).size, ...(await compared(file)) });

const rows = results.map(({ file, bytes, sameTokens, tokens, sameLikeliest, mean, largest }) => [
  file,
  `${(bytes / 1e6).toFixed(0)} MB`,
  `${sameTokens} of ${asked.length}`,
  `${(100 * sameLikeliest).toFixed(1)} % of ${tokens}`,
  mean.toFixed(6),
  largest.toFixed(4),
]);
show(['file', 'size', 'same token ids', 'same likeliest', 'mean |Δ log-prob|', 'largest'], rows);
write({ model: basename(path), lora: lora && basename(lora) }, results);
process.exit(0); // llama.cpp's threads may still be waiting

async function compared(file) {
  const model = await llama.loadModel({ modelPath: file });
  const longest = Math.max(...asked.map(({ prefix, tokens }) => prefix.length + tokens.length));
  const context = await model.createContext({
    contextSize: Math.max(256, longest + 1),
    threads,
    ...(lora && { lora: { adapters: [{ filePath: lora }] } }),
  });
  const sequence = context.getSequence();
  const [logprobs, likeliest] = [[], []];
  let sameTokens = 0;
  for (const { prefix, tokens, text } of asked) {
    const ids = [...prefix, ...tokens];
    const read = model.tokenize(text, true, 'trimLeadingSpace');
    if (String(read) === String(ids) || String(read.slice(1)) === String(ids)) sameTokens++;
    await sequence.clearHistory();
    // The last token of what precedes asks for the first, and so on; the last of all asks nothing.
    const input = ids.slice(0, -1).map((id, i) => {
      const asks = i >= prefix.length - 1;
      return asks ? [id, { generateNext: { logits: true, options: UNCHANGED } }] : id;
    });
    const found = (await sequence.controlledEvaluate(input)).filter((each) => each?.next.logits !== undefined);
    if (found.length !== tokens.length) fail(`${file}: ${found.length} answers to ${tokens.length} tokens.`);
    found.forEach(({ next: { logits } }, i) => {
      const [[first, most]] = logits;
      let sum = 0;
      for (const logit of logits.values()) sum += Math.exp(logit - most);
      logprobs.push(logits.get(tokens[i]) - most - Math.log(sum));
      likeliest.push(first);
    });
  }
  await context.dispose();
  await model.dispose();
  const theirs = { logprobs: Float32Array.from(logprobs), likeliest: Int32Array.from(likeliest) };
  return { sameTokens, ...scoreDifference(own, theirs, asked.length) };
}
