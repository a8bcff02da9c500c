/**
 * How fast is a supervised step, against plain PyTorch on the same machine?
 *
 *   npm run bench -- sft [--repeats 15] [--quick] [--threads 2] [--compile] [--json FILE]
 *
 * 128 sequences of a prompt and an answer; loss on the answer; clipping, AdamW. The other side is the leanest step over
 * transformers' LlamaForCausalLM that PyTorch allows (peers/sft_step.py). Both get the same weights and the same
 * sequences, so that their losses must agree, and this is checked before a figure is printed.
 *
 * --compile: through torch.compile.
 *
 * Beside it, what a row of ours costs here and in the update of a GRPO step: they go through the same kernels.
 */
import { rowsOf, trainingFlop } from './arithmetic.mjs';
import { describeMachine, fail, machineLine, readFlags, readThreads, THREADS_FLAG, writeJson } from './command.mjs';
import { startSide } from './peers/side.mjs';
import { race, raceTable, ratioLines, summaryOf } from './race.mjs';
import { quantile } from './statistics.mjs';
import { LEARNING_RATE, openWorkload, RACE, stepper, VOCABULARY, workloadLine } from './workload.mjs';

/** Relative difference of the losses of one step, both in float32. */
const LOSS_TOLERANCE = 1e-4;

/** Each sequence its own prompt: nothing is shared. */
const WORKLOAD = { ...RACE, prompts: RACE.prompts * RACE.groupSize, groupSize: 1 };

const flags = readFlags({ further: { ...THREADS_FLAG, compile: { type: 'boolean', default: false } } });
const { repeats, quick, json } = flags;
const threads = readThreads(flags);
const warmup = quick ? 1 : 5;
const machine = describeMachine();
const run = await openWorkload(WORKLOAD, { stage: 'sft', threads });
const grpo = await openWorkload(RACE, { threads });
const peer = await startSide('sft_step.py', run, { threads, learningRate: LEARNING_RATE, compile: flags.compile });
try {
  const step = stepper(run);
  const ours = async () => {
    const { seconds, metrics } = await step();
    return { seconds, loss: metrics.loss };
  };
  const grpoStep = stepper(grpo);
  const grpoUpdates = [];
  const beside = async (turn) => {
    const { split } = await grpoStep();
    if (turn >= 0) grpoUpdates.push(split.update);
  };
  const theirs = peer && ((turn) => peer.ask(sequencesOf(turn + warmup)));
  const result = await race({ ours, theirs, beside, warmup, repeats });
  result.theirs?.turns.forEach(({ loss }, i) => {
    const mine = result.ours.turns[i].loss;
    if (Math.abs(mine - loss) > LOSS_TOLERANCE * loss) fail(`the losses of step ${i + 1} differ: ${mine} and ${loss}.`);
  });
  report(result, quantile(grpoUpdates, 0.5));
} finally {
  peer?.close();
  await run.engine.policy.close();
  await grpo.engine.policy.close();
}

/** The sequences that our trainer draws for its step `index`, as lists of ids. */
function sequencesOf(index) {
  const { config } = run;
  const { tasks } = run.engine;
  const items = Array.from({ length: WORKLOAD.prompts }, (_, i) => index * WORKLOAD.prompts + i);
  return {
    prompts: items.map((at) => Array.from(tasks.promptTokens(tasks.trainItem(config.seed, at)))),
    completions: items.map((at) =>
      Array.from(tasks.demonstrationTokens(tasks.trainItem(config.seed, at), config.seed, at)),
    ),
  };
}

function report(result, grpoUpdateSeconds) {
  const names = {
    ours: `rlvr-train ${machine.package}, wasm`,
    theirs:
      peer &&
      `transformers ${peer.versions.transformers}, PyTorch ${peer.versions.torch}${flags.compile ? ', compiled' : ''}`,
  };
  const tokens = WORKLOAD.prompts * (WORKLOAD.promptTokens + WORKLOAD.completionTokens);
  const flop = trainingFlop(WORKLOAD, VOCABULARY);
  const gflops = flop / result.ours.seconds.median / 1e9;
  const microsecondsARow = {
    sft: (1e6 * result.ours.seconds.median) / rowsOf(WORKLOAD).tokens,
    grpoUpdate: (1e6 * grpoUpdateSeconds) / rowsOf(RACE).tokens,
  };
  process.stdout.write(
    `${[
      machineLine(machine),
      `a supervised step: ${workloadLine(WORKLOAD, run)}`,
      `AdamW, clipping at 1; ${threads} threads a side, ${repeats} repeats in turn`,
      '',
      raceTable(result, names, { count: tokens, unit: 'tokens/s, prompts included' }),
      '',
      ...ratioLines(result, names),
      `ours: ${(flop / 1e9).toFixed(1)} GFLOP a step at ${gflops.toFixed(1)} GFLOP/s`,
      `a row of ours: ${microsecondsARow.sft.toFixed(1)} µs; in the update of a GRPO step, ${microsecondsARow.grpoUpdate.toFixed(1)} µs`,
    ].join('\n')}\n`,
  );
  if (json === undefined) return;
  writeJson(json, 'sft', {
    machine,
    peer: peer?.versions,
    settings: { ...WORKLOAD, vocabulary: VOCABULARY, threads, learningRate: LEARNING_RATE, compile: flags.compile },
    tokensPerTurn: tokens,
    arithmetic: { flop, gflops },
    microsecondsARow,
    ...summaryOf(result),
  });
}
