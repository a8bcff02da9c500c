/** What a check of a task found: broken rules, each with the problem, the answer and the verdict that show it. */
import type { Verdict } from '../../../../src/rewards/verdict.ts';

/** A rule that a task breaks, with the problem, answer and verdict that show it. */
export interface TaskFinding {
  /** The rule that is broken. */
  readonly rule: string;
  /** Knobs and style under which it is. */
  readonly setting: string;
  /** What happened, in words. */
  readonly what: string;
  readonly prompt?: string;
  readonly answer?: string;
  readonly verdict?: Verdict;
}

/** Findings of one rule and setting that are kept; further ones are counted. */
const MOST_KEPT = 5;

export class Findings {
  readonly kept: TaskFinding[] = [];
  readonly #counts = new Map<string, number>();
  #all = 0;

  /** What is found so far, to be put back. */
  mark(): () => void {
    const [length, all, counts] = [this.kept.length, this.#all, new Map(this.#counts)];
    return () => {
      this.kept.length = length;
      this.#all = all;
      this.#counts.clear();
      for (const [name, count] of counts) this.#counts.set(name, count);
    };
  }

  /** How many there were. */
  get count(): number {
    return this.#all;
  }

  add(finding: TaskFinding): void {
    const name = `${finding.rule}|${finding.setting}`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.#all++;
    if (count <= MOST_KEPT) this.kept.push(finding);
  }
}

/** A finding as lines for people. */
export function findingText({ rule, setting, what, prompt, answer, verdict }: TaskFinding): string {
  const shown = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
  const lines = [`${rule} (${setting}): ${what}`];
  if (prompt !== undefined) lines.push(`  prompt   ${shown(prompt)}`);
  if (answer !== undefined) lines.push(`  answer   ${shown(answer)}`);
  if (verdict !== undefined) lines.push(`  verdict  ${verdict.score}, ${verdict.status}: ${verdict.reason}`);
  return lines.join('\n');
}
