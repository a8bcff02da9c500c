/** Where the prompts of `sample` come from: words of the command, a pipe or file, the keyboard, or nowhere. */
import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TaskSet } from '../../../src/data/task_set.ts';

/** `nowhere`: held-out problems are shown instead. */
export type PromptSource = 'words' | 'pipe' | 'keyboard' | 'nowhere';

const STANDARD_INPUT = '-';

export function choosePrompts(
  words: readonly string[],
  place: { readonly isTerminal: boolean; readonly json?: boolean; readonly interactive?: boolean },
): PromptSource {
  if (place.interactive) return 'keyboard';
  if (words.length === 1 && words[0] === STANDARD_INPUT) return 'pipe';
  if (words.length > 0) return 'words';
  if (holdsText()) return 'pipe';
  return place.isTerminal && !place.json ? 'keyboard' : 'nowhere';
}

/**
 * Whether standard input is a pipe of a shell or a file. A socket is what a parent program leaves open that gives no
 * input: it is read only where it is asked for by `-`.
 */
function holdsText(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile();
  } catch {
    return false; // closed
  }
}

/** Each word is a prompt; words that are a problem only together are one that was typed without quotes. */
export function promptsOf(words: readonly string[], tasks: Pick<TaskSet, 'parse'>): readonly string[] {
  const together = words.join(' ');
  return words.length > 1 && tasks.parse(together) && !words.some((word) => tasks.parse(word)) ? [together] : words;
}

/** The lines of an input that are not empty, as many at once as have come, at most `most`; the last one needs no end. */
export async function* availableLines(input: NodeJS.ReadableStream, most: number): AsyncGenerator<string[]> {
  const lines: string[] = [];
  let ended = false;
  let wake = (): void => {};
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  reader.on('line', (line) => {
    if (line.trim() !== '') lines.push(line);
    wake();
  });
  reader.on('close', () => {
    ended = true;
    wake();
  });
  while (!ended || lines.length > 0) {
    if (lines.length > 0) yield lines.splice(0, most);
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}
