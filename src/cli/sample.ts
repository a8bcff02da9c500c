/** `rlvr-train sample --run DIR [PROMPT…]`: ask a trained policy. */

import type { Task } from '../data/task.ts';
import { DataError } from '../errors.ts';
import { completionText } from '../grpo/collect.ts';
import { completionEnd } from '../grpo/completion_end.ts';
import { samplingKey, stageOf } from '../grpo/run.ts';
import { generate, wholeVocabulary } from '../model/generation.ts';
import { openTrained } from './open_trained.ts';
import { exampleLine } from './reporter.ts';

/** Held-out problems shown where no prompt is given. */
const PROBLEMS = 8;

interface SampleOptions {
  readonly run: string;
  readonly samples: number;
  readonly temperature: number;
  readonly seed: number;
  readonly threads?: number;
}

export async function sampleCommand(prompts: readonly string[], options: SampleOptions): Promise<void> {
  const { run, from } = await openTrained(options.run, options.threads);
  try {
    process.stdout.write(`${from}\n`);
    const { task } = run;
    // A prompt in quotes is one argument; one typed without quotes comes as several.
    const asked = prompts.length > 0 ? [prompts.join(' ')] : [];
    const items = asked.length > 0 ? undefined : task.heldOutItems().slice(0, PROBLEMS);
    const texts = items?.map((item) => item.prompt) ?? asked;
    for (const text of asked) requireShort(text, task);
    const completions = await generate(
      run.policy,
      texts.map((text, i) => ({
        prompt: task.tokenizer.encode(text),
        rolloutNumbers: Array.from({ length: options.samples }, (_, sample) => i * options.samples + sample),
      })),
      {
        sampling: wholeVocabulary(options.temperature),
        samplingKey: samplingKey(options.seed, 'sample'),
        ...completionEnd(task, stageOf(run)),
      },
    );
    texts.forEach((prompt, i) => {
      for (const completion of completions[i] ?? []) {
        const text = completionText(run, completion);
        const item = items?.[i];
        const line = item
          ? exampleLine({ prompt, completion: text, verdict: task.verify(item, text, completion) })
          : `  ${prompt} ${text}`;
        process.stdout.write(`${line}\n`);
      }
    });
  } finally {
    await run.policy.close();
  }
}

/** @throws DataError for a prompt longer than those that the policy was made for */
function requireShort(text: string, task: Task): void {
  const { length } = task.tokenizer.encode(text);
  if (length <= task.maxPromptTokens) return;
  const rule = `${length} tokens; prompts of ${task.name} have at most ${task.maxPromptTokens}`;
  throw new DataError('too-long', `prompt: ${JSON.stringify(text)} — ${rule}; shorten it.`);
}
