/**
 * The loss is on what the environment answers, not on the actions. After the implicit world modelling of
 * arXiv:2510.08558, with a random player instead of the policy.
 */
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import type { DemonstrationMethod, DemonstrationSource, PlayedProblem, TrainedText } from '../kit.ts';
import { keys, method, number } from '../kit.ts';
import { LabelledTokens } from '../support/rollouts/labelled_tokens.ts';

/** Episodes of a problem that are played until one has an observation: chance may end them with the first action. */
const MOST_EPISODES = 8;

export const worldModelStage: DemonstrationMethod = method({
  id: 'world-model-stage',
  about: {
    does: 'Learns what an environment answers to actions, at random or of an expert.',
    names: ['implicit world modelling', 'Early Experience'],
    formula: '−mean_t log π(o_t | all tokens before it); an action is one at random with probability random_share',
    source: '2510.08558',
    certainty: 'after the paper',
    when: 'Before reinforcement in an environment whose answers can be foreseen; it teaches no action by itself.',
  },
  options: keys({
    randomShare: number({ min: 0, max: 1, example: 0.5 })
      .default(1)
      .describe('Share of the actions that are those of a player at random, the others of an expert.'),
  }),
  uses: () => [severalTurns],
  create: ({ randomShare }): DemonstrationSource => ({
    show(problem) {
      for (let number = 0; number < MOST_EPISODES; number++) {
        const found = observations(problem, number, randomShare);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  }),
});

/** An episode with a loss on what it was answered with; undefined where its first action ends it. */
function observations(problem: PlayedProblem, number: number, randomShare: number): TrainedText | undefined {
  const { rng, action, answer } = problem;
  const { start, act, step } = problem.episode(number);
  const written = new LabelledTokens();
  for (let at = start(); ; ) {
    const chosen = act(rng.float() < randomShare ? 'random' : 'expert', at);
    const led = step(at, chosen);
    if (led.verdict !== undefined) return written.after(problem.prompt);
    written.add(action(chosen), TOKEN.given);
    written.add(answer(led), TOKEN.reference);
    at = led.next;
  }
}
