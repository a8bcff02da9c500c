/** How a completion came to be, where it was not simply sampled under its problem's own prompt: for logs, screens and pages. */
import { POLICY_TURN } from '../../data/environment.ts';
import type { Rollout, Turn } from '../../methods/records.ts';
import type { LoggedField } from '../../methods/support/rollouts/rollout_fields.ts';
import { TOKEN } from '../../token_kinds.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** As completions.jsonl names it. Whatever is absent is as in plain sampling. */
export type Provenance = {
  /** `hinted`, `branch`, `replay`, … */
  readonly origin?: string;
  /** Optimizer steps since a replay was sampled. */
  readonly age?: number;
  /** The prompts that it was sampled and is trained under, where these are not the problem's own. */
  readonly sampled_under?: string;
  readonly trained_under?: string;
  /** What the policy did not sample: put in without a loss, and put in and trained on. */
  readonly given?: string;
  readonly reference?: string;
  /** Where that is in the completion, by characters. */
  readonly marks?: readonly Mark[];
  /** Who wrote what, one after the other, where it has several turns. */
  readonly turns?: readonly LoggedTurn[];
};

/** A turn, and how many tokens it has. */
export type LoggedTurn = {
  readonly label: string;
  readonly text: string;
  readonly tokens: number;
  readonly reward?: number;
  readonly potential?: number;
  readonly illegal?: true;
  readonly denied?: true;
};

/** From a character up to another, which is not one of it. */
export type Mark = readonly [from: number, to: number, kind: 'given' | 'reference'];

const KINDS = [
  ['given', TOKEN.given],
  ['reference', TOKEN.reference],
] as const;

/** What tokens write. */
export type TextOf = (tokens: Int32Array) => string;

/** What each field of a rollout says of how it came to be, in the order of a line. */
export const PROVENANCE = {
  origin: ({ origin }) => (origin === undefined ? {} : { origin }),
  age: ({ age }) => (age === undefined ? {} : { age }),
  sampledUnder: ({ prompt, sampledUnder = prompt }, textOf) =>
    sampledUnder === undefined ? {} : { sampled_under: textOf(sampledUnder) },
  prompt: ({ prompt }, textOf) => (prompt === undefined ? {} : { trained_under: textOf(prompt) }),
  labels(rollout, textOf) {
    const { tokens, labels, turns } = rollout;
    if (turns !== undefined) return { marks: marksOfTurns(turns) };
    const putIn = labels === undefined ? [] : KINDS.filter(([, kind]) => labels.includes(kind));
    const marks = putIn.length === 0 ? [] : marksOf(rollout, textOf);
    return {
      ...Object.fromEntries(putIn.map(([name, kind]) => [name, textOf(tokens.filter((_, t) => labels?.[t] === kind))])),
      ...(marks.length > 0 && { marks }),
    };
  },
  turns({ turns }) {
    if (turns === undefined) return {};
    return { turns: turns.map(({ tokens, before: _, after: __, ...said }) => ({ ...said, tokens: tokens.length })) };
  },
} as const satisfies Partial<Record<LoggedField, (rollout: Rollout, textOf: TextOf) => Provenance>>;

export function provenanceOf(rollout: Rollout, textOf: TextOf): Provenance {
  return Object.assign({}, ...Object.values(PROVENANCE).map((said) => said(rollout, textOf)));
}

/** Characters that a page shows of a prompt, of all turns, and of who speaks in one. */
const LONGEST_PROMPT = 2_000;
const LONGEST_TEXT = 2_000;
const LONGEST_LABEL = 40;

