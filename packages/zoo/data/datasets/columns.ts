/** Which columns problems are read from, where a config does not name them: what the field calls them. */
import type { DatasetKnobs } from './card.ts';
import { isPair } from './preferences.ts';
import type { Row } from './row.ts';

/** Columns with a conversation; the second has turns of `from` and `value`, as ShareGPT has them. */
export const MESSAGES = 'messages';
const CONVERSATIONS = [MESSAGES, 'conversations', 'conversation'];
/** What a pair of preferences has for the better answer; it may be a whole conversation. */
const CHOSEN = 'chosen';

/** What a row gives its chat template besides messages, under TRL's names. */
export const TOOLS = 'tools';
export const TEMPLATE_KWARGS = 'chat_template_kwargs';

const PROMPT = 'prompt';
const PROMPTS = ['question', 'problem', 'instruction', 'query', 'input'];
/** Beside an instruction, as Alpaca has it: what the instruction is about. */
const ABOUT = ['instruction', 'input'];

export const ANSWER_COLUMNS: readonly string[] = ['answer', 'solution', 'completion'];
const ANSWERS = ['output', 'response', 'target', 'expected_answer', 'ground_truth', 'reward_model.ground_truth'];
/** Right answers that are marked in a worked solution, and what `extract` reads them. */
const MARKED = { hash: /^####/m, boxed: /\\boxed\s*\{/ };

/** All columns that problems may be read from, whatever the rows look like. */
export function readColumns({ prompt, answer, completion, choices }: DatasetKnobs): string[] {
  const named = [prompt, answer ?? [], completion ?? [], choices ?? []].flat();
  const guessed = [
    ...CONVERSATIONS,
    'system',
    TOOLS,
    TEMPLATE_KWARGS,
    CHOSEN,
    'rejected',
    'label',
    ...PROMPTS,
    ...ANSWER_COLUMNS,
    ...ANSWERS,
  ];
  return [...new Set([...named, ...guessed].flatMap((name) => [name, name.split('.')[0]]))];
}

/** The column with the conversation that a row is; undefined: it has a prompt. */
export function conversationColumn(
  row: Row,
  { prompt, completion }: DatasetKnobs,
  isShown: boolean,
): string | undefined {
  if ([prompt].flat()[0] in row) return undefined;
  const columns = isShown && completion === undefined ? [...CONVERSATIONS, CHOSEN] : CONVERSATIONS;
  return columns.find((name) => Array.isArray(row[name]));
}

/** @param row  the first one @returns the columns to read, and a note where the config does not say so */
export function guessColumns(
  row: Row,
  knobs: DatasetKnobs,
  { isShown, answers: { needsNone } }: { readonly isShown: boolean; readonly answers: { readonly needsNone: boolean } },
): { readonly knobs: DatasetKnobs; readonly note?: string } {
  const guessed: Partial<Record<'prompt' | 'answer' | 'completion', string | string[]>> = {};
  const isConversation = conversationColumn(row, knobs, needsNone) !== undefined;
  if (!isConversation && knobs.prompt === PROMPT && !(PROMPT in row)) {
    const column = PROMPTS.find((name) => name in row);
    if (column !== undefined) guessed.prompt = ABOUT.every((name) => name in row) ? ABOUT : column;
  }
  const isAnswered = knobs.answer !== undefined || ANSWER_COLUMNS.some((name) => name in row);
  if (!isConversation && !isAnswered) {
    const column = ANSWERS.filter((name) => name !== guessed.prompt).find((name) => hasMember(row, name));
    if (column !== undefined) guessed.answer = column;
    else if (needsNone && CHOSEN in row && knobs.completion === undefined) guessed.completion = CHOSEN;
    else if (!needsNone && isPair(row)) guessed.answer = CHOSEN;
  }
  const given = { ...knobs, ...guessed } as DatasetKnobs; // columns, as its own
  const unread =
    CHOSEN in row && 'rejected' in row && needsNone ? '"chosen" is learned, and "rejected" is not' : undefined;
  const written = Object.entries(guessed).map(
    ([key, column]) => `${key}: ${Array.isArray(column) ? `[${column.join(', ')}]` : column}`,
  );
  const remedy = isShown ? '' : '; write them in the task if they are right';
  const marked = needsNone || isConversation ? undefined : markOf(row, given);
  const notes = [
    written.length > 0 ? `columns are guessed as ${written.join(', ')}${remedy}` : [],
    unread ?? [],
    marked === undefined
      ? []
      : `answers are worked solutions, compared whole; extract: ${marked} reads what is marked in them`,
  ].flat();
  return { knobs: given, ...(notes.length > 0 && { note: notes.join('; ') }) };
}

function hasMember(row: Row, path: string): boolean {
  const [column, member] = path.split('.');
  const cell = row[column];
  return member === undefined ? column in row : typeof cell === 'object' && cell !== null && member in cell;
}

function markOf(row: Row, { answer, extract }: DatasetKnobs): string | undefined {
  const cell = row[answer ?? ANSWER_COLUMNS.find((name) => name in row) ?? ''];
  if (extract !== 'whole' || typeof cell !== 'string') return undefined;
  return Object.entries(MARKED).find(([, mark]) => mark.test(cell))?.[0];
}
