/**
 * A task whose answers have a form around them. What is read in the form is judged by the inner task's own verifier.
 *
 *   prompt      3 7 2 = 13 ?       as the inner task asks it
 *   sections    <plan> 3 * 2 = 6 </plan> <answer> 3 * 2 = 6 , 7 + 6 = 13 </answer>
 *   reasoned    3 * 2 = 6 | 3 * 2 = 6 , 7 + 6 = 13
 *   scored      3 * 2 = 6 , 7 + 6 = 13 | 1
 *   candidates  7 + 3 = 10 , 10 + 2 = 12 | 3 * 2 = 6 , 7 + 6 = 13
 *   split       the inner task's
 *
 * A plan is the last of the inner task's hints, or the problem again where it has none; `parts.kept` is 1 where the answer has the
 * plan in it. Without a mark, all is answer: rewards that read a score or candidates have them judged one by one.
 *
 * @see SATORI-R1, BTL-UI and GCA (sections), VeriFree (reasoned), DeepSeekMath-V2 (scored), AEPO (candidates)
 */
import { drawIdentity } from '../../../../src/data/split.ts';
import type { AnyTaskDefinition, Knobs, TaskCard } from '../../../../src/data/task.ts';
import { ConfigError } from '../../../../src/errors.ts';
import type { Rng } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { malformed, missing, truncated } from '../../../../src/rewards/reject.ts';
import { characterTokenizer, wordTokenizer } from '../../../../src/text/vocabulary_tokenizer.ts';
import type { InFormKnobs } from '../tasks/in_form/card.ts';
import type { Inner } from './inner.ts';
import { pickOf } from './retry_task.ts';

const MOST_CANDIDATES = 4;
const RIGHT_SHARE = 0.5;
/** With EOS. */
const SLACK_TOKENS = 3;
const LONGEST_ANSWER = 4096;

/** What is read of a completion. */
interface Read {
  readonly answer: string;
  readonly plan?: string;
}

/** @param innerOf  the task that is asked, at its own knobs @param inner  its definition */
export function formedTask(
  card: TaskCard<Knobs>,
  inner: AnyTaskDefinition,
  innerOf: (knobs: Knobs) => Inner,
): AnyTaskDefinition {
  const formOf = (knobs: Knobs): Form => new Form(innerOf(knobs), knobs as unknown as InFormKnobs); // the card's own
  return {
    ...card,
    ...(inner.sandboxEngine && { sandboxEngine: inner.sandboxEngine }),
    family: inner.family,
    answers: 'open',
    ...pickOf({ ...inner, question: undefined }, innerOf),
    columns: (identity, knobs) => ({
      ...inner.columns?.(identity, innerOf(knobs).knobs),
      problem: inner.prompt(identity, innerOf(knobs).knobs),
    }),
    generate: (rng, knobs) => drawIdentity(inner, innerOf(knobs).knobs, rng),
    key: (identity) => inner.key(identity),
    prompt: (identity, knobs) => inner.prompt(identity, innerOf(knobs).knobs),
    oracle: (identity, knobs) => formOf(knobs).write(identity, inner.oracle(identity, innerOf(knobs).knobs)),
    demonstration: (identity, knobs, rng) => formOf(knobs).demonstration(identity, rng),
    mutants(identity, knobs, rng) {
      const form = formOf(knobs);
      const texts = inner
        .mutants(identity, form.inner.knobs, rng)
        .map(({ name, text }) => ({ name, text: form.write(identity, text) }));
      const isMiss = (text: string): boolean => this.verify(identity, text, knobs, { finishReason: 'eos' }).score === 0;
      return texts.flatMap(({ name, text }) => (isMiss(text) ? [{ name, text, maxScore: 0 }] : []));
    },
    verify(identity, answer, knobs, context) {
      if (context.finishReason === 'length') return truncated();
      const text = trimAscii(answer);
      if (text === '') return missing('the answer is empty');
      const form = formOf(knobs);
      const read = text.length > LONGEST_ANSWER ? undefined : form.read(text);
      if (read === undefined || !form.isWritten(read.answer)) return malformed('not of the form that is asked for');
      const verdict = inner.verify(identity, read.answer, form.inner.knobs, context);
      if (read.plan === undefined) return verdict;
      return { ...verdict, parts: { ...verdict.parts, kept: Number(read.answer.includes(read.plan)) } };
    },
    chance: (knobs) => inner.chance(innerOf(knobs).knobs),
    tokenizer: (knobs) => formOf(knobs).tokenizer(card.name),
    limits(knobs) {
      const form = formOf(knobs);
      return { promptTokens: form.inner.limits().prompt, completionTokens: form.longest() + SLACK_TOKENS };
    },
  };
}

/** How answers of a task are written and read in a form. */
class Form {
  readonly inner: Inner;
  readonly #knobs: InFormKnobs;
  readonly #gap: string;
  /** In their order. */
  readonly #tags: readonly string[];

