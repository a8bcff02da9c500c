/**
 * What does it save to copy the rows of forks, where they begin alike, instead of computing them again?
 *
 *   npm run bench -- forks [--repeats 15] [--quick] [--threads 2]
 *
 * A policy of the race's shape samples eight more tokens of 64 completions that begin with the same 20, 60 or 200, once with
 * copies and once computing every row, in turn. The bits are the same, which is looked at. Written to bench/results/forks.json.
 */
import { fileURLToPath } from 'node:url';
import { openSampler } from '../build/model/sampling/sampler.js';
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
import { compare, takeTurns } from './turns.mjs';
import { openWorkload, RACE } from './workload.mjs';

const RESULTS = fileURLToPath(new URL('results/forks.json', import.meta.url));
const LENGTHS = [20, 60, 200];
const FORKS = 64;
const MORE = 8;

const flags = readFlags({ repeats: 15, further: THREADS_FLAG });
const threads = readThreads(flags);
const workload = { ...RACE, completionTokens: LENGTHS.at(-1) + MORE + 1 };
const run = await openWorkload(workload, { threads });
const found = {};
try {
  for (const length of LENGTHS) {
    const seen = {};
    const sides = Object.fromEntries(
      [true, false].map((sharesRows) => [sharesRows ? 'copied' : 'computed', () => forked(length, sharesRows, seen)]),
    );
    const taken = await takeTurns(sides, { warmup: 3, repeats: flags.repeats, limitSeconds: 60 });
    if (seen.true !== seen.false) fail(`forks of ${length} tokens: the two sampled other tokens.`);
    found[length] = compare(taken, ({ seconds }) => seconds, 'computed');
  }
} finally {
  await run.engine.policy.close();
}
report();

/** Seconds until 64 forks have sampled their further tokens; what they sampled goes to `seen`. */
async function forked(length, sharesRows, seen) {
  const { policy, tasks } = run.engine;
  const sampler = openSampler(policy, {
    sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
    samplingKey: [1, 0],
    sharesRows,
  });
  const prefix = tasks.promptTokens(tasks.trainItem(1, 0));
  const rolloutNumbers = Array.from({ length: FORKS }, (_, i) => i);
  const trunk = Int32Array.from({ length }, (_, i) => 3 + (i % 8));
  const rules = { stopIds: [], maxTokens: MORE, room: length + MORE };
  const sequences = sampler.add([{ prefix, rolloutNumbers, ...rules }]);
  for (const sequence of sequences) sampler.append(sequence, trunk);
  const start = performance.now();
  await sampler.run(sequences);
  const seconds = (performance.now() - start) / 1000;
  seen[sharesRows] = sequences.map(({ tokens }) => tokens.join()).join(';');
  sampler.release(sequences);
  return { seconds };
}

function report() {
  const machine = describeMachine();
  const milliseconds = ({ median, low, high }) =>
    `${(1000 * median).toFixed(1)} (${(1000 * low).toFixed(1)}–${(1000 * high).toFixed(1)})`;
  const rows = LENGTHS.map((length) => {
    const { copied, computed } = found[length];
    return [String(length), milliseconds(computed), milliseconds(copied), copied.ratio.ofMedians.toFixed(2)];
  });
  const heads = ['tokens in common', 'computed, ms', 'copied, ms', 'ratio'];
  process.stdout.write(`${machineLine(machine)}\n${FORKS} forks, ${MORE} more tokens of each, ${threads} threads\n`);
  process.stdout.write(`${table(heads, rows)}\n`);
  if (!flags.quick)
    writeJson(RESULTS, 'forks', { machine, settings: { forks: FORKS, more: MORE, threads }, results: found });
}
