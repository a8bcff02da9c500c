/** Which completions the reader asked for. */
import type { CompletionsData, GroupData, Member, Verdict } from '../data.ts';

export interface Search {
  readonly verdict: Verdict | 'all';
  /** In prompt, completion or reason; empty finds everything. */
  readonly text: string;
}

/** The groups of one step that have a match, and the step's place in the run. */
export interface StepGroups {
  readonly stage: number;
  readonly step: number;
  readonly groups: readonly FoundGroup[];
}

export interface FoundGroup {
  readonly group: GroupData;
  /** Members that match; all of them where the prompt does. */
  readonly matching: ReadonlySet<Member>;
}

/** Steps with a match, in order. */
export function search({ groups, reasons }: CompletionsData, { verdict, text }: Search): StepGroups[] {
  const wanted = text.trim().toLowerCase();
  const found: { stage: number; step: number; groups: FoundGroup[] }[] = [];
  for (const group of groups) {
    const inPrompt = group.prompt.toLowerCase().includes(wanted);
    const matching = group.members.filter(
      ([completion, itsVerdict, reason]) =>
        (verdict === 'all' || verdict === itsVerdict) &&
        (inPrompt || completion.toLowerCase().includes(wanted) || reasons[reason]?.toLowerCase().includes(wanted)),
    );
    if (matching.length === 0) continue;
    const last = found.at(-1);
    const entry = { group, matching: new Set(matching) };
    if (last?.stage === group.stage && last.step === group.step) last.groups.push(entry);
    else found.push({ stage: group.stage, step: group.step, groups: [entry] });
  }
  return found;
}

/** How many completions there are of each verdict. */
export function countVerdicts(groups: readonly GroupData[]): Readonly<Record<Verdict, number>> {
  const counts = { right: 0, wrong: 0, truncated: 0 };
  for (const [, verdict] of groups.flatMap(({ members }) => members)) counts[verdict]++;
  return counts;
}
