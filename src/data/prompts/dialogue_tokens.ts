/**
 * A conversation as a supervised stage learns it: the tokens of the assistant's turns have a loss, all others are
 * given.
 *
 * Each turn is written as the policy would have written it after the conversation so far. This needs a template that
 * only appends; one that removes earlier text (a former turn's thoughts, say) is refused.
 */
import { DataError } from '../../errors.ts';
import type { Codec, Message } from '../../text/codec.ts';
import { TOKEN } from '../../token_kinds.ts';

/** Tokens after a prompt for the policy to learn, except those labelled as given. */
export interface Demonstration {
  readonly prompt: Int32Array;
  readonly tokens: Int32Array;
  /** [tokens] of TOKEN; absent: every token has a loss. */
  readonly labels?: Uint8Array;
}

/**
 * @param turns  at least one of them is the assistant's, and it does not begin
 * @param place  where they come from, for messages
 * @throws DataError unless the chat template only appends
 */
export function dialogueTokens(codec: Codec, turns: readonly Message[], place: string): Demonstration {
  const ids: number[] = [];
  const labels: number[] = [];
  let written = '';
  let promptLength = -1;
  const add = (tokens: Iterable<number>, label: number): void => {
    for (const token of tokens) {
      ids.push(token);
      labels.push(label);
    }
  };
  for (const [index, { role }] of turns.entries()) {
    if (role !== 'assistant') continue;
    const prefix = codec.render(turns.slice(0, index));
    const answered = codec.render(turns.slice(0, index + 1), 'answered');
    if (!prefix.startsWith(written) || !answered.startsWith(prefix)) throw notAppending(index, place);
    add(codec.encode(prefix.slice(written.length)), TOKEN.given);
    if (promptLength < 0) promptLength = ids.length;
    const turnTokens = Array.from(codec.encode(answered.slice(prefix.length)));
    const end = turnTokens.findIndex((id) => codec.stopIds.includes(id)) + 1;
    // A template writes the token that ends a turn, and perhaps an end of line after it, which nobody samples.
    add(end > 0 ? turnTokens.slice(0, end) : [...turnTokens, codec.eosTokenId], TOKEN.reference);
    add(end > 0 ? turnTokens.slice(end) : [], TOKEN.given);
    written = answered;
  }
  const last = labels.lastIndexOf(TOKEN.reference) + 1;
  return {
    prompt: Int32Array.from(ids.slice(0, promptLength)),
    tokens: Int32Array.from(ids.slice(promptLength, last)),
    labels: Uint8Array.from(labels.slice(promptLength, last)),
  };
}

function notAppending(index: number, place: string): DataError {
  const rule = `the chat template rewrites what precedes turn ${index + 1}, so its answers cannot be learned in one pass`;
  const remedy = 'give conversations of one answer each, or chat_template_kwargs that keep former turns';
  return new DataError('template-not-appending', `${place}  ${rule}; ${remedy}.`, { place, turn: index + 1 });
}
