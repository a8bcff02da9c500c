/** completions.jsonl as groups for the page: as many steps, evenly spread, as its size allows. */
import { isJsonObject, type JsonValue } from '../../src/run/json.ts';
import type { ReadCompletionLine } from '../../src/run/logs/completions.ts';
import type { ByteRange, LogLine } from '../trackers/log_lines.ts';
import type { CompletionsData, GroupData, Member, Verdict } from './data.ts';
import { readProvenance } from './provenance.ts';

/** Characters of a completion or prompt that the page shows. */
const LONGEST_TEXT = 2_000;

/** Lines of completions.jsonl in a range of it, some at a time; of the whole file without one. */
export type CompletionsLog = (range?: ByteRange) => AsyncIterable<readonly LogLine[]>;

/** What decides how completions are written for the page. */
interface Names {
  /** Reasons of verdicts by their number, in the order of first mention. */
  readonly reasons: Map<string, number>;
  readonly rewards: readonly string[];
}

/**
 * Reads the log once to measure its steps, then those that are kept; never more than a piece of it is in memory.
 *
 * @param stages      names of the stages that logged something
 * @param mostBytes   of JSON that the groups may take
 * @param newest      the newest step that is whole, where more may be written; what follows it is left out
 * @param isEnd       whether the log that is passed is the end of one, whose first step may be cut
 */
export async function readCompletions(
  log: CompletionsLog,
  stages: readonly string[],
  mostBytes: number,
  newest?: { readonly stage: number; readonly step: number },
  isEnd = false,
): Promise<CompletionsData> {
  const { measured, names } = await measure(log, stages);
  const isWhole = ({ stage, step }: StepPlace): boolean =>
    newest === undefined || stage < newest.stage || (stage === newest.stage && step <= newest.step);
  const steps = measured.filter(isWhole).slice(isEnd && measured.length > 1 ? 1 : 0);
  const kept = fitting(steps, mostBytes - JSON.stringify([...names.reasons.keys()]).length);
  const groups: GroupData[] = [];
  for (const place of kept) {
    const lines: ReadCompletionLine[] = [];
    for await (const some of log(place)) lines.push(...some.map(({ record }) => record));
    groups.push(...groupsOf(place, lines, names));
  }
  return {
    groups,
    reasons: [...names.reasons.keys()],
    rewardNames: names.rewards,
    stepsRecorded: steps.length,
    stepsKept: kept.length,
    isEnd,
  };
}

interface StepPlace extends ByteRange {
  readonly stage: number;
  readonly step: number;
}

interface MeasuredStep extends StepPlace {
  /** Bytes of JSON. */
  readonly size: number;
}

/** Where each step lies, and how much room its groups take. A reward that first comes late changes all before it. */
async function measure(
  log: CompletionsLog,
  stages: readonly string[],
): Promise<{ measured: MeasuredStep[]; names: Names }> {
  let rewards: readonly string[] = [];
  for (;;) {
    const names: Names = { reasons: new Map(), rewards };
    const rewardNames = new Set(rewards);
    const measured: MeasuredStep[] = [];
    for await (const { lines, ...place } of stepsOf(log, stages)) {
      for (const { rewards: parts } of lines)
        if (isJsonObject(parts)) for (const name of Object.keys(parts)) rewardNames.add(name);
      const size = new TextEncoder().encode(JSON.stringify(groupsOf(place, lines, names))).length;
      measured.push({ ...place, size });
    }
    if (rewardNames.size === rewards.length) return { measured, names };
    rewards = [...rewardNames];
  }
}

interface StepLines extends StepPlace {
  readonly lines: ReadCompletionLine[];
}

/** Lines by step. Only grpo stages sample; a step that falls back begins the next of them. */
async function* stepsOf(log: CompletionsLog, stages: readonly string[]): AsyncGenerator<StepLines> {
  let stage = stages.indexOf('grpo');
  let current: StepLines | undefined;
  for await (const lines of log()) {
    for (const { record, begin, end } of lines) {
      const step = Number(record.step);
      if (current?.step === step) {
        current = { ...current, end };
        current.lines.push(record);
        continue;
      }
      const next = stages.indexOf('grpo', stage + 1);
      if (current !== undefined && step < current.step && next >= 0) stage = next;
      if (current !== undefined) yield current;
      current = { stage: Math.max(0, stage), step, begin, end, lines: [record] };
    }
  }
  if (current !== undefined) yield current;
}

