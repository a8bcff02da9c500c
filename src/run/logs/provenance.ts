/**
 * The origin of a completion that was not simply sampled under its problem's own prompt, for logs, screens and pages.
 */
import { POLICY_TURN } from '../../data/environment.ts';
import type { Rollout, Turn } from '../../methods/records.ts';
import type { LoggedField } from '../../methods/support/rollouts/rollout_fields.ts';
import { TOKEN } from '../../token_kinds.ts';

/** As completions.jsonl names it. Absent fields mean plain sampling. */
export type Provenance = {
  /** `hinted`, `branch`, `replay`, … */
  readonly origin?: string;
  /** Optimizer steps since a replay was sampled. */
  readonly age?: number;
  /** The prompts that it was sampled and is trained under, if not the problem's own. */
  readonly sampled_under?: string;
  readonly trained_under?: string;
  /** Text that the policy did not sample: `given` has no loss, `reference` is trained on. */
  readonly given?: string;
  readonly reference?: string;
  /** Positions of that text in the completion, in characters. */
  readonly marks?: readonly Mark[];
  /** Its turns in order, if it has several. */
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

/** A range of characters; `to` is exclusive. */
export type Mark = readonly [from: number, to: number, kind: 'given' | 'reference'];

const KINDS = [
  ['given', TOKEN.given],
  ['reference', TOKEN.reference],
] as const;

/** What tokens write. */
export type TextOf = (tokens: Int32Array) => string;

/** The provenance in each field of a rollout, in the order of a line. */
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
  return Object.assign({}, ...Object.values(PROVENANCE).map((column) => column(rollout, textOf)));
}

/** Marks the turns that the policy did not write; a completion's text joins its turns. */
function marksOfTurns(turns: readonly Turn[]): Mark[] {
  const marks: Mark[] = [];
  let at = 0;
  for (const { label, text } of turns) {
    if (label !== POLICY_TURN && text !== '') marks.push([at, at + text.length, 'given']);
    at += text.length;
  }
  return marks;
}

/** No marks if part of a character was put in, which cannot be told apart in the text. */
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
