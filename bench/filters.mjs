/**
 * What do top-k and top-p cost at the vocabulary of a pretrained model?
 *
 *   npm run bench -- filters [--repeats 15] [--threads 1] [--json FILE]
 *
 * One layer of SmolLM2's width with its 49,152 words, random weights whose logits spread as those of a language model do,
 * 64 completions of 8 tokens: almost all of the time goes to the head and to the drawing of a token. The settings take
 * turns; a row's time is that of a sampled token.
 */
import { wasmBackend } from '../build/index.js';
import { Policy } from '../build/model/policy.js';
import { generate } from '../build/model/sampling/generation.js';
import { describeMachine, machineLine, readFlags, readThreads, THREADS_FLAG, writeJson } from './command.mjs';
import { quantile } from './statistics.mjs';

const SHAPE = {
  vocabSize: 49_152,
  hiddenSize: 576,
  intermediateSize: 64,
  numLayers: 1,
  numHeads: 9,
  numKvHeads: 3,
  headDim: 64,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tieWordEmbeddings: true,
  attentionBias: false,
  qkNorm: false,
};
const COMPLETIONS = 64;
const TOKENS = 8;
/** Deviation of the logits. Were they normal, the words beyond 1.36 deviations, some 4,300, would hold 95 % of the mass. */
const LOGIT_DEVIATION = 3;
const SETTINGS = {
  off: {},
  'top_k 50': { topK: 50 },
  'top_p 0.95': { topP: 0.95 },
  'top_k 1000, top_p 0.95, min_p 0.01': { topK: 1000, topP: 0.95, minP: 0.01 },
};

const flags = readFlags({ further: THREADS_FLAG });
const threads = readThreads(flags);
const machine = describeMachine();
const policy = await Policy.open(await wasmBackend({ threads }), SHAPE, {
  rows: COMPLETIONS,
  lossRows: COMPLETIONS,
  groups: 1,
  completions: COMPLETIONS,
  kvRows: COMPLETIONS * TOKENS,
  context: 2 * TOKENS,
  training: false,
  keptRows: 0,
});
try {
  for (const parameter of policy.parameters) policy.writeParameter(parameter, randomValues(parameter));
  const times = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, []]));
  for (let turn = -1; turn < flags.repeats; turn++) {
    for (const [name, filters] of Object.entries(SETTINGS)) {
      const milliseconds = await timeOf(filters, turn);
      if (turn >= 0) times[name].push(milliseconds / (COMPLETIONS * TOKENS));
    }
  }
  report(Object.fromEntries(Object.entries(times).map(([name, list]) => [name, quantile(list, 0.5)])));
} finally {
  await policy.close();
}

/** Uniform, from a generator that is good enough for a clock. */
function randomValues({ slot, initial }) {
  const count = slot.shape.reduce((product, size) => product * size, 1);
  const width = (LOGIT_DEVIATION / Math.sqrt(SHAPE.hiddenSize)) * Math.sqrt(12);
  let state = 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return initial === 'one' ? 1 : (state / 2 ** 32 - 0.5) * width;
  });
}

async function timeOf(filters, turn) {
  const request = { prompt: Int32Array.of(1), rolloutNumbers: Array.from({ length: COMPLETIONS }, (_, i) => i) };
  const start = performance.now();
  await generate(policy, [request], {
    sampling: { temperature: 1, topK: 0, topP: 1, minP: null, ...filters },
    samplingKey: [turn, 0],
    maxCompletionTokens: TOKENS,
    stopIds: [],
    fixedCompletionTokens: TOKENS,
  });
  return performance.now() - start;
}

function report(results) {
  const { off } = results;
  const lines = Object.entries(results).map(
    ([name, milliseconds]) =>
      `  ${name.padEnd(36)}${milliseconds.toFixed(3).padStart(8)} ms a token   ${(milliseconds / off).toFixed(2)}×`,
  );
  process.stdout.write(
    `${[machineLine(machine), `${threads} threads, ${flags.repeats} repeats in turn`, '', ...lines].join('\n')}\n`,
  );
  if (flags.json !== undefined) writeJson(flags.json, 'filters', { machine, settings: { threads }, results });
}
