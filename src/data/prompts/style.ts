/**
 * The two ways to ask a problem, and what a pretrained model reads before it. A `compact` one has the task's own prompt, vocabulary and limits. A `plain` one is
 * written in the characters of a keyboard: an English question, and an answer in tags that `extractAnswer` reads.
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

/** A tag that is there several times is no answer: it would let a policy list all that it can think of. */
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

/** Vocabulary and limits of a task at a style. @param turns  those of a task that is played @throws ConfigError where it cannot be asked in this way */
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
    // Those of the task count its EOS where it has one.
    completionTokens: completionTokens * perToken + TAGS.length + 1,
    fixedCompletionTokens: undefined,
  };
}

/** What a verifier is asked of a completion; or the verdict, where that holds no answer to ask about. */
export type ReadCompletion =
  | { readonly answer: string; readonly context: VerifyContext }
  | { readonly answer: undefined; readonly verdict: Verdict };

/**
 * Reads a plain completion: its answer is what is between its tags. What the token limit cut after a closed tag is not
 * missing: the tag ends the answer, as EOS ends a compact one.
 */
export function readTagged(completion: string, { finishReason }: VerifyContext): ReadCompletion {
  const extraction = extractAnswer(completion, ANSWER_POLICY);
  if (extraction.ok) return { answer: extraction.answer, context: { finishReason: 'eos' } };
  if (finishReason === 'length') return { answer: undefined, verdict: truncated() };
  const { reason } = extraction;
  return { answer: undefined, verdict: completion.includes('<answer>') ? malformed(reason) : missing(reason) };
}

/**
 * Reads the completion of a pretrained model, all of which is the answer. Spaces and ends of lines around it say nothing;
 * what was cut by the token limit is no answer.
 */
export function readBare(completion: string, context: VerifyContext): ReadCompletion {
  if (context.finishReason === 'length') return { answer: undefined, verdict: truncated() };
  return { answer: completion.trim(), context };
}

/** Draws of example problems, at most, to find as many different ones as are asked. */
const EXAMPLE_DRAWS = 1000;

/** Problems to choose each example from. */
const EXAMPLE_CHOICES = 4;

/**
 * The answer is in the question word for word, as with digits that are sorted already: such examples teach a model to copy,
 * and groups in which all completions copy are dead.
 */
function isCopied(item: TaskItem): boolean {
  return questionOf(item).some(({ content }) => content.includes(item.answer));
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
  const turns = chosen.flatMap((item): Message[] => [...questionOf(item), ...answered(item)]);
  return system === undefined ? turns : [{ role: 'system', content: system }, ...turns];
}