/** From a line of completions.jsonl, which may be of an older version, or of anyone's; undefined: plain sampling. */
export function readProvenance(line: JsonObject): Provenance | undefined {
  const textAt = (name: string): Record<string, string> => {
    const text = line[name];
    return typeof text === 'string' ? { [name]: text.slice(0, LONGEST_PROMPT) } : {};
  };
  const marks = Array.isArray(line.marks) ? line.marks.filter(isMark) : [];
  const turns = readTurns(line.turns);
  const found: Provenance = {
    ...textAt('origin'),
    ...(typeof line.age === 'number' && { age: line.age }),
    ...textAt('sampled_under'),
    ...textAt('trained_under'),
    ...(turns.length > 0 ? { turns } : marks.length > 0 && { marks }), // turns say what was put in
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Their texts, one after the other, are no longer than a page shows of a completion. */
function readTurns(value: JsonValue | undefined): LoggedTurn[] {
  if (!Array.isArray(value)) return [];
  let room = LONGEST_TEXT;
  return value.flatMap((turn): LoggedTurn[] => {
    if (!isJsonObject(turn) || typeof turn.label !== 'string' || typeof turn.text !== 'string') return [];
    const { label, tokens, reward, potential } = turn;
    const text = turn.text.slice(0, room);
    room -= text.length;
    return [
      {
        label: label.slice(0, LONGEST_LABEL),
        text,
        tokens: typeof tokens === 'number' ? tokens : 0,
        ...(typeof reward === 'number' && { reward }),
        ...(typeof potential === 'number' && { potential }),
      },
    ];
  });
}

function isMark(value: unknown): value is Mark {
  if (!Array.isArray(value)) return false;
  const [from, to, kind] = value;
  return Number.isInteger(from) && Number.isInteger(to) && (kind === 'given' || kind === 'reference');
}

/** What others than the policy said: the text of a completion is that of its turns. */
function marksOfTurns(turns: readonly Turn[]): Mark[] {
  const marks: Mark[] = [];
  let at = 0;
  for (const { label, text } of turns) {
    if (label !== POLICY_TURN && text !== '') marks.push([at, at + text.length, 'given']);
    at += text.length;
  }
  return marks;
}

/** None where a part cannot be told from the rest: of a character of several tokens, some were put in. */
function marksOf({ tokens, labels = new Uint8Array(), text }: Rollout, textOf: TextOf): Mark[] {
  const marks: Mark[] = [];
  for (let from = 0, to = 0, begin = 0; from < tokens.length; from = to) {
    while (to < tokens.length && labels[to] === labels[from]) to++;
    const written = textOf(tokens.subarray(0, to)); // of all so far: a vocabulary of words writes spaces between them
    if (!text.startsWith(written) && !written.startsWith(text)) return [];
    const end = Math.min(written.length, text.length);
    const kind = KINDS.find(([, label]) => label === labels[from])?.[0];
    if (kind !== undefined && end > begin) marks.push([begin, end, kind]);
    begin = end;
  }
  return marks;
}

/** A piece of a completion: sampled where it has no kind. */
export interface Piece {
  readonly text: string;
  readonly kind?: Mark[2];
}

/** A completion in pieces, in order; marks that overlap or lie beyond it are left out. */
export function piecesOf(text: string, marks: readonly Mark[] = []): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [from, to, kind] of marks) {
    if (from < at || to <= from || to > text.length) continue;
    if (from > at) pieces.push({ text: text.slice(at, from) });
    pieces.push({ text: text.slice(from, to), kind });
    at = to;
  }
  return at < text.length || pieces.length === 0 ? [...pieces, { text: text.slice(at) }] : pieces;
}

/** Who speaks in a turn, and what is said, without the line ends that set turns apart. */
export type SpokenTurn<T = LoggedTurn> = T & { readonly isPolicy: boolean };

export function spokenTurns<T extends Pick<LoggedTurn, 'label' | 'text'>>(turns: readonly T[]): SpokenTurn<T>[] {
  return turns.map((turn) => ({
    ...turn,
    text: turn.text.replace(/^\s+|\s+$/g, ''),
    isPolicy: turn.label === POLICY_TURN,
  }));
}

/** `replay, 12 steps old`, `hinted`; undefined where there is nothing to say. */
export function originWords({ origin, age }: Provenance): string | undefined {
  if (origin === undefined || age === undefined) return origin;
  return `${origin}, ${age} ${age === 1 ? 'step' : 'steps'} old`;
}

/** Both prompts of a completion in words, where they are not the problem's own. */
export function promptWords({ sampled_under: sampled, trained_under: trained }: Provenance): string[] {
  if (sampled !== undefined && sampled === trained) return [`sampled and trained under: ${sampled}`];
  return [
    ...(sampled === undefined ? [] : [`sampled under: ${sampled}`]),
    ...(trained === undefined ? [] : [`trained under: ${trained}`]),
  ];
}
