/** The token with which a chat template ends a turn of the assistant: what an answer that is learned ends with. */
import { DataError } from '../../../src/errors.ts';
import type { Codec, Message } from '../../../src/text/codec.ts';
import { tokenText as textOf } from './beginning.ts';

type Json = Readonly<Record<string, unknown>>;

/** A text that no template writes by itself. */
const ANSWER = 'Quixotic9';

/**
 * @param render  writes messages by the template
 * @param ends  whether a token may end a turn
 * @returns the first such token after an answer; undefined where the template writes none, or takes no such conversation
 */
export function endOfTurn(
  render: (messages: readonly Message[]) => string,
  encode: (text: string) => readonly number[],
  ends: (id: number) => boolean,
): number | undefined {
  const conversation = [
    { role: 'user', content: 'Question?' },
    { role: 'assistant', content: ANSWER },
  ] as const;
  try {
    const [, after] = render(conversation).split(ANSWER);
    return after === undefined ? undefined : encode(after).find(ends);
  } catch (error) {
    if (error instanceof DataError) return undefined; // said where the run's own messages meet it
    throw error;
  }
}

/**
 * A rendered conversation up to the last words of its last message, as `continue_final_message` of transformers cuts it.
 *
 * @throws DataError where the template does not write these words
 */
export function upToEnd(text: string, messages: readonly Message[]): string {
  const { content } = messages[messages.length - 1];
  const begin = text.lastIndexOf(content.trim());
  if (begin < 0) {
    const rule = 'the chat template does not write the last message as it is, so it cannot be continued';
    throw new DataError('template-not-continuing', `${rule}; end the prompt with the question.`);
  }
  const kept = content.trimStart(); // a template may strip blanks at the end
  return text.slice(0, begin) + (text.startsWith(kept, begin) ? kept : content.trim());
}

/** What a model's files name as its ends. */
interface NamedEnds {
  readonly eosTokenIds: readonly number[];
  /** tokenizer_config.json */
  readonly config: Json;
  readonly source: string;
}

/** What is said before step 1 where the template ends a turn by another token than the model's files name. */
export function turnEndNote({ eosTokenIds, config, source }: NamedEnds, codec: Codec): string | undefined {
  const { eosTokenId: end, stopIds, tokenText } = codec;
  const others = stopIds.filter((id) => id !== end);
  const isNamed = eosTokenIds.includes(end) || textOf(config.eos_token) === tokenText(end);
  if (isNamed) return undefined;
  const names = others.map(tokenText).join(', ');
  return `${source}: its chat template ends a turn with ${tokenText(end)}, and its files name ${names} as the end. Answers are learned with ${tokenText(end)}; both end an answer.`;
}
