/** Entries of another trainer's log as the records that the diagnostics read: what it does not say is NaN. */
import type { Reading } from '../../../src/diagnostics/diagnostic.ts';
import type { BatchRecord, UpdateRecord } from '../../../src/diagnostics/records.ts';
import type { LogEntry } from './log_entries.ts';
import type { Figure, Vocabulary } from './vocabularies.ts';

/** How a log is read. */
export interface LogReading {
  readonly vocabulary: Vocabulary;
  /** The figure that says how many completions are right; undefined where none does. */
  readonly accuracy: string | undefined;
  /** Every reward is 0 or more, and 1 or less. */
  readonly isShare: boolean;
  readonly numGenerations: number;
  /** Completions of a step where the log does not say. */
  readonly completions: number;
}

const ABSENT = Number.NaN;

/** The value of a figure in an entry; NaN where it is absent. */
export function figureOf({ figures }: LogEntry, { names }: Vocabulary, figure: Figure): number {
  const name = names[figure]?.find((one) => figures[one] !== undefined);
  return name === undefined ? ABSENT : figures[name];
}

/** Whether an entry has the figure. */
export function figureIn({ figures }: LogEntry, { names }: Vocabulary, figure: Figure): boolean {
  return names[figure]?.some((name) => figures[name] !== undefined) ?? false;
}

/** Completions of a step: verl says how many tokens there were, and how long prompts and responses are. */
export function completionsOf(entry: LogEntry, vocabulary: Vocabulary): number {
  const of = (figure: Figure): number => figureOf(entry, vocabulary, figure);
  return Math.round(of('tokens') / (of('promptLength') + of('meanLength')));
}

/** @param steps  that the entry is a mean of */
export function foreignBatch(entry: LogEntry, steps: number, reading: LogReading): BatchRecord {
  const { vocabulary, accuracy, isShare, numGenerations } = reading;
  const of = (figure: Figure): number => figureOf(entry, vocabulary, figure);
  const counted = completionsOf(entry, vocabulary);
  const completions = Number.isNaN(counted) ? reading.completions : counted;
  const groups = completions / numGenerations;
  const reward = of('reward');
  const [lowest, highest] = [of('lowest'), of('highest')];
  const truncated = of('truncated');
  return {
    step: entry.step,
    completions: completions * steps,
    groups,
    live: groups * (1 - of('dead')),
    allRight: ABSENT,
    allWrong: ABSENT,
    rounds: ABSENT,
    correct: accuracy === undefined ? ABSENT : (entry.figures[accuracy] ?? ABSENT),
    invalid: ABSENT,
    rewarded: Number.isNaN(reward) ? ABSENT : completions * steps,
    reward,
    lowest: Number.isNaN(lowest) && isShare ? 0 : lowest,
    highest,
    paid: isShare ? reward : ABSENT,
    spread: ABSENT,
    entropy: of('entropy'),
    meanLength: of('meanLength'),
    longest: of('longest'),
    truncated,
    eos: completions * steps * (1 - truncated),
    variety: ABSENT,
    seconds: { verify: of('verifySeconds'), all: of('stepSeconds') },
  };
}

/** The optimizer step of an entry, whose loss and gradient are finite. */
export function foreignUpdate(entry: LogEntry, { vocabulary }: Pick<LogReading, 'vocabulary'>): UpdateRecord {
  const of = (figure: Figure): number => figureOf(entry, vocabulary, figure);
  const [low, high] = [of('clippedLow'), of('clippedHigh')];
  const sum = (Number.isNaN(low) ? 0 : low) + high;
  const clipped = Number.isNaN(of('clipped')) ? sum : of('clipped');
  const moved = Math.abs(of('moved'));
  const kl = of('kl');
  return {
    step: entry.step,
    loss: of('loss'),
    gradNorm: of('gradNorm'),
    learningRate: of('learningRate'),
    // A ratio that is clipped is not 1: so the rollouts were used before.
    onPolicy: !(clipped > 0 || moved > 0),
    clipped,
    meanDifference: moved,
    maxDifference: ABSENT,
    ...(!Number.isNaN(kl) && { kl }),
  };
}

/** Whether a log says what a diagnostic needs: in one entry at least. */
export function saysFigure(
  reading: Reading,
  batches: readonly BatchRecord[],
  updates: readonly UpdateRecord[],
): boolean {
  const isKnown = (value: unknown): boolean => typeof value !== 'number' || !Number.isNaN(value);
  const has = (record: object): boolean => {
    const value: unknown = Object.entries(record).find(([name]) => name === reading)?.[1];
    if (value === undefined) return false;
    return typeof value === 'object' && value !== null ? Object.values(value).every(isKnown) : isKnown(value);
  };
  if (reading === 'onPolicy')
    return updates.some(({ clipped, meanDifference }) => isKnown(clipped) || isKnown(meanDifference));
  return batches.some(has) || updates.some(has);
}
