/**
 * Admits each problem to the training once it has shown that it can be trusted, and remembers what became of it:
 *
 *   reference   its own right answer is judged right
 *   empty       an empty answer, and the prompt itself, are not
 *   guessed     right answers of other problems are judged right no more often than `most_guessed`
 *   solved, impossible   of `samples` completions of the policy some are right, and not all; 0 samples ask nothing
 *
 * A problem that fails takes no place while others are found. Answers in turns are not texts: such problems are tried on the
 * policy alone. After SWE-Next, MLE-Smith and MedVLSynther, whose problems must fail before and pass after.
 */
import type { TaskItem } from '../../../../src/data/task.ts';
import { problemKey } from '../../../../src/methods/ledger.ts';
import { integer, type Json, keys, method, number, type PromptSource, type SourceTools, STARVED } from '../kit.ts';
import { drawWanted } from '../support/prompts/drawn.ts';

const ROUNDS = 8;
/** Problems that are remembered; beyond, those tried longest ago are tried again. */
const REMEMBERED = 20_000;
/** Answers of other problems that each is tried with. */
const OTHERS = 8;

const REFUSALS = ['reference', 'empty', 'guessed', 'solved', 'impossible'] as const;
type Outcome = 'admitted' | (typeof REFUSALS)[number];

export const admission = method({
  id: 'admission',
  about: {
    does: 'Admits problems whose verifier tells right answers from others, and that the policy solves sometimes.',
    names: ['problem validation', 'fails before, passes after'],
    formula:
      'score(reference) = 1, score(empty, prompt) < 1, mean score(answers of others) ≤ most_guessed, 0 < right < samples',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    samples: integer({ min: 0, max: 256, example: 8 })
      .default(0)
      .describe('Completions of each new problem, of which some must be right and not all; 0: none.'),
    mostGuessed: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the right answers of other problems that may be right here, too.'),
  }),
  readsVerdicts: true,
  create: ({ samples, mostGuessed }): PromptSource => {
    let known = new Map<string, Outcome>();
    return {
      async next(count, draw, tools) {
        const seen: Outcome[] = [];
        const { items, starved } = await drawWanted(count, draw, ROUNDS, async (drawn) => {
          const fresh = [...new Map(drawn.map((item) => [problemKey(item), item])).values()].filter(
            (item) => !known.has(problemKey(item)),
          );
          const outcomes = await tried(fresh, samples, mostGuessed, tools);
          fresh.forEach((item, i) => known.set(problemKey(item), outcomes[i]));
          return drawn.map((item) => {
            const outcome = known.get(problemKey(item)) ?? 'admitted';
            seen.push(outcome);
            return outcome === 'admitted';
          });
        });
        known = new Map([...known].slice(-REMEMBERED));
        tools.metric(STARVED, starved);
        const shareOf = (outcome: Outcome): number => seen.filter((one) => one === outcome).length / seen.length;
        tools.metric('admitted', shareOf('admitted'));
        for (const outcome of REFUSALS) tools.metric(`refused/${outcome}`, shareOf(outcome));
        return items;
      },
      state: () => [...known] as unknown as Json, // plain data
      restore(state) {
        known = new Map(state as unknown as readonly (readonly [string, Outcome])[]); // written by `state`
      },
    };
  },
});

/** What becomes of each problem; texts first, since they cost no token. */
async function tried(
  items: readonly TaskItem[],
  samples: number,
  mostGuessed: number,
  { solutionText, judge, attempt }: SourceTools,
): Promise<readonly Outcome[]> {
  const answers = items.map(solutionText);
  const asked = items.flatMap((item, i) => {
    const own = answers[i];
    if (own === undefined) return [];
    const others = answers.slice(0, OTHERS + 1).flatMap((other, j) => (j === i || other === undefined ? [] : [other]));
    return [own, '', item.prompt, ...others].map((text, place) => ({ i, place, text }));
  });
  const verdicts = await judge(asked.map(({ i, text }) => ({ item: items[i], text })));
  const outcomes = items.map((_, i): Outcome => {
    const scores = asked.flatMap((one, k) => (one.i === i ? [verdicts[k].score] : []));
    if (scores.length === 0) return 'admitted';
    const [reference, empty, echo, ...others] = scores;
    if (reference !== 1) return 'reference';
    if (empty === 1 || echo === 1) return 'empty';
    const guessed = others.filter((score) => score === 1).length;
    return guessed > mostGuessed * others.length ? 'guessed' : 'admitted';
  });
  if (samples === 0) return outcomes;
  const left = items.filter((_, i) => outcomes[i] === 'admitted');
  const tries = await attempt(left, { samples });
  return items.map((item, i) => {
    if (outcomes[i] !== 'admitted') return outcomes[i];
    const right = tries[left.indexOf(item)].filter(({ score }) => score === 1).length;
    return right === 0 ? 'impossible' : right === samples ? 'solved' : 'admitted';
  });
}
