/** What the policy reads between two of its turns, in tokens after its own, which stay as they were sampled. */
import { DataError } from '../../errors.ts';
import type { FinishReason } from '../../finish_reason.ts';
import type { Codec, Message } from '../../text/codec.ts';
import { ENVIRONMENT_TURN } from '../environment.ts';

/** Stands for a turn of the policy where a template is asked what comes after one. */
const ANSWER = 'ANSWER OF THE POLICY';

/**
 * In a closed vocabulary the text itself. A chat template writes what separates two turns, as it would write it between an
 * answer and the next question; how it would write the policy's former turns does not matter.
 *
 * @param from  who says it; all but the environment are tools
 * @param finishReason  why the policy's turn ended: what the template ends a turn with is left out where it was sampled
 * @throws DataError where it cannot be written
 */
export function observationTokens(codec: Codec, text: string, from: string, finishReason: FinishReason): Int32Array {
  if (codec.joint !== undefined) return codec.encode(text);
  const asked = (role: Message['role']): string =>
    codec.render([
      { role: 'user', content: '?' },
      { role: 'assistant', content: ANSWER },
      { role, content: text },
    ]);
  const roles: Message['role'][] = from === ENVIRONMENT_TURN ? ['user'] : ['tool', 'user'];
  // A template without a role of tools leaves such turns out.
  const rendered = roles.map(asked).find((whole) => whole.slice(whole.lastIndexOf(ANSWER)).includes(text.trim()));
  const begin = rendered?.lastIndexOf(ANSWER) ?? -1;
  if (rendered === undefined || begin < 0) {
    throw new DataError('template-not-appending', 'the chat template does not show a turn after an answer.');
  }
  const tokens = codec.encode(rendered.slice(begin + ANSWER.length));
  if (finishReason !== 'eos') return tokens;
  return tokens.subarray(tokens.findIndex((id) => codec.stopIds.includes(id)) + 1);
}
