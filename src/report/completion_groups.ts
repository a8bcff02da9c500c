/** completions.jsonl as groups for the page: as many steps, evenly spread, as its size allows. */
import { isJsonObject, type JsonObject, type JsonValue } from '../run/json.ts';
import type { CompletionsData, GroupData, Member, Verdict } from './data.ts';

/** Characters of a completion or prompt that the page shows. */
const LONGEST_TEXT = 2_000;

/** @param stages names of the stages that logged something; @param mostBytes of JSON that the groups may take */
export function readCompletions(
  lines: readonly JsonObject[],
  stages: readonly string[],
  mostBytes: number,
): CompletionsData {
  const rewardNames = [...new Set(lines.flatMap(({ rewards }) => Object.keys(isJsonObject(rewards) ? rewards : {})))];
  const reasons = new Map<string, number>();
  const steps = bySteps(lines, stages).map(({ lines: ofStep, ...place }) =>
    inGroups(ofStep).map((members, group): GroupData => {
      const prompt = shortened(members[0]?.prompt);
      return { ...place, group, prompt, members: members.map((line) => member(line, reasons, rewardNames)) };
    }),
  );
  const kept = fitting(steps, mostBytes - JSON.stringify([...reasons.keys()]).length);
  return {
    groups: kept.flat(),
    reasons: [...reasons.keys()],
    rewardNames,
    stepsRecorded: steps.length,
    stepsKept: kept.length,
  };
}

interface StepLines {
  readonly stage: number;
  readonly step: number;
  readonly lines: JsonObject[];
}

/** Lines by step. Only grpo stages sample; a step that falls back begins the next of them. */
function bySteps(lines: readonly JsonObject[], stages: readonly string[]): StepLines[] {
  const steps: StepLines[] = [];
  let stage = stages.indexOf('grpo');
  for (const line of lines) {
    const step = Number(line.step);
    const current = steps.at(-1);
    if (current?.step === step) {
      current.lines.push(line);
      continue;
    }
    const next = stages.indexOf('grpo', stage + 1);
    if (current !== undefined && step < current.step && next >= 0) stage = next;
    steps.push({ stage: Math.max(0, stage), step, lines: [line] });
  }
  return steps;
}

/** Neighbours with the same prompt and number. A step can have drawn several batches, where all groups were dead. */
function inGroups(lines: readonly JsonObject[]): JsonObject[][] {
  const groups: JsonObject[][] = [];
  for (const line of lines) {
    const first = groups.at(-1)?.[0];
    if (first !== undefined && first.group === line.group && first.prompt === line.prompt) groups.at(-1)?.push(line);
    else groups.push([line]);
  }
  return groups;
}

function member(line: JsonObject, reasons: Map<string, number>, rewardNames: readonly string[]): Member {
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
  if (rewardNames.length < 2) return five;
  const parts = isJsonObject(line.rewards) ? line.rewards : {};
  return [...five, rewardNames.map((name) => (typeof parts[name] === 'number' ? rounded(parts[name]) : null))];
}

function verdictOf({ status, finish_reason: finishReason }: JsonObject): Verdict {
  if (status === 'correct') return 'right';
  return status === 'truncated' || finishReason === 'length' ? 'truncated' : 'wrong';
}

/** Every k-th step and the last one, for the smallest k whose JSON fits. */
function fitting(steps: readonly GroupData[][], mostBytes: number): GroupData[][] {
  const bytes = steps.map((groups) => new TextEncoder().encode(JSON.stringify(groups)).length);
  for (let k = 1; k < steps.length; k++) {
    const isKept = (i: number): boolean => i % k === 0 || i === steps.length - 1;
    if (bytes.reduce((sum, size, i) => (isKept(i) ? sum + size : sum), 0) <= mostBytes) {
      return steps.filter((_, i) => isKept(i));
    }
  }
  return (bytes.at(-1) ?? 0) <= mostBytes ? steps.slice(-1) : [];
}

function shortened(text: JsonValue | undefined): string {
  const whole = String(text ?? '');
  if (whole.length <= LONGEST_TEXT) return whole;
  return `${whole.slice(0, LONGEST_TEXT)}… (${whole.length - LONGEST_TEXT} more characters in completions.jsonl)`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
