/**
 * A task whose answers are run, for a policy that may try before it answers: a call runs what it gives, and an action
 * without one is the answer, which the task itself judges.
 */
import type { Knobs, TaskCard, TaskDefinition } from '../../../../src/data/task.ts';
import type { Rng } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { Tool } from './tool.ts';
import { toolEnvironment } from './tool_environment.ts';

/** How answers are tried. */
export interface Trial<I extends Json> {
  readonly tool: Tool<null>;
  /** Characters of prompts, answers, calls and of what the tool gives. */
  readonly characters: string;
  /** The arguments of a call that tries an answer. */
  call(identity: I, answer: string): Readonly<Record<string, string>>;
  /** Characters of a call's values beyond those of an answer, and of what the tool gives. */
  readonly longest: { readonly call: number; readonly observation: number };
}

type TriedKnobs = Knobs & { readonly calls: number; readonly tools: readonly string[] };

/** Draws of another problem, whose answer a player takes who knows the form of answers alone. */
const MOST_DRAWS = 20;

/** @param inner  the task that is answered; the knobs of the card are its own, and `calls` and `tools` */
export function triedTask<I extends Json, K extends Knobs, Given extends K & TriedKnobs>(
  card: TaskCard<Given>,
  inner: TaskDefinition<I, K>,
  { tool, characters, call, longest }: Trial<I>,
): TaskDefinition<I, Given> {
  const another = (identity: I, knobs: Given, rng: Rng): string => {
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const other = inner.generate(rng, knobs);
      if (other !== null) return inner.oracle(other, knobs);
    }
    return inner.oracle(identity, knobs);
  };
  const tried = (identity: I, answer: string) => ({ call: tool.name, arguments: call(identity, answer) });
  const made = toolEnvironment<I, null, Given>(card, {
    family: inner.family,
    characters,
    tools: [tool],
    generate: (rng, knobs) => inner.generate(rng, knobs),
    ...(inner.isFit && { isFit: (identity: I, knobs: Given) => inner.isFit?.(identity, knobs) ?? true }),
    ...(inner.splitKey && { splitKey: (identity: I) => inner.splitKey?.(identity) ?? inner.key(identity) }),
    key: (identity) => inner.key(identity),
    prompt: (identity, knobs) => inner.prompt(identity, knobs),
    ...(inner.question && { question: (identity: I, knobs: Given) => inner.question?.(identity, knobs) ?? '' }),
    start: () => null,
    verify: ({ identity }, answer, knobs) => inner.verify(identity, answer, knobs, { finishReason: 'eos' }),
    expert({ identity, results, made }, knobs) {
      const right = inner.oracle(identity, knobs);
      const isKnown = knobs.tools.length === 0 || results.length > 0 || made >= knobs.calls;
      return isKnown ? right : tried(identity, right);
    },
    random({ identity }, knobs, rng) {
      const answer = another(identity, knobs, rng);
      return knobs.tools.length === 0 || rng.float() < 0.5 ? answer : tried(identity, answer);
    },
    mutants(identity, knobs, rng) {
      const texts = inner.mutants(identity, knobs, rng).map(({ name, text }) => [name, text] as const);
      const alone = `<call>${[tool.name, ...Object.values(call(identity, inner.oracle(identity, knobs)))].join(' ')}</call>`;
      return { ...Object.fromEntries(texts.filter(([, text]) => !text.includes('\n'))), 'a call alone': alone };
    },
    chance: (knobs) => inner.chance(knobs),
    longest(knobs) {
      const { promptTokens, completionTokens, questionCharacters } = inner.limits(knobs);
      return {
        calls: knobs.calls,
        prompt: promptTokens,
        values: completionTokens + longest.call,
        observation: longest.observation,
        answer: completionTokens,
        ...(questionCharacters !== undefined && { question: questionCharacters }),
      };
    },
  });
  return { ...made, ...(inner.sandboxEngine && { sandboxEngine: inner.sandboxEngine }) };
}

/** A text without characters that a closed vocabulary has no token for. */
export function writable(text: string, characters: string): string {
  return Array.from(text, (one) => (characters.includes(one) ? one : '?')).join('');
}
