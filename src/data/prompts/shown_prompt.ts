/**
 * A prompt that shows something besides the problem: a hint, an answer, what was wrong with an attempt.
 *
 * In a closed vocabulary it comes first, ended by EOS, so that tasks need no word for it; the policy learns its
 * meaning. A pretrained model reads it below the question.
 */
import { DataError } from '../../errors.ts';
import { type Codec, type Message, renderedBefore } from '../../text/codec.ts';

/** Tokens that a pretrained model's prompt takes besides what it shows: the words around it, and joints that merge less well. */
const WORDS_AROUND = 12;

/** Most tokens shown with a prompt: no more than a completion. */
export function mostShownTokens(maxCompletionTokens: number, isPretrained: boolean): number {
  return maxCompletionTokens + (isPretrained ? WORDS_AROUND : 1);
}

/** @param prompt  of the problem @param shown  tokens without an end of a completion */
export function shownBefore({ eosTokenId }: Codec, prompt: Int32Array, shown: Int32Array): Int32Array {
  const tokens = new Int32Array(shown.length + 1 + prompt.length);
  tokens.set(shown);
  tokens[shown.length] = eosTokenId;
  tokens.set(prompt, shown.length + 1);
  return tokens;
}

/** The conversation with a text below its last message. @throws DataError where it is rendered already */
export function shownBelow(messages: readonly Message[], text: string): Message[] {
  if (renderedBefore(messages) !== undefined) {
    const rule = 'nothing can be shown below the question of a prompt that is rendered already (prompt_format: raw)';
    throw new DataError('prompt-rendered', `${rule}; give rows of messages, which the chat template renders.`);
  }
  return messages.map((message, i) =>
    i === messages.length - 1 ? { ...message, content: `${message.content}\n\nHint:\n${text}` } : message,
  );
}
