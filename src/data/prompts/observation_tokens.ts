/** The tokens that the policy reads between two turns, after its own tokens, which stay as sampled. */
import { DataError } from '../../errors.ts';
import type { FinishReason } from '../../finish_reason.ts';
import type { Codec, Message } from '../../text/codec.ts';
import { ENVIRONMENT_TURN, type PlayedEpisode, POLICY_TURN } from '../environment.ts';

/** Placeholder for a turn of the policy when rendering what a template puts after one. */
const ANSWER = 'ANSWER OF THE POLICY';

/** The turn that follows the policy's in a template: a tool's, if the template supports it, else the user's. */
function asked(
  codec: Codec,
  observation: string,
  from: string,
): { readonly role: Message['role']; readonly after: string } {
  const text = codec.literal?.(observation) ?? observation;
  const roles: Message['role'][] = from === ENVIRONMENT_TURN ? ['user'] : ['tool', 'user'];
  let refusal = new DataError('template-not-appending', 'the chat template does not show a turn after an answer.');
  for (const role of roles) {
    try {
      const rendered = codec.render([
        { role: 'user', content: '?' },
        { role: 'assistant', content: ANSWER },
        { role, content: text },
      ]);
      const begin = rendered.indexOf(ANSWER); // what is said may hold the same words
      const after = rendered.slice(begin + ANSWER.length);
      if (begin >= 0 && after.includes(text.trim())) return { role, after };
    } catch (error) {
      // A template may refuse turns of tools.
      if (!(error instanceof DataError)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/**
 * In a closed vocabulary, the text itself. A chat template adds the separators that it writes between an answer and the
 * next question; how it renders the policy's former turns does not matter. The text is data: no part of it becomes a
 * control token.
 *
 * @param from  who says it; all but the environment are tools
 * @param finishReason  why the policy's turn ended: the template's end of turn is left out if it was sampled
 * @throws DataError where it cannot be written
 */
export function observationTokens(codec: Codec, text: string, from: string, finishReason: FinishReason): Int32Array {
  if (codec.joint !== undefined) return codec.encode(text);
  const tokens = codec.encode(asked(codec, text, from).after);
  if (finishReason !== 'eos') return tokens;
  return tokens.subarray(tokens.findIndex((id) => codec.stopIds.includes(id)) + 1);
}

/** The turns of an episode after its question, for a pretrained model. @throws DataError as above */
export function episodeMessages(codec: Codec, { turns }: Pick<PlayedEpisode, 'turns'>): Message[] {
  return turns.map(({ from, text }) => ({
    role: from === POLICY_TURN ? 'assistant' : asked(codec, text, from).role,
    content: text,
  }));
}
