/**
 * The work of the LoRA race: an adapter beside a pretrained model that stays as it is, prompts of random letters, each a
 * token, and completions of a fixed number of tokens, whatever they are.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPretrained, openRun, parseConfig, taskSet, wasmBackend } from '../build/packages/rlvr-train/index.js';
import { findModel } from '../build/packages/rlvr-train/node.js';
import { delegating } from '../build/src/data/task_set.js';
import { packBatch } from '../build/src/model/batch.js';
import { fail } from './command.mjs';
import { lowIds, raceStage, raceTask } from './workload.mjs';

const MODELS = process.env.RLVR_MODELS ?? fileURLToPath(new URL('../models', import.meta.url));
/** As rlvr-train fetch smollm2 fetches it. */
export const SMOLLM2 = join(MODELS, 'SmolLM2-135M-Instruct.Q4_1.gguf');

/** The model that `--model` names, or SmolLM2; without it the benchmark ends. @returns an absolute path */
export function modelGiven(path) {
  const model = resolve(path);
  if (!existsSync(model)) fail(`--model: ${model} — no such file; fetch it: rlvr-train fetch smollm2.`);
  return model;
}

/** As PEFT names them. Every linear layer but the output layer has an adapter. */
export const ADAPTER = { r: 16, alpha: 32 };

/**
 * Opens a run with initial adapters of seed 0.
 *
 * @param path  a folder of Hugging Face's layout, or a .gguf file
 * @param rewardedBelow  the reward is the share of ids below it
 * @param keys  further keys of the config
 * @param stage  further keys of the stage
 */
export async function openLoraWorkload(
  path,
  workload,
  { threads, backend = wasmBackend({ threads }), rewardedBelow, keys = {}, stage = {} },
) {
  const config = {
    ...keys,
    model_name_or_path: path,
    use_peft: true,
    lora_r: ADAPTER.r,
    lora_alpha: ADAPTER.alpha,
    task: 'race',
    seed: 0,
    stages: [raceStage('grpo', workload, stage)],
  };
  const loaded = parseConfig(JSON.stringify(config), { file: 'bench/lora_workload.mjs' });
  const pretrained = await openPretrained(findModel(path));
  return openRun(loaded.config, lettersAsTokens(workload, pretrained.codec), await backend, {
    rewards: { low_ids: lowIds(rewardedBelow) },
    pretrained,
  });
}

/** The text of a problem's prompt: a letter alone is one token of a byte-level vocabulary, with a space before it too. */
export const promptText = ({ prompt }) => [...prompt].join(' ');

/** The problems of the race as they are, without a chat template. */
function lettersAsTokens(workload, codec) {
  const tasks = taskSet([{ task: raceTask(workload), weight: 1 }], codec);
  return delegating(tasks, {
    maxPromptTokens: workload.promptTokens,
    maxCompletionTokens: workload.completionTokens,
    fixedCompletionTokens: workload.completionTokens,
    promptTokens(item) {
      const ids = codec.encode(promptText(item));
      if (ids.length === workload.promptTokens) return ids;
      throw new RangeError(
        `${workload.promptTokens} letters are ${ids.length} tokens of this model: the race needs one each`,
      );
    },
  });
}

/** Mean log-prob of the last `completionTokens` tokens of the first prompt: the two sides must agree on it. */
export async function promptLogprob({ engine, config }, { completionTokens }) {
  const { policy, tasks } = engine;
  const ids = tasks.promptTokens(tasks.trainItem(config.seed, 0));
  const batch = packBatch([{ prompt: ids.slice(0, -completionTokens), completions: [ids.slice(-completionTokens)] }]);
  const { logprobs } = await policy.score(batch, 1);
  return logprobs.reduce((sum, value) => sum + value, 0) / logprobs.length;
}

export const trainedParameters = ({ engine }) =>
  engine.policy.adapterParameters.reduce((sum, { slot }) => sum + slot.shape.reduce((all, size) => all * size, 1), 0);
