import type { Estimate, EvaluationFigure, ProblemRecord } from '../kit.ts';
import { choice, keys, meanOf, meanOverProblems, method, number } from '../kit.ts';
import { elected } from '../support/figures/elected.ts';
import { NO, VERDICT_WORDS, VERIFY, YES } from '../support/rollouts/verdict_words.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

const SHOWN = ['f1', 'true_positive_rate', 'true_negative_rate', 'vote', 'coverage'] as const;

/** How many samples of a problem are right, and how many of each are called so. */
interface Counts {
  readonly right: number;
  readonly wrong: number;
  readonly rightCalledRight: number;
  readonly wrongCalledRight: number;
}

/** A share, as parts of what it is of: summed over problems before it is divided. */
type Share = readonly [part: number, whole: number];

const SHARES: Readonly<Record<Exclude<(typeof SHOWN)[number], 'vote' | 'coverage'>, (counts: Counts) => Share>> = {
  f1: ({ right, rightCalledRight, wrongCalledRight }) => [
    2 * rightCalledRight,
    right + rightCalledRight + wrongCalledRight,
  ],
  true_positive_rate: ({ right, rightCalledRight }) => [rightCalledRight, right],
  true_negative_rate: ({ wrong, wrongCalledRight }) => [wrong - wrongCalledRight, wrong],
};

/**
 * The policy is asked after each sampled answer, in the words of `self-verify`, and how likely it says yes is its
 * opinion. Nothing is sampled for it, and nothing trained.
 */
export const mSelfverify = method({
  id: 'm-selfverify',
  about: {
    does: 'Reports how well the policy tells its right answers from its wrong ones, or what a vote by its opinion reaches.',
    names: ['self-verification', 'verifier accuracy'],
    formula:
      's_i = p(<yes>)/(p(<yes>) + p(<no>)) after answer i and <verify>; f1, rates: s_i ≥ sure; vote: argmax_a Σ s_i·1[answer_i = a]; coverage: share of problems with max_i s_i ≥ sure',
    source: '2505.13445',
    certainty: 'after the paper',
    when: 'For a policy that learns to judge its own answers; before a warm start on the words it is chance.',
  },
  options: keys({
    show: choice(SHOWN)
      .default('f1')
      .describe(
        'f1, true_positive_rate, true_negative_rate: of its verdicts; vote: how often the answer is right that it gives most to; coverage: problems with an answer that it is sure of.',
      ),
    sure: number({ above: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('How likely it must say yes for an answer to be called right.'),
    lowest: number({ min: 0, max: 1, example: 0 })
      .default(0)
      .describe('Only problems that are solved at least so often, as a share of the samples.'),
    highest: number({ min: 0, max: 1, example: 1 })
      .default(1)
      .describe('Only problems that are solved at most so often.'),
  }),
  isRepeatable: true,
  uses: () => [words(VERDICT_WORDS), replies(1)],
  complete(options, refuse) {
    if (options.lowest > options.highest) refuse('lowest', `above highest (${options.highest}); lower it`);
    return options;
  },
  create: ({ show, sure, lowest, highest }): EvaluationFigure => ({
    name: `self_verify/${show}${lowest === 0 && highest === 1 ? '' : `/${lowest}-${highest}`}`,
    asks: { question: VERIFY, replies: [YES, NO] },
    of(problems) {
      const asked = problems.filter((problem) => {
        const solved = meanOf(problem.samples.map(({ score }) => Number(score === 1)));
        return solved >= lowest && solved <= highest && problem.answers.every(({ affirmed }) => affirmed !== undefined);
      });
      if (show === 'vote') return shareOf(asked, (problem) => [elected(problem, (i) => opinionOf(problem, i)), 1]);
      if (show === 'coverage') {
        return shareOf(asked, (problem) => [Number(problem.samples.some((_, i) => opinionOf(problem, i) >= sure)), 1]);
      }
      return shareOf(asked, (problem) => SHARES[show](countsOf(problem, sure)));
    },
  }),
});

function opinionOf({ answers }: ProblemRecord, i: number): number {
  return answers[i].affirmed ?? 0;
}

function countsOf(problem: ProblemRecord, sure: number): Counts {
  const called = problem.samples.map(({ score }, i) => ({
    isRight: score === 1,
    isYes: opinionOf(problem, i) >= sure,
  }));
  const count = (isCounted: (one: (typeof called)[number]) => boolean): number => called.filter(isCounted).length;
  return {
    right: count(({ isRight }) => isRight),
    wrong: count(({ isRight }) => !isRight),
    rightCalledRight: count(({ isRight, isYes }) => isRight && isYes),
    wrongCalledRight: count(({ isRight, isYes }) => !isRight && isYes),
  };
}

/** Parts over wholes, both summed over the problems by their weights; 0 with nothing known where there is no whole. */
function shareOf(problems: readonly ProblemRecord[], of: (problem: ProblemRecord) => Share): Estimate {
  const shares = problems.flatMap((problem) => {
    const [part, whole] = of(problem);
    return whole === 0 ? [] : [{ share: part / whole, weight: problem.weight * whole }];
  });
  if (shares.length === 0) return { mean: 0, low: 0, high: 1, count: 0 };
  return meanOverProblems(
    shares.map(({ share }) => share),
    shares.map(({ weight }) => weight),
  );
}
