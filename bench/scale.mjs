/**
 * Does the cost of a GRPO step grow no faster than its work?
 *
 *   npm run bench -- scale [--repeats 15] [--quick] [--json FILE]
 *
 * The step of the race on one thread and on two, and with four times as many prompts, tokens per completion, parameters,
 * and completions per prompt, in turn. Work is the multiply-adds of the matrix products; `time / work` above 1 is a cost
 * that grows faster. --quick takes a small policy: it shows that the benchmark runs, and no figure.
 */
import { stepFlop } from './arithmetic.mjs';
import { describeMachine, machineLine, readFlags, spread, table, writeJson } from './command.mjs';
import { summarize } from './statistics.mjs';
import { openWorkload, parameterCount, RACE, stepper, VOCABULARY, workloadLine } from './workload.mjs';

const SMALL = {
  hiddenSize: 32,
  numLayers: 2,
  numHeads: 2,
  intermediateSize: 80,
  promptTokens: 9,
  completionTokens: 8,
  prompts: 4,
  groupSize: 4,
};

const { repeats, quick, json } = readFlags({ quickRepeats: 2 });
const base = quick ? SMALL : RACE;
const times4 = (...keys) => ({ ...base, ...Object.fromEntries(keys.map((key) => [key, 4 * base[key]])) });
const wider = {
  ...base,
  hiddenSize: 2 * base.hiddenSize,
  numHeads: 2 * base.numHeads,
  intermediateSize: 2 * base.intermediateSize,
};
const cases = [
  { name: '2 threads', threads: 2, workload: base },
  { name: '1 thread', threads: 1, workload: base },
  { name: 'prompts × 4', threads: 2, workload: times4('prompts') },
  { name: 'completion length × 4', threads: 2, workload: times4('completionTokens') },
  { name: 'parameters × 4', threads: 2, workload: wider },
  { name: 'group size × 4', threads: 2, workload: times4('groupSize') },
];

const machine = describeMachine();
const lanes = [];
try {
  for (const each of cases) {
    const run = await openWorkload(each.workload, { threads: each.threads });
    lanes.push({ ...each, run, step: stepper(run), seconds: [] });
  }
  for (const { step } of lanes) for (let i = 0; i < (quick ? 1 : 3); i++) await step(); // warm-up
  for (let repeat = 0; repeat < repeats; repeat++)
    for (const lane of lanes) lane.seconds.push((await lane.step()).seconds);
  report(lanes.map(resultOf));
} finally {
  for (const { run } of lanes) await run.engine.policy.close();
}

/** A case beside the first one. Threads share the work out: half of it each. */
function resultOf({ name, threads, workload, run, seconds }) {
  const flop = (of) => stepFlop(of, VOCABULARY).computed;
  const work = flop(workload) / flop(base) / (threads / cases[0].threads);
  const spreadOfTime = summarize(seconds);
  const time = spreadOfTime.median / summarize(lanes[0].seconds).median;
  const parameters = parameterCount(run);
  return { name, threads, workload, parameters, seconds: spreadOfTime, work, time, timeOverWork: time / work };
}

function report(results) {
  const rows = results.map(({ name, seconds, work, time, timeOverWork }) => [
    name,
    spread(seconds),
    work.toFixed(2),
    time.toFixed(2),
    timeOverWork.toFixed(2),
  ]);
  process.stdout.write(
    `${[
      machineLine(machine),
      `a GRPO step: ${workloadLine(base, lanes[0].run)}; ${repeats} repeats in turn`,
      '',
      table(['', 'seconds (quartiles)', 'work ratio', 'time ratio', 'time / work'], rows),
      '',
      'work ratio: multiply-adds a thread has to do, in units of the first line; 1 thread has twice as many as each of 2',
    ].join('\n')}\n`,
  );
  if (json !== undefined) writeJson(json, 'scale', { machine, settings: { repeats, quick }, results });
}
