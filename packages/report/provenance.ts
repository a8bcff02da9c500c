/** How a completion came to be, as screens and pages show it: what completions.jsonl says of it, read and put in words. */
import { POLICY_TURN } from '../../src/data/environment.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/run/json.ts';
import type { LoggedTurn, Mark, Provenance } from '../../src/run/logs/provenance.ts';

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
