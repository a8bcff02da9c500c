/** Completions of a run, in tokens: what an export is compared with its model on. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DataError } from '../../../src/errors.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { asksInWords, type Codec } from '../../../src/text/codec.ts';
import type { CompletionToScore } from '../../models/run/model/rescore.ts';
import { logLines } from '../../trackers/log_lines.ts';

/** Tokens of a completion that are scored, and of what precedes it: an export errs early or not at all. */
const MOST_TOKENS = 64;
const MOST_PROMPT_TOKENS = 192;

/**
 * The last ones of a run that are not empty, asked as the model is asked.
 *
 * @param path  as the user gave it; of what is no directory of a run there are none
 * @param count  how many, at most
 */
export async function recordedCompletions(path: string, codec: Codec, count: number): Promise<CompletionToScore[]> {
  const isRun = existsSync(path) && statSync(path).isDirectory() && existsSync(join(path, 'completions.jsonl'));
  if (!isRun || count === 0) return [];
  const texts: (readonly [string, string])[] = [];
  for await (const lines of logLines(fileStore(path), 'completions.jsonl')) {
    for (const { record } of lines) {
      const { prompt, completion } = record;
      if (typeof prompt === 'string' && typeof completion === 'string' && completion !== '')
        texts.push([prompt, completion]);
    }
    texts.splice(0, Math.max(0, texts.length - count));
  }
  return texts.flatMap(([prompt, completion]) => {
    try {
      return [toScore(codec, prompt, completion)];
    } catch (error) {
      // A closed vocabulary does not read what it wrote of its control tokens, as a policy does that has learned little.
      if (error instanceof DataError) return [];
      throw error;
    }
  });
}

/** @param prompt  a question, as the model is asked it */
export function toScore(codec: Codec, prompt: string, completion: string): CompletionToScore {
  const asked = asksInWords(codec) ? codec.render([{ role: 'user', content: prompt }]) : prompt;
  return {
    prefix: codec.encode(asked).slice(-MOST_PROMPT_TOKENS),
    tokens: codec.encode(completion).slice(0, MOST_TOKENS),
  };
}
