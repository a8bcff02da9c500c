/** `rlvr-train sample --run DIR [PROMPT…]`: ask a trained policy. */

import type { TaskSet } from '../data/task_set.ts';
import { DataError } from '../errors.ts';
import { printable } from '../format.ts';
import { answeredItems, completeItems, completeTexts } from '../grpo/complete.ts';
import { samplingKey, stageOf } from '../grpo/run.ts';
import { wholeVocabulary } from '../model/generation.ts';
import { openTrained } from './open_trained.ts';
import { print } from './output.ts';
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
  // A prompt in quotes is one argument; one typed without quotes comes as several.
  const prompt = prompts.length > 0 ? prompts.join(' ') : undefined;
  const load = { prompts: prompt === undefined ? PROBLEMS : 1, samples: options.samples };
  const { run, from } = await openTrained(options.run, options.threads, () => load);
  try {
    print(printable(from));
    const { tasks } = run;
    const settings = {
      samples: options.samples,
      sampling: wholeVocabulary(options.temperature),
      samplingKey: samplingKey(options.seed, 'sample'),
      stage: stageOf(run),
    };
    if (prompt !== undefined) {
      requireShort(prompt, tasks);
      const [completions = []] = await completeTexts(run, [prompt], settings);
      for (const { text } of completions) print(`  ${printable(prompt)} ${printable(text)}`);
    } else {
      const items = tasks.heldOutItems().slice(0, PROBLEMS);
      for (const { item, completion } of answeredItems(items, await completeItems(run, items, settings))) {
        const { text, verdict } = completion;
        print(exampleLine({ prompt: item.prompt, completion: text, verdict }));
      }
    }
  } finally {
    await run.policy.close();
  }
}

/** @throws DataError for a prompt longer than those that the policy was made for */
function requireShort(text: string, tasks: TaskSet): void {
  const { length } = tasks.codec.encode(text);
  if (length <= tasks.maxPromptTokens) return;
  const rule = `${length} tokens; prompts of ${tasks.name} have at most ${tasks.maxPromptTokens}`;
  throw new DataError('too-long', `prompt: ${JSON.stringify(text)} — ${rule}; shorten it.`);
}
