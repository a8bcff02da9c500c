/**
 * A task made of a task: its problems show a right answer of another one, hidden, shuffled, spoiled or beside others, and ask
 * for what was done to it. What is right is the inner task's own verifier's to say, and the split is the inner task's: a
 * problem of which one side has seen the answer is never on the other.
 *
 *   prompt   inner prompt, separator, what is shown of the answer, separator
 */
import { correct } from '../../../../src/data/judge.ts';
import { takeKnobs } from '../../../../src/data/knobs.ts';
import type { InnerLookup } from '../../../../src/data/registered_task.ts';
import { canonicalJSON } from '../../../../src/data/split.ts';
import type { AnyTaskDefinition, Knobs, ListedCard, TaskCard } from '../../../../src/data/task.ts';
import { ConfigError } from '../../../../src/errors.ts';
import { type Rng, rngFor } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { GivenOptions } from '../../../../src/options/read.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { malformed, missing, truncated, wrongValue } from '../../../../src/rewards/reject.ts';
import { characterTokenizer, wordTokenizer } from '../../../../src/text/vocabulary_tokenizer.ts';
import { Inner, type InnerProblem } from './inner.ts';
import type { OfTask } from './of_knob.ts';

/** What a derived problem shows and asks, in pieces. */
export interface Shown {
  /** Follows the inner prompt, with a separator on either side. */
  readonly shown: readonly string[];
  readonly answer: readonly string[];
  /** What judging needs besides, plain data. */
  readonly kept?: Json;
}

/** What is done to the problems of another task. */
export interface Derivation {
  /** What is asked, in English, before the text itself. */
  readonly question: string;
  /** Null for a problem that cannot be asked so. */
  draw(problem: InnerProblem, inner: Inner, rng: Rng, knobs: Knobs): Shown | null;
  /** Whether an answer has the form that is asked for, and then, whether it is right. */
  judge(problem: InnerProblem, inner: Inner, asked: Shown, answer: readonly string[]): Judgement;
  /** An answer of the right form, by a teacher who does not know. */
  guess(problem: InnerProblem, inner: Inner, asked: Shown, rng: Rng): readonly string[];
  /** Pieces beyond those of the inner task and its marks. */
  further(inner: Inner, knobs: Knobs): readonly string[];
  /** What is right is read off the answers that the inner task lists. */
  readonly needsListed?: true;
  /** Most pieces of what is shown, and of an answer, from those of the inner answer. */
  longest(answer: number, knobs: Knobs): { readonly shown: number; readonly answer: number };
}

export interface Judgement {
  /** 'unreadable': not of the form that is asked for. */
  readonly is: 'right' | 'wrong' | 'unreadable';
  readonly parts?: Readonly<Record<string, number>>;
}

type Identity = Shown & { readonly of: Json };

/** Problems that the commonest answer is counted on. */
const COUNTED = 256;
/** Above the share that was counted. */
const COUNT_ERROR = 0.08;
const RIGHT_SHARE = 0.5;
const SLACK_TOKENS = 2;

/** A task that is made of the one that its knob `of` names. @param innerOf  finds that one by its name */
export async function derived(
  card: ListedCard<Knobs>,
  how: Derivation,
  given: GivenOptions,
  innerOf: InnerLookup,
): Promise<AnyTaskDefinition> {
  const { of, inner } = await innerTask(card, given, innerOf);
  if (how.needsListed && inner.answers === 'open') {
    const rule = 'it has right answers that it does not list; use a task that lists all of its own';
    throw new ConfigError('bad-option', `task.of: ${JSON.stringify(of.task)} — ${rule}.`, { path: 'task.of' });
  }
  return derivedTask(card, of.task, inner, how);
}

/** The task that the knob `of` names, loaded. @throws ConfigError where it is made of a task itself */
export async function innerTask(
  card: ListedCard<Knobs>,
  given: GivenOptions,
  innerOf: InnerLookup,
): Promise<{ readonly of: OfTask; readonly inner: AnyTaskDefinition }> {
  const of = takeKnobs(card, given).of as unknown as OfTask; // the knob's own schema gave it
  const inside = innerOf(of.task);
  if (Object.hasOwn(inside.card.knobs, 'of')) {
    const rule = 'it is made of a task itself; name that one';
    throw new ConfigError('bad-option', `task.of: ${JSON.stringify(of.task)} — ${rule}.`, { path: 'task.of' });
  }
  return { of, inner: await inside.load() };
}

/** The inner task at the knobs of `of`, made once for each. @param task  the one that was loaded */
export function innersOf(
  card: { readonly name: string },
  task: string,
  definition: AnyTaskDefinition,
): (knobs: Knobs) => Inner {
  const inners = remembered((of: OfTask): Inner => {
    if (of.task === task) return new Inner(definition, of);
    throw new RangeError(`${card.name} was loaded for ${task}, not for ${of.task}`);
  });
  return (knobs) => inners(knobs.of as unknown as OfTask); // the knob's own schema gave it
}

/** A task that plays another one, whatever that is. */
export interface TaskOfTask {
  play(card: TaskCard<Knobs>, inner: AnyTaskDefinition, innerOf: ReturnType<typeof innersOf>): AnyTaskDefinition;
}

