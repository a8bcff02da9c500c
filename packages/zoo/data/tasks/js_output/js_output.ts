/**
 * What an expression in JavaScript gives: a list of numbers and methods that are called on it. Nothing is run for it.
 */
import { judgeNumbers } from '../../judging/judge.ts';
import { judgeNumber, lineTask, listMisses, numberMisses, onlyMisses } from '../../kit.ts';
import {
  CHARACTERS,
  chainText,
  drawChain,
  drawList,
  LONGEST_STEP,
  type Step,
  valueOfChain,
} from '../js_function/steps.ts';
import { type JsOutputKnobs, jsOutputCard } from './card.ts';

export type JsOutputItem = { readonly steps: readonly Step[]; readonly list: readonly number[] };

const LARGEST = 9;

const expressionText = ({ steps, list }: JsOutputItem): string => `${JSON.stringify(list)}${chainText(steps)}`;
const outputText = ({ steps, list }: JsOutputItem): string => JSON.stringify(valueOfChain(steps, list));

function judge({ steps, list }: JsOutputItem, answer: string) {
  const value = valueOfChain(steps, list);
  return typeof value === 'number' ? judgeNumber(answer, value) : judgeNumbers(answer, value);
}

export const jsOutput = lineTask<JsOutputItem, JsOutputKnobs>(jsOutputCard, {
  characters: CHARACTERS,
  generate(rng, { steps, length }) {
    const item = { steps: drawChain(rng, steps, false), list: drawList(rng, rng.int(3, length), LARGEST) };
    const value = valueOfChain(item.steps, item.list);
    const isCopy = outputText(item) === JSON.stringify(item.list);
    return isCopy || (typeof value !== 'number' && value.length === 0) ? null : item;
  },
  key: (item) => `js|${expressionText(item)}`,
  prompt: (item) => `js ${expressionText(item)}>`,
  question: (item) =>
    `What does this expression in JavaScript give? ${expressionText(item)} Answer with the value alone.`,
  oracle: outputText,
  verify: judge,
  mutants: (item, _knobs, rng) => {
    const value = valueOfChain(item.steps, item.list);
    const texts: Record<string, string> = {
      ...(typeof value === 'number' ? numberMisses(value) : listMisses(value.map(String), ',', rng)),
      'the expression': expressionText(item),
      'the list': JSON.stringify(item.list),
      'in a list of its own': `[${outputText(item)}]`,
      'a step left out': JSON.stringify(valueOfChain(item.steps.slice(0, -1), item.list)),
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  chance: () => 0.1,
  longest: ({ steps, length }) => ({
    prompt: 6 + 2 * length + steps * LONGEST_STEP,
    answer: 2 + length * (4 + steps),
    question: 100 + 2 * length + steps * LONGEST_STEP,
  }),
});
