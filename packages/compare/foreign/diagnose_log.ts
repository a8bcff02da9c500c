/** A log of another trainer, looked at with the diagnostics that watch a run of this one. */
import { type BoundDiagnostic, diagnosticsFor, type Reading } from '../../../src/diagnostics/diagnostic.ts';
import { look, type Observation, say, startWatch } from '../../../src/diagnostics/watch.ts';
import { DataError } from '../../../src/errors.ts';
import type { Telling } from '../../../src/methods/method.ts';
import type { StageConfig } from '../../../src/methods/stage.ts';
import { RUN_DIAGNOSTICS } from '../../zoo/diagnostics/catalogue.ts';
import { setting } from '../../zoo/diagnostics/words.ts';
import type { LogEntries, LogEntry } from './log_entries.ts';
import { figureIn, figureOf, foreignBatch, foreignUpdate, saysFigure } from './log_records.ts';
import { type LogOptions, readingOf, stageOf } from './log_settings.ts';
import { type Vocabulary, vocabularyOf } from './vocabularies.ts';

/** What was found. */
export interface LogExamination {
  readonly trainer: string;
  readonly stage: StageConfig['stage'];
  readonly entries: number;
  readonly firstStep: number;
  readonly lastStep: number;
  /** What the figures were taken to be, where the log does not say it itself. */
  readonly assumed: readonly string[];
  /** In the order in which they were first said, in the words of the last time; without what was withdrawn. */
  readonly diagnosed: readonly { readonly code: string; readonly message: string; readonly step: number }[];
  readonly looked: readonly string[];
  /** Diagnoses that could not be looked for, with the figures that the log lacks. */
  readonly unseen: readonly { readonly code: string; readonly lacks: readonly Reading[] }[];
  /** What the settings that the messages name are called in that trainer. */
  readonly settings: Vocabulary['settings'];
}

/** What a log can show by its own figures; a verdict of a judge, a hint and a replay are things of this package. */
const OF_A_LOG: ReadonlySet<Telling> = new Set(['clips', 'kl', 'truncation', 'group-scale']);

const NO_TIME = { sft: 0, rollout: 0, verify: 0, update: 0, eval: 0 };

/**
 * @param name  of the file, for errors
 * @throws DataError `unknown-figures` or `unknown-accuracy`; ConfigError for a mistake in `set`
 */
export function diagnoseLog(name: string, log: LogEntries, options: LogOptions): LogExamination {
  const names = new Set(log.entries.flatMap(({ figures }) => Object.keys(figures)));
  const vocabulary = vocabularyOf(names);
  if (vocabulary === undefined) {
    const some = [...names].slice(0, 8).join(', ');
    const rule = `${log.format} without a reward or a loss that TRL or verl would log (it has ${some})`;
    throw new DataError('unknown-figures', `${name}  ${rule}; give the log of the training.`, { name });
  }
  // An evaluation, or the summary at the end, is an entry without any of the figures of a step.
  const entries = log.entries.filter((entry) =>
    (['reward', 'loss', 'gradNorm'] as const).some((figure) => figureIn(entry, vocabulary, figure)),
  );
  const isSupervised = !entries.some((entry) => figureIn(entry, vocabulary, 'reward'));
  const assumed: string[] = log.isCut ? ['the file ends in the middle of an entry; what is before it was read'] : [];
  if (log.areCounted) assumed.push('steps are the numbers of its entries');
  const stage = stageOf(log, entries, { vocabulary, isSupervised, options }, assumed);
  const reading = isSupervised ? undefined : readingOf(name, entries, stage, { vocabulary, names, options }, assumed);
  const gap = (i: number): number => Math.max(1, entries[i].step - (entries[i - 1]?.step ?? 0));
  const batches = reading === undefined ? [] : entries.map((entry, i) => foreignBatch(entry, gap(i), reading));
  const updates = entries.map((entry) => foreignUpdate(entry, { vocabulary }));
  const all = diagnosticsFor(RUN_DIAGNOSTICS, stage, isSupervised ? new Set() : OF_A_LOG);
  const lackOf = ({ reads }: BoundDiagnostic): readonly Reading[] =>
    reads.filter((one) => !saysFigure(one, batches, updates));
  const asked = all.filter((one) => lackOf(one).length === 0);

  const lost = lostFigures(entries, vocabulary);
  const watch = startWatch(NO_TIME);
  const observe = (step: number, observation: Observation): void => {
    look(watch, stage, step, observation, asked);
  };
  observe(0, { after: 'start' });
  for (const [i, { step }] of entries.entries()) {
    if (i < batches.length) observe(step, { after: 'batch', record: batches[i], problems: [] });
    if (entries[i] === lost[0]?.entry)
      say(watch, stage, step, { code: 'non-finite', level: 'stop', message: lostWords(lost, stage) });
    else if (!lost.some(({ entry }) => entry === entries[i]) && !(batches[i]?.live === 0))
      observe(step, { after: 'update', record: updates[i] });
  }
  return {
    trainer: vocabulary.trainer,
    stage: stage.stage,
    entries: entries.length,
    firstStep: entries[0].step,
    lastStep: entries[entries.length - 1].step,
    assumed,
    diagnosed: watch.said.flatMap(({ code, message, step, withdrawn }) =>
      withdrawn === undefined ? [{ code, message, step }] : [],
    ),
    looked: asked.map(({ code }) => code),
    unseen: all.flatMap((one) => (lackOf(one).length === 0 ? [] : [{ code: one.code, lacks: lackOf(one) }])),
    settings: vocabulary.settings,
  };
}

/** A figure that is there, and is no number. */
interface LostFigure {
  readonly entry: LogEntry;
  readonly name: string;
  readonly value: number;
}

const LOSABLE = { gradNorm: 'the gradient norm', loss: 'the loss' } as const;

/** In the order of steps; of one step the gradient first, which is what goes into the weights. */
function lostFigures(entries: readonly LogEntry[], vocabulary: Vocabulary): LostFigure[] {
  return entries.flatMap((entry) =>
    (['gradNorm', 'loss'] as const).flatMap((figure) => {
      const value = figureOf(entry, vocabulary, figure);
      if (!figureIn(entry, vocabulary, figure) || Number.isFinite(value)) return [];
      return [{ entry, name: LOSABLE[figure], value }];
    }),
  );
}

/** The first that was lost, and where the other one follows. */
function lostWords(lost: readonly LostFigure[], { optimizer: { learningRate, maxGradNorm } }: StageConfig): string {
  const [first] = lost;
  const other = lost.find(({ name }) => name !== first.name);
  const then = other === undefined ? '' : ` (${other.name} ${other.value} at step ${other.entry.step})`;
  return `${first.name.replace('the', 'The')} is ${first.value} first at step ${first.entry.step}${then}: the weights are lost from there on. Start again from a checkpoint before it, with a lower learning_rate (now ${setting(learningRate)}) or max_grad_norm (now ${maxGradNorm}).`;
}
