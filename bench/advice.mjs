/**
 * Does `rlvr-train advise` name what a run suffers from, and is the run better once its words are followed?
 *
 *   npm run bench -- advice [--only all-wrong,truncated] [--jobs 1] [--json FILE]
 *
 * Trains each case of bench/advice/cases.yaml twice, on a thread each: with its fault, and with the remedy on top. Shown are the
 * diagnoses of both runs, and the share of sampled answers that are right at the end. A case is repaired where its
 * diagnosis is gone and that share is higher.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { describeMachine, fail, readFlags, recordText, table } from './command.mjs';

const COMMAND = new URL('../dist/cli/main.js', import.meta.url).pathname;
const CASES = new URL('./advice/cases.yaml', import.meta.url);
/** Least gain in the share of right samples that is called a repair. */
const LEAST_GAIN = 0.02;

const call = promisify(execFile);
const flags = readFlags({
  further: { only: { type: 'string' }, jobs: { type: 'string', default: '1' }, json: { type: 'string' } },
});
const { configs, cases } = parse(readFileSync(CASES, 'utf8'));
const names = cases.map(({ says }) => says);
const only = flags.only?.split(',') ?? names;
const strange = only.find((name) => !names.includes(name));
if (strange !== undefined) fail(`--only ${strange} — no case; there are ${names.join(', ')}.`);

const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-advice-'));
const results = [];
try {
  const left = cases.filter(({ says }) => only.includes(says));
  const work = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const failed = await train(`${one.says}-failed`, one, one.fault);
      const repaired = await train(`${one.says}-repaired`, one, { ...one.fault, ...one.remedy });
      results.push({ ...one, failed, repaired, ...judged(one.says, failed, repaired) });
      process.stdout.write(`${rowOf(results.at(-1)).join('  ')}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(flags.jobs) }, work));
} finally {
  rmSync(folder, { recursive: true });
}
results.sort((a, b) => names.indexOf(a.says) - names.indexOf(b.says));
process.stdout.write(`\n${table(['made to fail by', 'named', 'right', 'after', 'repaired'], results.map(rowOf))}\n`);
const named = results.filter(({ isNamed }) => isNamed).length;
const repaired = results.filter(({ isRepaired }) => isRepaired).length;
process.stdout.write(`${named} of ${results.length} named, ${repaired} repaired\n`);
if (flags.json !== undefined) {
  const { commit } = describeMachine();
  writeFileSync(flags.json, `${recordText({ commit, cases: results })}\n`);
}

/** @returns what `advise` says, and the share of sampled answers that are right; null where the run ended before */
async function train(name, { config, stage = 'grpo' }, set) {
  const output = join(folder, name);
  const file = `${output}.yaml`;
  const { stages, ...rest } = configs[config];
  const changed = stages.map((one) => (one.stage === stage ? { ...one, ...set } : one));
  writeFileSync(file, stringify({ ...rest, seed: 0, stages: changed }));
  // A run that has nothing to learn from ends with a code of its own.
  await call(process.execPath, [COMMAND, '--config', file, '--output', output, '--threads', '1', '--quiet']).catch(
    (error) => {
      if (!existsSync(join(output, 'metrics.jsonl'))) throw error;
    },
  );
  const { stdout } = await call(process.execPath, [COMMAND, 'advise', '--run', output, '--json']);
  const { advice } = JSON.parse(stdout);
  const summary = join(output, 'summary.json');
  const final = existsSync(summary) ? JSON.parse(readFileSync(summary, 'utf8')).final : undefined;
  return {
    codes: advice.map(({ code }) => code),
    message: advice.find(({ code }) => code === name.replace(/-(failed|repaired)$/, ''))?.message ?? null,
    right: final?.['eval_mean@8'] ?? null,
  };
}

function judged(code, failed, repaired) {
  const isNamed = failed.codes.includes(code);
  const gain = (repaired.right ?? 0) - (failed.right ?? 0);
  return { isNamed, isRepaired: isNamed && !repaired.codes.includes(code) && gain >= LEAST_GAIN };
}

function rowOf({ says, failed, repaired, isNamed, isRepaired }) {
  const percent = ({ right }) => (right === null ? 'ended early' : `${(100 * right).toFixed(1)} %`);
  const yes = (is) => (is ? 'yes' : 'no');
  return [
    says,
    isNamed ? 'yes' : `no: ${failed.codes.join(', ')}`,
    percent(failed),
    percent(repaired),
    yes(isRepaired),
  ];
}
