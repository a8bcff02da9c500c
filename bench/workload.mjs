/**
 * The work of the race: a policy of 0.8 M parameters that answers prompts of 33 random letters with exactly 32 tokens.
 *
 * EOS never ends a completion (the task has a fixed length, as sort_digits has), so that every step is the same work.
 * The reward is the share of ids below 17: cheap on any side, different within every group, and far from its bounds
 * at the learning rate used here, so that no group dies however long the benchmark runs.
 */

import { bindTask, openRun, parseConfig, train, wasmBackend } from '../build/packages/rlvr-train/index.js';
import { characterTokenizer } from '../build/packages/zoo/data/index.js';

/** What a workload is made of; every benchmark of the race starts from these sizes. */
export const RACE = {
  hiddenSize: 128,
  numLayers: 4,
  numHeads: 4,
  intermediateSize: 320,
  promptTokens: 33,
  completionTokens: 32,
  prompts: 16,
  groupSize: 8,
};

export const LEARNING_RATE = 1e-6;
export const REWARDED_BELOW = 17;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcd';
/** Letters, <pad> and <eos>: 32. */
export const VOCABULARY = LETTERS.length + 2;

const randomText = (rng, length) => Array.from({ length }, () => LETTERS[rng.int(0, LETTERS.length - 1)]).join('');

/** Random prompts and, for supervised steps, random answers: the work depends on their lengths alone. */
export function raceTask({ promptTokens, completionTokens }) {
  const tokenizer = characterTokenizer({ name: 'race', tokens: [...LETTERS] });
  const definition = {
    name: 'race',
    version: 1,
    category: 'benchmark',
    tier: 1,
    family: 'race',
    levels: [{}],
    knobs: {},
    generate: (rng) => ({ text: randomText(rng, promptTokens) }),
    key: ({ text }) => text,
    prompt: ({ text }) => text,
    oracle: () => 'A'.repeat(completionTokens),
    demonstration: (_item, _knobs, rng) => randomText(rng, completionTokens),
    mutants: () => [],
    verify: () => ({ score: 0, status: 'incorrect', reason: 'nothing is asked' }),
    chance: () => 0,
    tokenizer: () => tokenizer,
    limits: () => ({ promptTokens, completionTokens }),
    fixedCompletionTokens: () => completionTokens,
  };
  return bindTask(definition, {}, { heldOutSample: 1 });
}

/** The reward of the races: the share of ids below a limit. */
export const lowIds = (rewardedBelow) => ({
  name: 'low_ids',
  score: ({ completionTokens }) =>
    completionTokens.map((ids) => ids.reduce((count, id) => count + (id < rewardedBelow), 0) / ids.length),
});

/** The optimizer of both stages and of the peers: AdamW, constant rate, clipping at 1. */
const optimizer = {
  max_steps: 1_000_000, // never reached: the benchmark stops asking
  learning_rate: LEARNING_RATE,
  lr_scheduler_type: 'constant',
  weight_decay: 0,
  max_grad_norm: 1,
  eval_strategy: 'no',
};

const stages = {
  grpo: ({ prompts, groupSize }) => ({
    num_generations: groupSize,
    generation_batch_size: prompts * groupSize,
    reward_funcs: ['low_ids'],
  }),
  sft: ({ prompts, groupSize }) => ({ per_device_train_batch_size: prompts * groupSize }),
};

/** A stage of a race, as a config has it. @param further  keys beside the workload's */
export const raceStage = (stage, workload, further = {}) => ({
  stage,
  ...optimizer,
  ...stages[stage](workload),
  ...further,
});

/**
 * Opens a run of one stage, `grpo` or `sft`, over a workload, with initial weights of seed 0.
 *
 * @param further  keys of the stage beside the workload's
 * @param methods  of the benchmark's own, by the name that `further` gives them
 */
export async function openWorkload(
  workload,
  { stage = 'grpo', threads, backend = wasmBackend({ threads }), further = {}, methods = {} },
) {
  const config = {
    task: 'race',
    seed: 0,
    model: {
      hidden_size: workload.hiddenSize,
      num_hidden_layers: workload.numLayers,
      num_attention_heads: workload.numHeads,
      intermediate_size: workload.intermediateSize,
      initializer_range: 0.05,
    },
    stages: [raceStage(stage, workload, further)],
  };
  // JSON is YAML.
  const loaded = parseConfig(JSON.stringify(config), { file: 'bench/workload.mjs' });
  return openRun(loaded.config, raceTask(workload), await backend, {
    rewards: { low_ids: lowIds(REWARDED_BELOW) },
    methods,
  });
}

/**
 * Optimizer steps of a run, one at a time, through the trainer's own loop. Between two calls the run is at rest.
 *
 * @returns a function that takes a step; it gives its seconds, its metrics, and the seconds of each activity
 */
export function stepper(run) {
  const stream = train(run);
  return async () => {
    const before = { ...run.journal.state.seconds };
    const start = performance.now();
    for (;;) {
      const { value: event } = await stream.next();
      if (event.type !== 'step') continue;
      const seconds = (performance.now() - start) / 1000;
      const split = Object.fromEntries(
        Object.entries(run.journal.state.seconds).map(([activity, total]) => [activity, total - before[activity]]),
      );
      return { seconds, split, metrics: event.metrics };
    }
  };
}

export function parameterCount(run) {
  return run.engine.policy.parameters.reduce(
    (sum, { slot }) => sum + slot.shape.reduce((all, size) => all * size, 1),
    0,
  );
}

/** One line that says what the work is. */
export function workloadLine(workload, run) {
  const { hiddenSize, numLayers, numHeads, intermediateSize, prompts, groupSize } = workload;
  const model = `d ${hiddenSize}, ${numLayers} layers, ${numHeads} heads, ffn ${intermediateSize}, vocabulary ${VOCABULARY}`;
  const size = `${(parameterCount(run) / 1e6).toFixed(2)} M parameters, float32`;
  const batch = `${prompts} prompts of ${workload.promptTokens} tokens × ${groupSize} completions of ${workload.completionTokens}`;
  return `${batch}; Llama ${model}: ${size}`;
}