function groupsOf(
  { stage, step }: StepPlace,
  lines: readonly ReadCompletionLine[],
  { reasons, rewards }: Names,
): GroupData[] {
  return inGroups(lines).map((members, group) => ({
    stage,
    step,
    group,
    prompt: shortened(members[0]?.prompt),
    members: members.map((line) => member(line, reasons, rewards)),
  }));
}

/** Neighbours with the same prompt and number. A step can have drawn several batches, where all groups were dead. */
function inGroups(lines: readonly ReadCompletionLine[]): ReadCompletionLine[][] {
  const groups: ReadCompletionLine[][] = [];
  for (const line of lines) {
    const first = groups.at(-1)?.[0];
    if (first !== undefined && first.group === line.group && first.prompt === line.prompt) groups.at(-1)?.push(line);
    else groups.push([line]);
  }
  return groups;
}

function member(line: ReadCompletionLine, reasons: Map<string, number>, rewardNames: readonly string[]): Member {
  const reason = String(line.reason ?? '');
  if (!reasons.has(reason)) reasons.set(reason, reasons.size);
  const reward = typeof line.reward === 'number' ? rounded(line.reward) : null;
  const five = [
    shortened(line.completion),
    verdictOf(line),
    reasons.get(reason) ?? 0,
    reward,
    rounded(Number(line.advantage)),
  ] as const;
  const provenance = readProvenance(line);
  const parts = rewardNames.length < 2 ? null : partsOf(line, rewardNames);
  const extra = extraOf(line);
  if (extra.length > 0) return [...five, parts, provenance ?? null, extra];
  if (provenance !== undefined) return [...five, parts, provenance];
  return parts === null ? five : [...five, parts];
}

function partsOf({ rewards }: ReadCompletionLine, names: readonly string[]): (number | null)[] {
  const parts = isJsonObject(rewards) ? rewards : {};
  return names.map((name) => (typeof parts[name] === 'number' ? rounded(parts[name]) : null));
}

function extraOf({ extra }: ReadCompletionLine): (readonly [column: string, value: string])[] {
  const columns = isJsonObject(extra) ? Object.entries(extra) : [];
  return columns.map(([column, value]) => [
    column,
    shortened(typeof value === 'number' ? rounded(value) : (value ?? 'none')),
  ]);
}

function verdictOf({ status, finish_reason: finishReason }: ReadCompletionLine): Verdict {
  if (status === 'correct') return 'right';
  return status === 'truncated' || finishReason === 'length' ? 'truncated' : 'wrong';
}

/** Every k-th step and the last one, for the smallest k whose JSON fits. Tries n + n/2 + n/3 + … steps in all. */
function fitting<Step extends MeasuredStep>(all: readonly Step[], mostBytes: number): Step[] {
  for (let k = 1; k < all.length; k++) {
    const kept = everyKth(all, k);
    if (kept.reduce((sum, { size }) => sum + size, 0) <= mostBytes) return kept;
  }
  return (all.at(-1)?.size ?? 0) <= mostBytes ? all.slice(-1) : [];
}

function everyKth<Step>(all: readonly Step[], k: number): Step[] {
  const kept: Step[] = [];
  for (let i = 0; i < all.length; i += k) kept.push(all[i] as Step);
  if ((all.length - 1) % k !== 0) kept.push(all[all.length - 1] as Step);
  return kept;
}

function shortened(text: JsonValue | undefined): string {
  const whole = String(text ?? '');
  if (whole.length <= LONGEST_TEXT) return whole;
  return `${whole.slice(0, LONGEST_TEXT)}… (${whole.length - LONGEST_TEXT} more characters in completions.jsonl)`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
