import { ENVIRONMENT_TURN, EXPERT_TURN, POLICY_TURN } from '../../../../src/data/environment.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { choice, type EvaluationFigure, keys, meanOf, meanOverProblems, method, type Turn } from '../kit.ts';
import { ownTurns } from '../support/rewards/paid_turns.ts';

type Shown = 'invalid' | 'repeated' | 'calls' | 'cut';

const NAMES: Readonly<Record<Shown, string>> = {
  invalid: 'invalid_actions',
  repeated: 'repeated_actions',
  calls: 'tool_calls',
  cut: 'unfinished_episodes',
};

export const mEnv = method({
  id: 'm-env',
  about: {
    does: 'Reports which share of the actions of sampled episodes breaks the rules, or was taken in the same state before.',
    names: ['invalid actions', 'repeated actions'],
    formula: 'actions with the property / actions of an episode, mean over samples, then over problems',
    source: 'own',
    certainty: 'own',
    when: 'For episodes, to see illegal actions and going in circles before they show in the accuracy.',
  },
  options: keys({
    show: choice(['invalid', 'repeated', 'calls', 'cut'])
      .default('invalid')
      .describe(
        'invalid: actions that break the rules; repeated: taken in the same state of the episode before; calls: answered by a ' +
          'tool; cut: episodes whose last action was cut by a limit.',
      ),
  }),
  isRepeatable: true,
  uses: () => [severalTurns],
  create: ({ show }): EvaluationFigure => ({
    name: NAMES[show],
    readsStates: true,
    of: (problems) =>
      meanOverProblems(
        problems.map(({ samples, turns }) =>
          meanOf(
            show === 'cut'
              ? samples.map(({ status }) => Number(status === 'truncated'))
              : turns.map((played) => shareOf(played, show)),
          ),
        ),
        problems.map(({ weight }) => weight),
      ),
  }),
});

/** Share of the actions of an episode. */
function shareOf(turns: readonly Turn[], show: Exclude<Shown, 'cut'>): number {
  const own = ownTurns({ turns });
  if (own.length === 0) return 0;
  if (show === 'calls') return turns.filter(isOfTool).length / own.length;
  if (show === 'invalid') return own.filter(({ illegal }) => illegal).length / own.length;
  const taken = new Set<string>();
  let repeated = 0;
  for (const { before, text } of own) {
    const action = `${before?.key ?? ''}\n${text}`;
    if (taken.has(action)) repeated++;
    taken.add(action);
  }
  return repeated / own.length;
}

function isOfTool({ label }: Turn): boolean {
  return ![POLICY_TURN, EXPERT_TURN, ENVIRONMENT_TURN].includes(label);
}
