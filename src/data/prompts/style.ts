/**
 * The two styles of asking a problem, and what a pretrained model reads before it. A `compact` one has the task's own
 * prompt, vocabulary and limits. A `plain` one is written in the characters of a keyboard: an English question, and an
 * answer in tags that `extractAnswer` reads.
 */
import { ConfigError } from '../../errors.ts';
import { type AnswerPolicy, extractAnswer } from '../../parsing/extract.ts';
import { malformed, missing, truncated } from '../../rewards/reject.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import type { Message } from '../../text/codec.ts';
import { characterTokenizer } from '../../text/vocabulary_tokenizer.ts';
import { mostEpisodeTokens, questionOf, type TurnLimits } from '../environment.ts';
import type { Conversation } from '../knobs.ts';
import type { AnyTaskDefinition, Knobs, Style, TaskItem, TaskLanguage, VerifyContext } from '../task.ts';

/** A repeated tag is no answer, since it would let a policy list many guesses. */
const ANSWER_POLICY: AnswerPolicy = 'only';
const INSTRUCTION = 'Write the answer between <answer> and </answer>.';
const TAGS = '<answer></answer>';
/** Characters of a question beyond those of the compact prompt, where the task does not say. */
const QUESTION_ROOM = 160;
/** The printable characters of ASCII, and the end of a line. */
const KEYBOARD = ['\n', ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))];

/** A compact text as the answer of a plain completion. */
export function tagged(answer: string): string {
  return `<answer>${answer}</answer>`;
}

/** The prompt of a plain problem. */
export function plainPrompt(question: string): string {
  return `${question}\n${INSTRUCTION}\n`;
}

/**
 * Vocabulary and limits of a task in a style. @param turns limits of a multi-turn task @throws ConfigError if it cannot
 * be asked in this style
 */
export function languageOf(
  definition: AnyTaskDefinition,
  knobs: Knobs,
  style: Style,
  path: string,
  turns?: TurnLimits,
): TaskLanguage {
  const tokenizer = definition.tokenizer(knobs);
  const { promptTokens, completionTokens, questionCharacters } = definition.limits(knobs);
  if (style === 'compact') {
    const fixedCompletionTokens = definition.fixedCompletionTokens?.(knobs);
    if (turns === undefined) return { tokenizer, promptTokens, completionTokens, fixedCompletionTokens };
    return { tokenizer, promptTokens, completionTokens: mostEpisodeTokens(turns), fixedCompletionTokens, turns };
  }
  const { closed } = tokenizer;
  if (definition.question === undefined || definition.environment !== undefined || closed === undefined) {
    const lacks = definition.environment
      ? 'it is played in turns'
      : closed === undefined
        ? 'its vocabulary is of its own kind'
        : 'it has no question()';
    const message = `${path}.style: "plain" — ${definition.name} has a compact prompt alone: ${lacks}; leave it out.`;
    throw new ConfigError('bad-option', message, { key: 'style', value: style });
  }
  const perToken = closed.pieces === 'characters' ? 1 : 1 + Math.max(...closed.tokens.map(({ length }) => length));
  const characters = closed.tokens.flatMap((token) => token.split(''));
  const question = questionCharacters ?? promptTokens * perToken + QUESTION_ROOM;
  return {
    tokenizer: characterTokenizer({ name: 'plain text', tokens: [...new Set([...KEYBOARD, ...characters])] }),
    promptTokens: question + plainPrompt('').length,
    // The task's limit includes EOS if it has one.
    completionTokens: completionTokens * perToken + TAGS.length + 1,
    fixedCompletionTokens: undefined,
  };
}

/** The answer of a completion for a verifier, or the verdict if there is no answer. */
export type ReadCompletion =
  | { readonly answer: string; readonly context: VerifyContext }
  | { readonly answer: undefined; readonly verdict: Verdict };

/**
 * Reads a plain completion: its answer is what is between its tags. Text cut by the token limit after a closed tag does
 * not matter: the tag ends the answer, as EOS ends a compact one.
 */
export function readTagged(completion: string, { finishReason }: VerifyContext): ReadCompletion {
  const extraction = extractAnswer(completion, ANSWER_POLICY);
  if (extraction.ok) return { answer: extraction.answer, context: { finishReason: 'eos' } };
  if (finishReason === 'length') return { answer: undefined, verdict: truncated() };
  const { reason } = extraction;
  return { answer: undefined, verdict: completion.includes('<answer>') ? malformed(reason) : missing(reason) };
}

/**
 * Reads the completion of a pretrained model as its answer, whole. Surrounding white space is ignored; a
 * completion cut by the token limit has no answer.
 */
export function readBare(completion: string, context: VerifyContext): ReadCompletion {
  if (context.finishReason === 'length') return { answer: undefined, verdict: truncated() };
  return { answer: completion.trim(), context };
}

/** Most draws of example problems to find enough different ones. */
const EXAMPLE_DRAWS = 1000;

/** Problems to choose each example from. */
const EXAMPLE_CHOICES = 4;

/**
 * Whether the answer is verbatim in the question, like sorted digits: such examples teach a model to copy, and a group
 * that only copies is dead.
 */
function isCopied(item: TaskItem): boolean {
  return questionOf(item).some(({ content }) => content.includes(item.answer));
}

/**
 * The turns of a problem after those of the run. Most templates take one system message, at the start: that of the run, and
 * that of the problem below it.
 */
export function withOpening(opening: readonly Message[] = [], turns: readonly Message[]): readonly Message[] {
  const [own, ...rest] = turns;
  if (own?.role !== 'system') return [...opening, ...turns];
  const [first, ...examples] = opening;
  if (first?.role !== 'system') return [own, ...opening, ...rest];
  return [{ ...own, content: `${first.content}\n\n${own.content}` }, ...examples, ...rest];
}

/**
 * A system message, and example problems with their answers as turns.
 *
 * @param draw  problem `index` of a stream
 * @param answered  the turns after a question
 */
export function openingOf(
  { system, examples }: Conversation,
  draw: (index: number) => TaskItem,
  answered: (item: TaskItem) => readonly Message[] = ({ answer }) => [{ role: 'assistant', content: answer }],
): readonly Message[] {
  const shown = new Map<string, TaskItem>();
  for (let index = 0; shown.size < EXAMPLE_CHOICES * examples && index < EXAMPLE_DRAWS; index++) {
    const item = draw(index);
    if (!shown.has(item.key)) shown.set(item.key, item);
  }
  const found = [...shown.values()];
  const chosen = [...found.filter((item) => !isCopied(item)), ...found.filter(isCopied)].slice(0, examples);
  // A conversation begins with one system message, if any: those of examples are left out.
  const asked = (item: TaskItem) => questionOf(item).filter(({ role }) => role !== 'system');
  const turns = chosen.flatMap((item): Message[] => [...asked(item), ...answered(item)]);
  return system === undefined ? turns : [{ role: 'system', content: system }, ...turns];
}
