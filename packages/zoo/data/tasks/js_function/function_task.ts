/** A task whose answers are functions in JavaScript, made of what only it knows: which function is asked for, and how. */
import type { JavaScriptSandbox } from '../../../sandbox/javascript.ts';
import { lineTask, onlyMisses, type Rng, type TaskCard, type TaskDefinition } from '../../kit.ts';
import type { JsFunctionKnobs } from './card.ts';
import { CHARACTERS, functionText, LONGEST_STEP, neighbours } from './steps.ts';
import { functionMisses, isTold, judgeFunction, LONGEST_EXAMPLES, type ShownFunction } from './tests.ts';

type Definition<I extends ShownFunction> = TaskDefinition<I, JsFunctionKnobs>;

/** What a task of functions says of itself. */
export interface FunctionTask<I extends ShownFunction>
  extends Pick<Definition<I>, 'generate' | 'key' | 'splitKey' | 'prompt' | 'question' | 'chance'> {
  /** A function that looks right and is not, by name, beside those that every such task has. */
  misses(item: I): Readonly<Record<string, string>>;
  /** Most characters of a prompt, and of a question, besides the examples. */
  longest(knobs: JsFunctionKnobs): { readonly prompt: number; readonly question: number };
}

/** A definition of a card and of what only the task knows. Problems are of one family: a function is of one split in all. */
export function functionTask<I extends ShownFunction>(
  card: TaskCard<JsFunctionKnobs>,
  sandbox: JavaScriptSandbox,
  { misses, longest, ...own }: FunctionTask<I>,
): Definition<I> {
  const judge = (item: I, answer: string, { fuel }: JsFunctionKnobs) =>
    judgeFunction(sandbox, item, own.key(item), answer, fuel);
  const line = lineTask<I, JsFunctionKnobs>(card, {
    ...own,
    family: 'js_function',
    answers: 'open',
    characters: CHARACTERS,
    isFit: isTold,
    oracle: ({ steps }) => functionText(steps),
    verify: judge,
    mutants(item, knobs, rng: Rng) {
      const texts: Readonly<Record<string, string>> = {
        ...functionMisses(item, functionText(item.steps)),
        'another step': functionText(rng.pick(neighbours(item.steps))),
        ...misses(item),
      };
      return onlyMisses(texts, (text) => judge(item, text, knobs));
    },
    longest(knobs) {
      const { prompt, question } = longest(knobs);
      return {
        prompt: LONGEST_EXAMPLES + prompt,
        answer: 4 + knobs.steps * LONGEST_STEP,
        question: LONGEST_EXAMPLES + question,
      };
    },
  });
  return { ...line, takesTime: true, sandboxEngine: sandbox.engine };
}
