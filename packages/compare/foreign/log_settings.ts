/** What the log of another trainer says of its settings, and what is taken where it says nothing. */
import { parseConfig } from '../../../src/config/load.ts';
import type { Override } from '../../../src/config/overrides.ts';
import type { Registries } from '../../../src/config/registries.ts';
import { DataError } from '../../../src/errors.ts';
import type { StageConfig } from '../../../src/methods/stage.ts';
import type { LogEntries, LogEntry } from './log_entries.ts';
import { completionsOf, figureIn, figureOf, type LogReading } from './log_records.ts';
import type { Figure, Vocabulary } from './vocabularies.ts';

/** What the user says of a log. */
export interface LogOptions {
  /** The figure that says how many completions are right. */
  readonly accuracy?: string;
  /** `key=value`, of a stage: what the log does not say of the settings. */
  readonly set?: readonly string[];
  /** What those settings may name. */
  readonly registries: Registries;
}

/** As TRL has it where nothing is said. */
const NUM_GENERATIONS = 8;

/** The stage that the log is of, as far as it says; the rest is as `set` says, or by default. */
export function stageOf(
  { maxSteps, deviceBatch, settings = {} }: LogEntries,
  entries: readonly LogEntry[],
  {
    vocabulary,
    isSupervised,
    options: { set = [], registries },
  }: { readonly vocabulary: Vocabulary; readonly isSupervised: boolean; readonly options: LogOptions },
  assumed: string[],
): StageConfig {
  const last = entries[entries.length - 1];
  const rates = entries.map((entry) => figureOf(entry, vocabulary, 'learningRate')).filter((rate) => rate > 0);
  const highest = rates.length === 0 ? undefined : Math.max(...rates);
  const reached = entries.find((entry) => figureOf(entry, vocabulary, 'learningRate') === highest);
  const rate = settings.learning_rate ?? highest;
  const steps = maxSteps ?? (settings.max_steps > 0 ? settings.max_steps : last.step);
  // A warm-up rises to the rate; where the first entry has it already, there was none that the log shows.
  const warmUp = reached === undefined || reached === entries[0] ? 0 : Math.min(reached.step, steps);
  const given = new Set(set.map((one) => one.split('=')[0].trim()));
  const counted = entries.map((entry) => completionsOf(entry, vocabulary)).find((count) => count > 0);
  const ofLog = settings.num_generations ?? NUM_GENERATIONS;
  const numGenerations = wholeNumber(set, 'num_generations') ?? ofLog;
  const known = counted ?? settings.generation_batch_size;
  const batch = Math.max(1, Math.round((known ?? deviceBatch ?? 0) / numGenerations)) * numGenerations;
  const hasKl = entries.some((entry) => figureIn(entry, vocabulary, 'kl'));
  const assume = (key: string, value: number, isKnown: boolean): Record<string, number> => {
    if (given.has(key)) return {};
    if (!isKnown) assumed.push(`${key}: ${value}`);
    return { [key]: value };
  };
  const values = {
    stage: isSupervised ? 'sft' : 'grpo',
    max_steps: Math.max(1, steps),
    ...assume('learning_rate', rate ?? 1e-6, rate !== undefined),
    ...(warmUp > 0 && { warmup_steps: warmUp }),
    ...(!isSupervised && {
      ...assume('num_generations', ofLog, settings.num_generations !== undefined),
      ...assume('generation_batch_size', batch, known !== undefined),
      ...(hasKl && assume('beta', settings.beta ?? 0.04, settings.beta !== undefined)),
    }),
  };
  const overrides = set.map((assignment): Override => ({ flag: '--set', assignment: `stages.0.${assignment}` }));
  const { config } = parseConfig(
    JSON.stringify({ task: 'countdown', stages: [values] }),
    { file: 'the log', registries },
    overrides,
  );
  return config.stages[0];
}

function wholeNumber(set: readonly string[], key: string): number | undefined {
  const value = Number(set.findLast((one) => one.split('=')[0].trim() === key)?.split('=')[1]);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

interface Known {
  readonly vocabulary: Vocabulary;
  readonly names: ReadonlySet<string>;
  readonly options: LogOptions;
}

export function readingOf(
  name: string,
  entries: readonly LogEntry[],
  stage: StageConfig,
  { vocabulary, names, options }: Known,
  assumed: string[],
): LogReading {
  const values = (figure: Figure): number[] =>
    entries.map((entry) => figureOf(entry, vocabulary, figure)).filter((value) => !Number.isNaN(value));
  const rewards = [...values('reward'), ...values('lowest'), ...values('highest')];
  const isShare = rewards.every((value) => value >= 0 && value <= 1);
  const { accuracy } = options;
  if (accuracy !== undefined && !names.has(accuracy)) {
    const like = [...names].filter((one) => /acc|correct|reward|score/i.test(one));
    const rule = `no figure of the log; it has ${like.slice(0, 6).join(', ') || [...names].slice(0, 6).join(', ')}`;
    throw new DataError('unknown-accuracy', `${name}: --accuracy ${accuracy} — ${rule}.`, { name, accuracy });
  }
  const own = [...names].find((one) => /^rewards\/[^/]*(accuracy|correct)[^/]*\/mean$/.test(one));
  const rewardName = vocabulary.names.reward?.find((one) => names.has(one));
  const found = accuracy ?? own ?? (isShare ? rewardName : undefined);
  if (accuracy === undefined && found !== undefined)
    assumed.push(
      `the share of right answers is ${found}${found === own ? '' : ', as it stays within 0 and 1'} (--accuracy names another)`,
    );
  const { batch } = stage as Extract<StageConfig, { stage: 'grpo' }>;
  return {
    vocabulary,
    accuracy: found,
    isShare,
    numGenerations: batch.numGenerations,
    completions: batch.promptsPerStep * batch.numGenerations,
  };
}
