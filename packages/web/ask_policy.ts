/** What the policy answers to a prompt, with its log-probs, and a verdict where the prompt is a held-out problem. */
import { DataError } from '../../src/errors.ts';
import { completeItems, completeTexts } from '../../src/grpo/rollout/complete.ts';
import { samplingKey, stageOf, type TrainingRun } from '../../src/grpo/run.ts';
import { wholeVocabulary } from '../../src/model/sampling/generation.ts';
import { asItBegan } from './as_it_began.ts';
import type { Answer, AskOptions } from './browser_run.ts';

/** @throws DataError for a prompt that is no text of the task, or too long */
export function askPolicy(run: TrainingRun, prompt: string, options: AskOptions): Promise<readonly Answer[]> {
  return options.base ? asItBegan(run, () => ask(run, prompt, options)) : ask(run, prompt, options);
}

async function ask(
  run: TrainingRun,
  prompt: string,
  { temperature = 1, samples = 1, seed = 0, begun }: AskOptions,
): Promise<readonly Answer[]> {
  const { tasks } = run.engine;
  const { length } = tasks.codec.encode(prompt);
  if (length === 0 || length > tasks.maxPromptTokens) {
    const rule = `has ${length} tokens; prompts of ${tasks.name} have 1 to ${tasks.maxPromptTokens}`;
    throw new DataError('too-long', `${JSON.stringify(prompt)} ${rule}.`);
  }
  const settings = {
    samples,
    sampling: wholeVocabulary(temperature),
    samplingKey: samplingKey(seed, 'sample'),
    stage: stageOf(run),
    ...(begun && { prefixes: [Array.from({ length: samples }, () => begun)] }),
  };
  const item = begun ? undefined : tasks.heldOutItems().find((held) => held.prompt === prompt);
  const [completions = []] = item
    ? await completeItems(run.engine, [item], settings)
    : await completeTexts(run.engine, [prompt], settings);
  return completions.map(({ text, tokens, logprobs, verdict }): Answer => ({ text, tokens, logprobs, verdict }));
}
