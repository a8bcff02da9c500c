/**
 * How fast is a whole GRPO step, against TRL's on the same machine?
 *
 *   npm run bench -- step [--repeats 15] [--quick] [--threads 2] [--micro-batch 64] [--backend wasm] [--json FILE]
 *
 * Both sides start from the same weights and take optimizer steps through their own trainers: sample, reward, score,
 * go back, clip, AdamW. Nothing is logged, saved or evaluated. EOS never ends a completion: ours has a fixed length,
 * TRL suppresses EOS by min_new_tokens. --micro-batch is TRL's per_device_train_batch_size; ours is what fits.
 * --backend tfjs:wasm or tfjs:tensorflow is our side on TensorFlow.js, whose threads are its own affair.
 * Before a figure is printed, both must have begun with the same entropy and trained on live groups of full length.
 */
import { openTfjs, TFJS_BACKENDS } from '../build/packages/rlvr-train/node.js';
import { stepFlop } from './arithmetic.mjs';
import { describeMachine, fail, machineLine, readFlags, readThreads, THREADS_FLAG, writeJson } from './command.mjs';
import { startSide } from './peers/side.mjs';
import { race, raceTable, ratioLines, summaryOf } from './race.mjs';
import { measurePeak } from './roofline.mjs';
import { LEARNING_RATE, openWorkload, RACE, REWARDED_BELOW, stepper, VOCABULARY, workloadLine } from './workload.mjs';

/** Prompts of the peer's data set; it starts again where they end. */
const PEER_PROMPTS = 1024;
/** Nats. Means over 4,096 tokens, sampled apart, differ by less. */
const ENTROPY_TOLERANCE = 0.02;

const flags = readFlags({
  further: {
    ...THREADS_FLAG,
    'micro-batch': { type: 'string', default: '64' },
    backend: { type: 'string', default: 'wasm' },
  },
});
const { repeats, quick, json, backend } = flags;
const threads = readThreads(flags);
const completions = RACE.prompts * RACE.groupSize;
const microBatch = Number(flags['micro-batch']);
if (!Number.isInteger(completions / microBatch))
  fail(`--micro-batch: ${flags['micro-batch']} — not a divisor of ${completions} completions; use 16, 32, 64 or 128.`);

const isWasm = backend === 'wasm';
if (!isWasm && !TFJS_BACKENDS.includes(backend.slice('tfjs:'.length)))
  fail(`--backend: ${backend} — use wasm, or tfjs: and one of ${TFJS_BACKENDS.join(', ')}.`);

const machine = describeMachine();
const run = await openWorkload(RACE, {
  threads,
  ...(isWasm ? {} : { backend: openTfjs(backend.slice('tfjs:'.length)) }),
});
const peer = await startSide('grpo_step.py', run, {
  device: 'cpu',
  threads,
  prompts: Array.from({ length: PEER_PROMPTS }, (_, i) => run.engine.tasks.trainItem(1, i).prompt),
  completions,
  groupSize: RACE.groupSize,
  promptTokens: RACE.promptTokens,
  completionTokens: RACE.completionTokens,
  learningRate: LEARNING_RATE,
  rewardedBelow: REWARDED_BELOW,
  microBatch,
});
try {
  const result = await race({
    ours: stepper(run),
    theirs: peer && (() => peer.ask({})),
    warmup: quick ? 1 : 5,
    repeats,
  });
  check(result);
  report(result, isWasm ? await measurePeak({ threads, features: run.engine.policy.engine.features }) : undefined);
} finally {
  peer?.close();
  await run.engine.policy.close();
}

/** The same policy at the start, the same amount of learning afterwards. */
function check({ ours, theirs }) {
  const sides = [ours, theirs].filter((side) => side !== undefined);
  const [mine, other = mine] = sides.map(({ turns }) => turns[0].metrics.entropy);
  if (Math.abs(mine - other) > ENTROPY_TOLERANCE)
    fail(`the first entropies are ${mine} and ${other} nats: the two sides do not train the same policy.`);
  for (const { metrics } of sides.flatMap(({ turns }) => turns)) {
    if (metrics.frac_reward_zero_std !== 0 || metrics['completions/mean_length'] !== RACE.completionTokens)
      fail(`a step without full work: ${JSON.stringify(metrics)}`);
  }
  const tokens = completions * (RACE.promptTokens + RACE.completionTokens);
  theirs?.turns.forEach(({ metrics }, i) => {
    if (metrics.num_tokens !== tokens * (i + 1)) fail(`TRL saw ${metrics.num_tokens} tokens by step ${i + 1}.`);
  });
}

function report({ ours, theirs, ratio }, peak) {
  const names = {
    ours: `rlvr-train ${machine.package}, ${backend}`,
    theirs: peer && `TRL ${peer.versions.trl}, PyTorch ${peer.versions.torch}`,
  };
  const flop = stepFlop(RACE, VOCABULARY);
  // Only wasm keeps the rollout's activations.
  const computed = isWasm ? flop.computed : flop.asWritten;
  const reached = computed / ours.seconds.median / 1e9;
  const share = peak && reached / peak.microKernel;
  const work = { count: completions * RACE.completionTokens, unit: 'completion tokens/s' };
  process.stdout.write(
    `${[
      machineLine(machine),
      `a GRPO step: ${workloadLine(RACE, run)}`,
      `µ 1, beta 0, AdamW, clipping at 1; reward: share of ids below ${REWARDED_BELOW}; no EOS; ${threads} threads a side, ${repeats} repeats in turn`,
      '',
      raceTable({ ours, theirs }, names, work),
      '',
      ...ratioLines({ ours, theirs, ratio }, names),
      `ours: ${(computed / 1e9).toFixed(1)} GFLOP of ${(flop.asWritten / 1e9).toFixed(1)} computed${isWasm ? ' (the rollout is the forward pass)' : ''}, at ${reached.toFixed(1)} GFLOP/s${peak ? `: ${(100 * share).toFixed(0)} % of the ${peak.microKernel.toFixed(0)} that the micro-kernel reaches on ${threads} threads` : ''}`,
    ].join('\n')}\n`,
  );
  if (json === undefined) return;
  const settings = { ...RACE, backend, vocabulary: VOCABULARY, threads, learningRate: LEARNING_RATE, microBatch };
  writeJson(json, 'step', {
    machine,
    peer: peer?.versions,
    settings,
    arithmetic: { flop, computed, gflops: reached, ...(peak && { peak, shareOfMicroKernel: share }) },
    ...summaryOf({ ours, theirs, ratio }),
  });
}
