import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import type { EvaluationFigure, ProblemRecord } from '../kit.ts';
import { choice, integer, key, keys, meanOf, meanOverProblems, method } from '../kit.ts';
import { ownTurns } from '../support/rewards/paid_turns.ts';

const NAMES = { solved: 'acc@turn', gain: 'gain@turn', after: 'pass_after@turn' } as const;

/** A sampled episode: the turn in which it was won, and those that it took. */
interface Played {
  readonly wonAt: number;
  readonly turns: number;
}

/** An episode that is won late is worth less, and shows that what was said in between helps. */
export const mTurn = method({
  id: 'm-turn',
  about: {
    does: 'Reports which share of sampled episodes is won by a turn, in it, or in it after all turns before failed.',
    names: ['acc@turn', 'pass after feedback'],
    formula:
      'solved: won by turn k; gain: won in turn k; after: won in turn k, of those that have one. Over samples, then problems',
    source: 'own',
    certainty: 'own',
    when: 'For episodes in which a failure can be mended, to see whether later turns win what earlier ones lost.',
  },
  options: keys({
    turn: integer({ min: 1, example: 2 }).describe('The turn of the policy, from 1.'),
    shownShare: key(
      'show',
      choice(['solved', 'gain', 'after'])
        .default('solved')
        .describe(
          'solved: the share won by this turn; gain: the share won in it; after: the same of the episodes that have it, ' +
            'which were not won before.',
        ),
    ),
  }),
  isRepeatable: true,
  uses: () => [severalTurns],
  create: ({ turn, shownShare: show }): EvaluationFigure => ({
    name: `${NAMES[show]}_${turn}`,
    of(problems) {
      const known = problems.flatMap((problem) => {
        const counted = playedOf(problem).filter(({ turns }) => show !== 'after' || turns >= turn);
        if (counted.length === 0) return [];
        const isWon = ({ wonAt }: Played): boolean => (show === 'solved' ? wonAt <= turn : wonAt === turn);
        return [{ share: meanOf(counted.map((one) => Number(isWon(one)))), weight: problem.weight }];
      });
      // Nothing came so far: nothing was won there.
      if (known.length === 0) return { mean: 0, low: 0, high: 1, count: 0 };
      return meanOverProblems(
        known.map(({ share }) => share),
        known.map(({ weight }) => weight),
      );
    },
  }),
});

function playedOf({ samples, turns }: ProblemRecord): readonly Played[] {
  return samples.map(({ score }, i) => {
    const count = ownTurns({ turns: turns[i] }).length;
    return { turns: count, wonAt: score === 1 ? count : Number.POSITIVE_INFINITY };
  });
}
