/** Nats: the log-prob of the word by which a policy scores itself, after each completion that has ended. */
import { TOKEN } from '../../../../src/token_kinds.ts';
import { isScoredByItself, SELF_SCORE } from '../support/rollouts/self_score.ts';
import { figure } from './figure.ts';

/** Log-prob of the word by which the policy scores its own completion. */
export const selfLogprob = figure<number>({
  id: 'selfLogprob',
  says: 'a scoring pass of what was sampled, before it is credited: the log-prob of a word after each completion',
  async compute(members, { score, wordTokens }) {
    const word = wordTokens(SELF_SCORE);
    const asked = members.flatMap(({ group, rollout }, i) =>
      group.kind === undefined && isScoredByItself(rollout) ? [{ group, rollout, i }] : [],
    );
    const sequences = asked.map(({ group, rollout: { tokens, prompt = group.prompt } }) => {
      const labels = new Uint8Array(tokens.length + word.length).fill(TOKEN.given, 0, tokens.length);
      return { prefix: prompt, tokens: Int32Array.from([...tokens, ...word]), labels };
    });
    const scores = await score(sequences);
    const found: (number | undefined)[] = members.map(() => undefined);
    asked.forEach(({ i }, k) => {
      found[i] = scores[k].logprobs.reduce((sum, logprob) => sum + logprob, 0);
    });
    return found;
  },
});
