/**
 * Takes the answer out of a completion that wraps it in `<answer>` tags. Only the completion is searched, by
 * `indexOf`: tags are literal, case-sensitive, without attributes, and the scan is linear.
 */
import { trimAscii } from './trim_ascii.ts';

/** `only`: exactly one pair of tags; `last`, `first`: that pair of several; `whole`: the text up to EOS, no tags. */
export type AnswerPolicy = 'only' | 'last' | 'first' | 'whole';

/** The answer without white space around it, or why there is none. */
export type Extraction =
  | { readonly ok: true; readonly answer: string }
  | { readonly ok: false; readonly reason: string };

const THINK_OPEN = '<think>';
const THINK_CLOSE = '</think>';
const ANSWER_OPEN = '<answer>';
const ANSWER_CLOSE = '</answer>';

function failed(reason: string): Extraction {
  return { ok: false, reason };
}

/** What follows the last closed think part; undefined if a think part stays open. */
function afterThinking(text: string): string | undefined {
  const close = text.lastIndexOf(THINK_CLOSE);
  const rest = close < 0 ? text : text.slice(close + THINK_CLOSE.length);
  return rest.includes(THINK_OPEN) ? undefined : rest;
}

/** The bodies of all answer tags, or undefined if they are nested or unclosed. */
function answerBodies(text: string): string[] | undefined {
  const bodies: string[] = [];
  let position = 0;
  for (;;) {
    const open = text.indexOf(ANSWER_OPEN, position);
    const close = text.indexOf(ANSWER_CLOSE, position);
    if (open < 0 && close < 0) return bodies;
    if (open < 0 || close < open) return undefined;
    const bodyStart = open + ANSWER_OPEN.length;
    const nested = text.indexOf(ANSWER_OPEN, bodyStart);
    if (nested >= 0 && nested < close) return undefined;
    bodies.push(text.slice(bodyStart, close));
    position = close + ANSWER_CLOSE.length;
  }
}

/**
 * The answer of a completion, trimmed of ASCII white space, or why there is none. Total, pure, linear.
 *
 * `last` does not fall back to an earlier tag if the last one is empty. A think part that was opened and not
 * closed hides everything after it.
 *
 * @param completion  the sampled text, without the prompt; a prefilled `<think>` may be absent from it
 */
export function extractAnswer(completion: string, policy: AnswerPolicy): Extraction {
  if (policy === 'whole') return nonEmpty(completion);
  const searched = afterThinking(completion);
  if (searched === undefined) return failed('the think part is not closed');
  const bodies = answerBodies(searched);
  if (bodies === undefined) return failed('the answer tags are nested or not closed');
  if (bodies.length === 0) return failed('there is no answer tag');
  if (policy === 'only' && bodies.length > 1) return failed('there is more than one answer tag');
  return nonEmpty(policy === 'first' ? bodies[0] : bodies[bodies.length - 1]);
}

function nonEmpty(text: string): Extraction {
  const answer = trimAscii(text);
  return answer === '' ? failed('the answer is empty') : { ok: true, answer };
}

/** The body up to `close`, if `text` starts with `open` and holds each of the two once; else undefined. */
function leadingBody(text: string, open: string, close: string): { body: string; rest: string } | undefined {
  const end = text.indexOf(close);
  if (!text.startsWith(open) || end < 0) return undefined;
  if (text.lastIndexOf(open) !== 0 || text.lastIndexOf(close) !== end) return undefined;
  return { body: text.slice(open.length, end), rest: trimAscii(text.slice(end + close.length)) };
}

/**
 * True for `<think>…</think> <answer>…</answer>` and nothing else: each tag once, both bodies non-empty.
 *
 * @param prefill  what the prompt already opened, such as `<think>`
 */
export function hasThinkFormat(completion: string, prefill = ''): boolean {
  const text = prefill + completion;
  const thinking = leadingBody(trimAscii(text), THINK_OPEN, THINK_CLOSE);
  if (!thinking || trimAscii(thinking.body) === '' || thinking.body.includes(ANSWER_OPEN)) return false;
  const answer = leadingBody(thinking.rest, ANSWER_OPEN, ANSWER_CLOSE);
  return answer !== undefined && trimAscii(answer.body) !== '' && answer.rest === '';
}
