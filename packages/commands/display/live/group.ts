/** Groups of completions on the screen: what each was worth, and what the policy learns from it. */

import type { Colors } from '../../../../src/cli/display/colors.ts';
import { ENVIRONMENT_TURN } from '../../../../src/data/environment.ts';
import { minus, printable, thousands } from '../../../../src/format.ts';
import type { CreditedGroup } from '../../../../src/methods/records.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { type Provenance, provenanceOf } from '../../../../src/run/logs/provenance.ts';
import { originWords, piecesOf, promptWords, type SpokenTurn, spokenTurns } from '../../../report/provenance.ts';
import { columnsOf, cut, cutSpans, line, type Span } from './text.ts';

export interface ShownGroup {
  /** The optimizer step that it was sampled for: a group stays for some steps, to be read. */
  readonly step: number;
  readonly prompt: string;
  readonly size: number;
  /** Without a gradient, as its rewards are all equal. */
  readonly dead: boolean;
  /** Completions that are alike are one entry; those of most reward first. */
  readonly entries: readonly GroupEntry[];
}

export interface GroupEntry {
  readonly completion: string;
  readonly verdict: Verdict;
  /** null: no reward function applies. */
  readonly reward: number | null;
  readonly advantage: number;
  readonly times: number;
  /** How it came to be, where it was not simply sampled. */
  readonly provenance: Provenance;
}

/** @param textOf  what tokens write */
export function shownGroup(
  { item, rollouts, advantages, dead }: CreditedGroup,
  step: number,
  textOf: (tokens: Int32Array) => string,
): ShownGroup {
  const entries = new Map<string, GroupEntry>();
  rollouts.forEach((rollout, i) => {
    const { text: completion, verdict, reward = null } = rollout;
    const advantage = advantages[i] ?? 0;
    const provenance = provenanceOf(rollout, textOf);
    const key = JSON.stringify([completion, reward, advantage, provenance]);
    const times = 1 + (entries.get(key)?.times ?? 0);
    entries.set(key, { completion, verdict, reward, advantage, times, provenance });
  });
  const worth = ({ reward }: GroupEntry): number => reward ?? Number.NEGATIVE_INFINITY;
  const sorted = [...entries.values()].sort((a, b) => worth(b) - worth(a) || b.times - a.times);
  return { step, prompt: item.prompt, size: rollouts.length, dead, entries: sorted };
}

/**
 * Groups one below the other, as many as there is room for; empty lines at the end where they are few, so that the region
 * keeps its height.
 *
 * @param rows  of all lines
 */
export function groupLines(groups: readonly ShownGroup[], columns: number, rows: number, colors: Colors): string[] {
  const lines: string[] = [];
  for (const group of groups) {
    if (rows - lines.length < 2) break; // a head and an entry
    lines.push(...linesOf(group, columns, rows - lines.length, colors));
  }
  return [...lines, ...Array.from({ length: rows - lines.length }, () => '')];
}

/** At most `rows` lines: a head, the entries, and how many completions are left out. */
function linesOf(
  { step, prompt, size, dead, entries }: ShownGroup,
  columns: number,
  rows: number,
  colors: Colors,
): string[] {
  const count = `step ${thousands(step)}, ${size} ${size === 1 ? 'completion' : 'completions'}`;
  const note = dead ? `${count} of equal reward: nothing to learn from` : count;
  const shown = cut(printable(prompt), Math.max(1, Math.floor(columns / 2)));
  const head: Span[] = [
    ['  reward  advantage     ', colors.dim],
    [shown, colors.bold],
    [`  ${note}`, colors.dim],
  ];
  const room = rows - 1;
  const fitting = entries.length > room ? entries.slice(0, Math.max(1, room - 1)) : entries;
  const more = entries.slice(fitting.length).reduce((sum, { times }) => sum + times, 0);
  const lines = [line(head, columns), ...fitting.map((entry) => entryLine(entry, columns, colors))];
  if (more > 0) lines.push(line([[`  and ${more} more`, colors.dim]], columns));
  return lines.slice(0, rows);
}

function entryLine(
  { completion, verdict, reward, advantage, times, provenance }: GroupEntry,
  columns: number,
  colors: Colors,
): string {
  const isRight = verdict.score === 1;
  const paint = advantage > 0 ? colors.green : advantage < 0 ? colors.red : colors.dim;
  const figures: Span[] = [
    isRight ? ['✓ ', colors.green] : ['✗ ', colors.red],
    [(reward === null ? '–' : minus(reward.toFixed(2))).padStart(6)],
    [signed(advantage).padStart(11), paint],
    [(times === 1 ? '' : `×${times}`).padStart(4), colors.dim],
    [' '],
  ];
  const origin = originWords(provenance);
  if (origin !== undefined) figures.push([`${printable(origin)}: `, colors.cyan]);
  const said = [...(isRight ? [] : [verdict.reason]), ...promptWords(provenance)];
  const after = said.map((words) => `  ${printable(words)}`).join('');
  const room = columns - figures.reduce((sum, [text]) => sum + columnsOf(text), 0);
  // A long text gives way to the reason, which is short and tells more.
  const spans = cutSpans(
    textSpans(completion, provenance, colors),
    Math.max(Math.floor(room / 2), room - columnsOf(after)),
  );
  return line([...figures, ...spans, [after, colors.dim]], columns);
}

/** What the policy did not write is between marks, which show without colours, too. */
function textSpans(completion: string, { marks, turns }: Provenance, colors: Colors): Span[] {
  if (turns !== undefined) return spokenTurns(turns).map((turn, i) => turnSpan(turn, i, colors));
  return piecesOf(completion, marks).map(({ text, kind }): Span => {
    if (kind === undefined) return [printable(text)];
    return [`‹${printable(text)}›`, kind === 'given' ? colors.dim : colors.yellow];
  });
}

/** `50 ‹<› 25 ‹calculator: 12›`: what others than the environment say is by their name. */
function turnSpan({ label, text, isPolicy }: SpokenTurn, index: number, colors: Colors): Span {
  const space = index === 0 ? '' : ' ';
  if (isPolicy) return [`${space}${printable(text)}`];
  const who = label === ENVIRONMENT_TURN ? '' : `${label}: `;
  return [`${space}‹${printable(who + text)}›`, colors.dim];
}

/** `+1.21`, `−0.40`, `0.00`. */
function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${minus(value.toFixed(2))}`;
}
