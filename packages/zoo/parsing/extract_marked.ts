/** Takes the answer out of a completion that marks it: the last `\boxed{…}` (also `\boxed {…}` and `\fbox{…}`), what follows the last `####`, the last line. */
import type { Extraction } from '../../../src/parsing/extract.ts';
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

export type { Extraction } from '../../../src/parsing/extract.ts';

/** `boxed`: the last one whose braces are balanced; `hash`: the rest of the line after the last ####; `line`: the last one that is not empty. */
export type Mark = 'boxed' | 'hash' | 'line';

/** As LaTeX lets it be written; old answers of MATH have \fbox. */
const BOXED = /\\(?:boxed|fbox) {0,8}\{/g;
const HASH = '####';
/** UTF-16 units from the end in which a #### is looked for. */
const HASH_REACH = 300;

const failed = (reason: string): Extraction => ({ ok: false, reason });

/**
 * The marked answer, trimmed of ASCII white space. Total, pure, linear.
 *
 * @param isEnded  false: the text was cut, so what runs to its end may be half of an answer and is none
 */
export function extractMarked(completion: string, mark: Mark, isEnded: boolean): Extraction {
  switch (mark) {
    case 'boxed':
      return lastBoxed(completion);
    case 'hash':
      return lastHash(completion, isEnded);
    case 'line':
      return lastLine(completion, isEnded);
  }
}

function lastBoxed(text: string): Extraction {
  const found = [...text.matchAll(BOXED)].pop();
  if (found === undefined) return failed('there is no \\boxed{}');
  const start = found.index + found[0].length;
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return nonEmpty(text.slice(start, at));
  }
  return failed('the last \\boxed{} is not closed');
}

function lastHash(text: string, isEnded: boolean): Extraction {
  const start = text.lastIndexOf(HASH);
  if (start < 0 || start < text.length - HASH_REACH) return failed('there is no #### near the end');
  const rest = text.slice(start + HASH.length);
  const end = rest.indexOf('\n');
  if (end < 0 && !isEnded) return failed('what follows #### is cut');
  return nonEmpty(end < 0 ? rest : rest.slice(0, end));
}

function lastLine(text: string, isEnded: boolean): Extraction {
  if (!isEnded) return failed('the last line is cut');
  const trimmed = trimAscii(text);
  return nonEmpty(trimmed.slice(trimmed.lastIndexOf('\n') + 1));
}

function nonEmpty(text: string): Extraction {
  const answer = trimAscii(text);
  return answer === '' ? failed('the answer is empty') : { ok: true, answer };
}
