/** A linear equation with a whole solution. */
import { judgeNumber, lineTask, numberMisses } from '../../kit.ts';
import { type SimpleEquationsKnobs, simpleEquationsCard } from './card.ts';

/** slope·x + constant on each side. */
export type SimpleEquationsItem = {
  readonly left: readonly [slope: number, constant: number];
  readonly right: readonly [slope: number, constant: number];
};

function solution({ left, right }: SimpleEquationsItem): number {
  return (right[1] - left[1]) / (left[0] - right[0]);
}

function sideText([slope, constant]: readonly [number, number]): string {
  if (slope === 0) return String(constant);
  const variable = slope === 1 ? 'x' : slope === -1 ? '-x' : `${slope}x`;
  if (constant === 0) return variable;
  return `${variable}${constant > 0 ? '+' : ''}${constant}`;
}

const equationText = ({ left, right }: SimpleEquationsItem): string => `${sideText(left)}=${sideText(right)}`;

export const simpleEquations = lineTask<SimpleEquationsItem, SimpleEquationsKnobs>(simpleEquationsCard, {
  characters: '0123456789x+-=>',
  generate(rng, { coefficient, solution: most, both_sides }) {
    const x = rng.int(-most, most);
    const slope = rng.int(1, coefficient) * (rng.int(0, 3) === 0 ? -1 : 1);
    const constant = rng.int(-coefficient, coefficient);
    const other = both_sides ? rng.int(-coefficient, coefficient) : 0;
    const item = { left: [slope, constant], right: [other, slope * x + constant - other * x] } as const;
    // An equation that says its solution is none to solve.
    return slope === other || (slope === 1 && constant === 0 && other === 0) ? null : item;
  },
  key: (item) => `equation|${[sideText(item.left), sideText(item.right)].sort().join('=')}`,
  twin: ({ left, right, ...item }) => ({ ...item, left: right, right: left }),
  prompt: (item) => `${equationText(item)}>`,
  question: (item) => `Solve ${equationText(item)} for x.`,
  oracle: (item) => String(solution(item)),
  verify: (item, answer) => judgeNumber(answer, solution(item), { plain: true, variable: 'x' }),
  mutants: (item) => ({
    ...numberMisses(solution(item)),
    'the equation': equationText(item),
    'of another variable': `y=${solution(item)}`,
    'two solutions': `x=${solution(item)}, x=${solution(item) + 1}`,
  }),
  chance: ({ solution: most }) => 2 / most,
  longest: ({ coefficient, solution: most }) => ({
    prompt: 3 * String(coefficient).length + String(2 * coefficient * (most + 1)).length + 9,
    answer: String(most).length + 1,
  }),
});
