/**
 * Rows of a benchmark that the workers of a fleet train: each run is given out whole, as `--seeds` gives out its runs, and its
 * directory comes back. Figures are read from there: they are those of a run of this process, to the last digit.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The flag of a benchmark whose rows may be given out. */
export const FLEET_FLAG = { fleet: { type: 'string' } };

/**
 * Gives out the runs that are not there whole.
 *
 * @param runs  each with its `name` for people, its `directory`, its `config` and the `hash` of that
 * @param giveOutRuns, fail  of the built package, and of the command line
 */
export async function giveOut(runs, fleet, { giveOutRuns, fail }) {
  const open = runs.filter(({ directory, hash }) => !isFinished(directory, hash));
  if (open.length === 0) return;
  const say = (line) => process.stdout.write(`${line}\n`);
  try {
    await giveOutRuns(open, { fleet }, say);
  } catch (error) {
    if (error.name !== 'FleetError') throw error;
    fail(error.message);
  }
}

/** Whether a directory holds the finished run of a config. */
export function isFinished(directory, hash) {
  return existsSync(join(directory, 'summary.json')) && readJson(directory, 'fingerprint.json').configHash === hash;
}

/**
 * What `trained` of a live run calls and gives, from the directory of a finished one.
 *
 * @param heldOut  problems that are held out
 * @param see  each step, evaluation and diagnosis of its log
 * @param figuresOf  of its `end`
 */
export async function replayed(directory, { heldOut, see, figuresOf }) {
  for (const line of readFileSync(join(directory, 'metrics.jsonl'), 'utf8').trimEnd().split('\n')) {
    const event = eventOf(JSON.parse(line));
    if (event !== undefined) see(event);
  }
  const { baseline, final, steps, weightsSha256: sha } = readJson(directory, 'summary.json');
  return figuresOf({
    end: {
      step: steps.reduce((sum, { steps: own }) => sum + own, 0),
      baseline: baseline && evaluationOf(baseline),
      final: final && evaluationOf(final),
      heldOut,
      sha,
    },
  });
}

function eventOf(line) {
  const { stage, step } = line;
  if ('loss' in line) return { type: 'step', stage, step, metrics: line };
  if ('batch' in line) return { type: 'batch', stage, step, metrics: line };
  if ('evaluation' in line) return { type: 'evaluation', stage, step, evaluation: evaluationOf(line) };
  if ('diagnosis' in line) return { type: 'diagnosis', diagnosis: { code: line.diagnosis } };
  return undefined;
}

/** An evaluation, from its numbers as logs name them. */
export function evaluationOf(metrics) {
  const sampled = Object.keys(metrics).find((name) => /^eval_mean@\d+$/.test(name));
  const estimate = (name) => ({ mean: metrics[name], low: metrics[`${name}_low`], high: metrics[`${name}_high`] });
  const tasks = Object.keys(metrics).flatMap((name) => /^eval_accuracy\/(.+?)(?<!_low|_high)$/.exec(name)?.[1] ?? []);
  const byTask = tasks.map((task) => [
    task,
    { accuracy: estimate(`eval_accuracy/${task}`), meanAtK: estimate(`${sampled}/${task}`) },
  ]);
  return {
    accuracy: estimate('eval_accuracy'),
    meanAtK: estimate(sampled),
    ...(byTask.length > 0 && { byTask: Object.fromEntries(byTask) }),
  };
}

function readJson(directory, name) {
  return JSON.parse(readFileSync(join(directory, name), 'utf8'));
}
