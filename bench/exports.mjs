/**
 * Do transformers and PEFT say of an export what this package says of the model that it was made of?
 *
 *   npm run bench -- exports --model PATH [--merged FOLDER …] [--adapter FOLDER … --base FOLDER] [--threads 1] [--json FILE]
 *
 * `--model` is what was exported: a run, a folder, an adapter or a .gguf file. `--merged` are folders of `export --to merged`,
 * `--adapter` those of `--to peft`, beside `--base`. Needs the peers' Python (`node bench/peers/setup.mjs`, or what
 * RLVR_PEER_PYTHON names) with transformers and peft. The texts are those of `npm run bench -- llama`; each side scores them
 * token by token, in float32.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, openBench } from './command.mjs';
import { findPython, HOW_TO_MAKE } from './peers/peer.mjs';
import { scoredTexts } from './scored_texts.mjs';

const SCRIPT = fileURLToPath(new URL('peers/score_export.py', import.meta.url));

const { flags, threads, show, write } = openBench('exports', {
  threads: '1',
  model: { type: 'string' },
  merged: { type: 'string', multiple: true, default: [] },
  adapter: { type: 'string', multiple: true, default: [] },
  base: { type: 'string' },
});
if (flags.model === undefined) fail('--model is missing.');
if (flags.adapter.length > 0 && flags.base === undefined) fail('--base is missing: the model of the adapter.');
const python = findPython() ?? fail(HOW_TO_MAKE);
const { texts, scores } = await scoredTexts(resolve(flags.model), threads);
const folder = mkdtempSync(join(tmpdir(), 'rlvr-exports-'));
const results = [];
try {
  const asked = join(folder, 'texts.json');
  const plain = texts.map(({ prefix, tokens, text }) => ({ prefix: [...prefix], tokens: [...tokens], text }));
  writeFileSync(asked, JSON.stringify({ texts: plain, logprobs: [...scores.logprobs], threads }));
  for (const path of flags.merged) results.push(ofExport(asked, path));
  for (const path of flags.adapter) results.push(ofExport(asked, path, resolve(flags.base)));
} finally {
  rmSync(folder, { recursive: true });
}
const rows = results.map(({ export: name, by, sameTokens, tokens, mean, largest }) => [
  name,
  by,
  sameTokens === null ? '' : `${sameTokens} of ${texts.length}`,
  mean.toExponential(1),
  `${largest.toExponential(1)} of ${tokens}`,
]);
show(['export', 'opened by', 'same token ids', 'mean |Δ log-prob|', 'largest'], rows);
write({ model: basename(flags.model) }, results);
process.exit(0); // compute threads may still be waiting

function ofExport(asked, path, base) {
  const said = execFileSync(python, [SCRIPT, asked, resolve(path), ...(base === undefined ? [] : [base])], {
    encoding: 'utf8',
    env: { ...process.env, HF_HUB_OFFLINE: '1' },
  });
  return { export: basename(path), ...JSON.parse(said.trim().split('\n').at(-1)) };
}
