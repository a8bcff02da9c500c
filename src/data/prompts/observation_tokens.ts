/** What the policy reads between two of its turns, in tokens after its own, which stay as they were sampled. */
import { DataError } from '../../errors.ts';
import type { FinishReason } from '../../finish_reason.ts';
import type { Codec, Message } from '../../text/codec.ts';
import { ENVIRONMENT_TURN, type PlayedEpisode, POLICY_TURN } from '../environment.ts';

/** Stands for a turn of the policy where a template is asked what comes after one. */
const ANSWER = 'ANSWER OF THE POLICY';

/** What follows a turn of the policy in a template: a tool's turn where it shows such turns, else one of the user. */
function asked(codec: Codec, said: string, from: string): { readonly role: Message['role']; readonly after: string } {
  const text = codec.literal?.(said) ?? said;
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
 * In a closed vocabulary the text itself. A chat template writes what separates two turns, as it would write it between an
 * answer and the next question; how it would write the policy's former turns does not matter. What is said is data: no part
 * of it is a control token.
 *
 * @param from  who says it; all but the environment are tools
 * @param finishReason  why the policy's turn ended: what the template ends a turn with is left out where it was sampled
 * @throws DataError where it cannot be written
 */
export function observationTokens(codec: Codec, text: string, from: string, finishReason: FinishReason): Int32Array {
  if (codec.joint !== undefined) return codec.encode(text);
  const tokens = codec.encode(asked(codec, text, from).after);
  if (finishReason !== 'eos') return tokens;
  return tokens.subarray(tokens.findIndex((id) => codec.stopIds.includes(id)) + 1);
}

/** The turns of an episode after its question, as a pretrained model is shown one. @throws DataError as above */
export function episodeMessages(codec: Codec, { turns }: Pick<PlayedEpisode, 'turns'>): Message[] {
  return turns.map(({ from, text }) => ({
    role: from === POLICY_TURN ? 'assistant' : asked(codec, text, from).role,
    content: text,
  }));
}