function derivedTask(
  card: ListedCard<Knobs>,
  task: string,
  definition: AnyTaskDefinition,
  how: Derivation,
): AnyTaskDefinition {
  const innerOf = innersOf(card, task, definition);
  const draw = (rng: Rng, knobs: Knobs): Identity | null => {
    const inner = innerOf(knobs);
    const problem = inner.draw(rng);
    const shown = problem && how.draw(problem, inner, rng, knobs);
    if (problem === null || shown === null) return null;
    const text = inner.join(shown.answer);
    // White space around an answer is not read, so none may begin or end with it.
    return trimAscii(text) === text ? { of: problem.identity, ...shown } : null;
  };
  const promptOf = (identity: Json, knobs: Knobs): string => {
    const { of, shown } = identity as unknown as Identity;
    const inner = innerOf(knobs);
    return inner.join([...inner.problem(of).prompt, inner.separator, ...shown, inner.separator]);
  };
  const oracleOf = (identity: Json, knobs: Knobs): string =>
    innerOf(knobs).join((identity as unknown as Identity).answer);
  const tokenizers = remembered((knobs: Knobs) => {
    const inner = innerOf(knobs);
    const tokens = [...new Set([...inner.alphabet, inner.separator, inner.gap, ...how.further(inner, knobs)])];
    const name = `${card.name} of ${task}`;
    return inner.pieces === 'words' ? wordTokenizer({ name, tokens }) : characterTokenizer({ name, tokens });
  });
  const commonest = remembered((knobs: Knobs): number => {
    const rng = rngFor(`derived chance|${card.name}|${canonicalJSON(knobs)}`);
    const counts = new Map<string, number>();
    let drawn = 0;
    for (let attempt = 0; drawn < COUNTED && attempt < 20 * COUNTED; attempt++) {
      const identity = draw(rng, knobs);
      if (identity === null) continue;
      const answer = identity.answer.join(' ');
      counts.set(answer, (counts.get(answer) ?? 0) + 1);
      drawn++;
    }
    return Math.max(0, ...counts.values()) / Math.max(1, drawn);
  });
  const { splitKey } = definition;
  return {
    ...card,
    family: definition.family,
    answers: 'open',
    generate: (rng, knobs) => draw(rng, knobs) as unknown as Json,
    key: (identity) => {
      const { of, shown } = identity as unknown as Identity;
      return `${card.name}|${canonicalJSON(of)}|${shown.join(' ')}`;
    },
    splitKey: (identity) => {
      const { of } = identity as unknown as Identity;
      return splitKey?.(of) ?? definition.key(of);
    },
    prompt: promptOf,
    question: (identity, knobs) => `${how.question} ${promptOf(identity, knobs)}`,
    oracle: oracleOf,
    demonstration(identity, knobs, rng) {
      if (rng.float() < RIGHT_SHARE) return oracleOf(identity, knobs);
      const asked = identity as unknown as Identity;
      const inner = innerOf(knobs);
      return inner.join(how.guess(inner.problem(asked.of), inner, asked, rng));
    },
    mutants(identity, knobs) {
      const right = oracleOf(identity, knobs);
      const { separator } = innerOf(knobs);
      const texts = {
        'given twice': `${right} ${right} ${right}`,
        'behind a separator': `${separator} ${right}`,
        'before a separator': `${right} ${separator}`,
        'in brackets': `[${right}]`,
        'in words': `it is ${right}`,
        'the prompt': promptOf(identity, knobs),
      };
      return Object.entries(texts).map(([name, text]) => ({ name, text, maxScore: 0 }));
    },
    verify(identity, answer, knobs, { finishReason }) {
      if (finishReason === 'length') return truncated();
      const text = trimAscii(answer);
      if (text === '') return missing('the answer is empty');
      const asked = identity as unknown as Identity;
      const inner = innerOf(knobs);
      if (text.length > LONGEST_ANSWER) return malformed('too long');
      const { is, parts } = how.judge(inner.problem(asked.of), inner, asked, inner.split(text));
      const withParts = parts === undefined ? {} : { parts };
      if (is === 'right') return { ...correct('as the inner task has it', text), ...withParts };
      if (is === 'unreadable') return { ...malformed('not of the form that is asked for'), ...withParts };
      return { ...wrongValue('not what was done to the answer'), canonical: text, ...withParts };
    },
    chance: (knobs) => Math.min(0.5, commonest(knobs) + COUNT_ERROR),
    tokenizer: (knobs) => tokenizers(knobs),
    limits(knobs) {
      const inner = innerOf(knobs);
      const { prompt, answer } = inner.limits();
      const most = how.longest(answer, knobs);
      const promptTokens = prompt + most.shown + 2;
      const perPiece = inner.pieces === 'words' ? 1 + Math.max(...inner.alphabet.map(({ length }) => length)) : 1;
      return {
        promptTokens,
        completionTokens: most.answer + 1 + SLACK_TOKENS,
        questionCharacters: how.question.length + 1 + promptTokens * perPiece,
      };
    },
  };
}

const LONGEST_ANSWER = 4096;

/** Computed once for each value. */
function remembered<K extends Json | Knobs | OfTask, T>(compute: (of: K) => T): (of: K) => T {
  const known = new Map<string, T>();
  return (of) => {
    const name = canonicalJSON(of as Json);
    const found = known.get(name) ?? compute(of);
    known.set(name, found);
    return found;
  };
}