  constructor(inner: Inner, knobs: InFormKnobs) {
    this.inner = inner;
    this.#knobs = knobs;
    this.#gap = inner.pieces === 'words' ? ' ' : '';
    this.#tags = knobs.restates ? ['problem', 'plan', 'answer'] : ['plan', 'answer'];
    if (inner.alphabet.some((piece) => piece.includes('<'))) {
      const rule = 'it writes <, which opens tags here; use another';
      throw new ConfigError('bad-option', `task.of: ${JSON.stringify(inner.name)} — ${rule}.`, { path: 'task.of' });
    }
  }

  /** @param score  of a scored answer; others are written with the first candidate alone */
  write(identity: Json, answer: string, score = 1): string {
    const { separator } = this.inner;
    const between = `${this.#gap}${separator}${this.#gap}`;
    const { form } = this.#knobs;
    if (form === 'candidates') return answer;
    if (form === 'scored') return `${answer}${between}${score}`;
    const plan = this.#planOf(identity);
    if (form === 'reasoned') return `${plan}${between}${answer}`;
    const bodies: Readonly<Record<string, string>> = { problem: this.#promptOf(identity), plan, answer };
    return this.#tags.map((tag) => [`<${tag}>`, bodies[tag], `</${tag}>`].join(this.#gap)).join(this.#gap);
  }

  /** Undefined where the form is broken. */
  read(text: string): Read | undefined {
    const { form } = this.#knobs;
    const parts = text.split(this.inner.separator).map(trimAscii);
    if (form === 'candidates') return { answer: parts[0] };
    if (form === 'scored') return { answer: parts.length === 1 ? text : parts.slice(0, -1).join(this.inner.separator) };
    if (form === 'reasoned') {
      const [answer, ...before] = parts.reverse();
      return { answer, ...(before.length > 0 && { plan: before.reverse().join(this.inner.separator) }) };
    }
    const sections = this.#tags.map((tag) => `<${tag}>${this.#gap}([^<]+)${this.#gap}</${tag}>`).join(this.#gap);
    const bodies = new RegExp(`^${sections}$`).exec(text)?.slice(1);
    return bodies && { answer: bodies[bodies.length - 1], plan: bodies[bodies.length - 2] };
  }

  /** Whether an answer is of pieces of the inner task alone. */
  isWritten(answer: string): boolean {
    return this.inner.split(answer).every((piece) => this.inner.alphabet.includes(piece));
  }

  /** As the inner task's teacher answers: with the true score, and with the right answer at any place among the candidates. */
  demonstration(identity: Json, rng: Rng): string {
    const { definition, knobs, separator } = this.inner;
    const isScored = this.#knobs.form === 'scored';
    const given = definition.demonstration(identity, knobs, rng);
    const isRight = definition.verify(identity, given, knobs, { finishReason: 'eos' }).score === 1;
    if (this.#knobs.form !== 'candidates') return this.write(identity, given, isScored && !isRight ? 0 : 1);
    const right = definition.oracle(identity, knobs);
    const others = new Set(Array.from({ length: rng.int(0, MOST_CANDIDATES - 1) }, () => this.#another(rng)));
    const candidates = [...others].filter((other) => other !== right && other !== '');
    if (rng.float() < RIGHT_SHARE || candidates.length === 0) candidates.push(right);
    return rng.shuffle(candidates).join(`${this.#gap}${separator}${this.#gap}`);
  }

  longest(): number {
    const { prompt, answer } = this.inner.limits();
    const { form, restates } = this.#knobs;
    if (form === 'candidates') return MOST_CANDIDATES * (answer + 1);
    if (form === 'scored') return answer + 2;
    const plan = Math.max(prompt, answer);
    if (form === 'reasoned') return plan + 1 + answer;
    const tags = this.#tags.flatMap((tag) => [`<${tag}>`, `</${tag}>`]);
    const ofTags = this.#gap === '' ? tags.join('').length : tags.length;
    return plan + answer + ofTags + (restates ? prompt : 0);
  }

  tokenizer(name: string) {
    const { pieces, alphabet, separator, name: of } = this.inner;
    const tags = this.#knobs.form === 'sections' ? this.#tags.flatMap((tag) => [`<${tag}>`, `</${tag}>`]) : [];
    const further = pieces === 'words' ? tags : tags.join('').split('');
    const tokens = [...new Set([...alphabet, separator, '0', '1', ...further])];
    const vocabulary = { name: `${name} of ${of}`, tokens };
    return pieces === 'words' ? wordTokenizer(vocabulary) : characterTokenizer(vocabulary);
  }

  #promptOf(identity: Json): string {
    return this.inner.definition.prompt(identity, this.inner.knobs);
  }

  #planOf(identity: Json): string {
    const { definition, knobs } = this.inner;
    return definition.hints?.(identity, knobs).findLast((hint) => this.isWritten(hint)) ?? this.#promptOf(identity);
  }

  /** The answer to another problem. */
  #another(rng: Rng): string {
    const problem = this.inner.draw(rng);
    return problem === null ? '' : this.inner.join(problem.answer);
  }
}
