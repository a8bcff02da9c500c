/**
 * A problem with some operands hidden, so that what a policy writes cannot depend on them. Operands are the numbers of
 * a prompt, or its letters if it has no number.
 *
 * In a closed vocabulary each of their tokens may become `MASKED`, one for one. For a pretrained model the word's text
 * replaces a whole number or word of the question.
 */
import type { Rng } from '../../kernels/philox.ts';
import { type Codec, promptOf } from '../../text/codec.ts';
import { wordTokens } from '../../text/control_words.ts';
import type { TaskItem } from '../task.ts';
import type { TaskSet } from '../task_set.ts';

/** The word that replaces an operand. */
export const MASKED = '<masked>';

/** The prompt with a random share of its operands masked, rounded up. */
export function maskedTokens(tasks: TaskSet, item: TaskItem, share: number, rng: Rng): Int32Array {
  const { codec } = tasks;
  const prompt = tasks.promptTokens(item);
  if (codec.joint !== undefined) return maskedInPlace(codec, prompt, share, rng);
  const mask = codec.decode(wordTokens(codec, MASKED));
  const messages = tasks.environment.prompt(item);
  const last = messages.length - 1;
  const maskedMessages = messages.map((message, i) =>
    i === last ? { ...message, content: maskedText(message.content, mask, share, rng) } : message,
  );
  const masked = codec.encode(promptOf(codec, maskedMessages));
  return masked.length > tasks.maxPromptTokens ? prompt : masked; // a mask is seldom longer than what it hides
}

function maskedInPlace(codec: Codec, prompt: Int32Array, share: number, rng: Rng): Int32Array {
  const [mask] = wordTokens(codec, MASKED);
  const texts = Array.from(prompt, (id) => (id === codec.eosTokenId ? '' : codec.tokenText(id)));
  const operand = texts.some((text) => /\d/.test(text)) ? /\d/ : /\p{L}/u;
  const hidden = chosen(
    texts.flatMap((text, place) => (operand.test(text) ? [place] : [])),
    share,
    rng,
  );
  return prompt.map((id, place) => (hidden.has(place) ? mask : id));
}

function maskedText(question: string, mask: string, share: number, rng: Rng): string {
  const operand = /\d/.test(question) ? /\d+/g : /\p{L}+/gu;
  const hidden = chosen(
    [...question.matchAll(operand)].map(({ index }) => index),
    share,
    rng,
  );
  return question.replace(operand, (text, place: number) => (hidden.has(place) ? mask : text));
}

function chosen(places: readonly number[], share: number, rng: Rng): ReadonlySet<number> {
  return new Set(rng.shuffle([...places]).slice(0, Math.ceil(share * places.length)));
}
