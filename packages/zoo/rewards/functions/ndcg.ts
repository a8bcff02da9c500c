/**
 * How good a ranking is whose elements have grades. After GroupRank.
 *
 *   NDCG = DCG / DCG of the best order,   DCG = Σ (2^grade − 1)/log2(rank + 1)
 *   R = (1 − w)·NDCG + w·(1 − ½·Σ |share of a grade among the given − among the true|)
 *
 * The answer is a list of ids, the best first, or `id: grade` for each, then ranked by grade; just the ids of the problem, each
 * once, else 0.
 */
import { number, options, text } from '../../../../src/options/keys.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { comparing, type TruthForm } from '../truth.ts';

const ENTRY = /^\[?([^\s[\]:,]+)\]?(?: *: *(-?[0-9]{1,6}(?:\.[0-9]{1,6})?))?$/;
const MOST_GRADE = 32;

type Grades = ReadonlyMap<string, number>;

const gradesForm: TruthForm<Grades> = {
  form: `a mapping from id to grade, 0 to ${MOST_GRADE}, with one above 0`,
  read(value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value);
    const isGrade = (grade: unknown): boolean => typeof grade === 'number' && grade >= 0 && grade <= MOST_GRADE;
    const isSound = entries.every(([, grade]) => isGrade(grade)) && entries.some(([, grade]) => grade > 0);
    return isSound ? new Map(entries) : undefined;
  },
};

export const ndcgReward = defineReward({
  does: 'NDCG of a ranking of ids, or of id: grade pairs, against the grades of the problem; 0 where an id is missing, repeated or new.',
  options: options({
    column: text('grades').default('grades').describe('The column of a problem that maps each id to its grade.'),
    distribution: number({ min: 0, max: 1, example: 0.2 })
      .default(0)
      .describe('Weight of how well the given grades are distributed as the true ones; the rest is that of the NDCG.'),
  }),
  create: ({ column, distribution }) =>
    comparing({
      name: 'ndcg',
      range: [0, 1],
      truth: gradesForm,
      column,
      score(answer, truth) {
        const ranking = readRanking(answer);
        if (ranking === undefined || ranking.length !== truth.size || !ranking.every(([id]) => truth.has(id))) return 0;
        if (new Set(ranking.map(([id]) => id)).size < ranking.length) return 0;
        const grades = ranking.map(([id]) => truth.get(id) ?? 0);
        const best = [...truth.values()].sort((a, b) => b - a);
        const ndcg = gainOf(grades) / gainOf(best);
        if (distribution === 0) return Math.min(1, ndcg);
        const isGraded = ranking.every(([, grade]) => grade !== undefined);
        const fit = isGraded
          ? 1 -
            distance(
              ranking.map(([, grade]) => grade ?? 0),
              best,
            )
          : 0;
        return Math.min(1, (1 - distribution) * ndcg + distribution * fit);
      },
    }),
});

/** Ids with their grades, the best first; undefined for what is no ranking. */
function readRanking(answer: string): [id: string, grade: number | undefined][] | undefined {
  const parts = answer.split(/[,\n]/).map(trimAscii);
  const entries = parts.map((part): [string, number | undefined] | undefined => {
    const match = ENTRY.exec(part);
    return match === null ? undefined : [match[1], match[2] === undefined ? undefined : Number(match[2])];
  });
  if (entries.some((entry) => entry === undefined)) return undefined;
  const read = entries as [string, number | undefined][]; // none is undefined
  const graded = read.filter(([, grade]) => grade !== undefined).length;
  if (graded === 0) return read;
  return graded === read.length ? read.toSorted(([, a = 0], [, b = 0]) => b - a) : undefined;
}

function gainOf(grades: readonly number[]): number {
  return grades.reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);
}

/** Half of the sum of differences between the shares of each rounded grade: 0 for the same, 1 for none in common. */
function distance(given: readonly number[], truth: readonly number[]): number {
  const differences = new Map<number, number>();
  const add = (grade: number, share: number) => {
    const rounded = Math.round(grade);
    differences.set(rounded, (differences.get(rounded) ?? 0) + share);
  };
  for (const grade of given) add(grade, 1 / given.length);
  for (const grade of truth) add(grade, -1 / truth.length);
  return [...differences.values()].reduce((sum, difference) => sum + Math.abs(difference), 0) / 2;
}
