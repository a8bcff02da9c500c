/** What was written, asked beside what it was made of. */
import { dirname, join, resolve } from 'node:path';
import { printError } from '../../../src/cli/display/output.ts';
import { chooseBackend } from '../../../src/cli/process/backend.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { counted, printable } from '../../../src/format.ts';
import { asksInWords } from '../../../src/text/codec.ts';
import type { Exported } from '../../models/run/model/compare_weights.ts';
import { TEXTS_OF_ALL_KINDS } from '../../models/run/model/export_texts.ts';
import type { ExportDtype } from '../../models/run/model/exports.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';
import {
  type CompletionToScore,
  type ScoreDifference,
  scoreCompletions,
  scoreDifference,
} from '../../models/run/model/rescore.ts';
import { recordedCompletions, toScore } from './export_completions.ts';
import { ONNX_RUNTIMES, onnxScores } from './onnx_scores.ts';

/** Largest mean |Δ log-prob| of a token that a type may make; a fault of any kind makes more. */
const BOUNDS: Readonly<Record<ExportDtype, number>> = {
  f32: 0.001,
  f16: 0.02,
  bf16: 0.1,
  q8_0: 0.1,
  q4_0: 1.5,
  q4f16: 1.5,
};

/** Milliseconds without a word that nobody minds. */
const WAIT_MS = 2_000;

interface RescoreOptions {
  readonly check: number;
  readonly threads?: number;
  readonly dtype: ExportDtype;
  /** Its folder has what was written. */
  readonly output: string;
}

/** @property by  what asked it: this engine, or a package that runs its graph */
export interface Rescored extends ScoreDifference {
  readonly by: string;
}

/**
 * What was written, asked beside what it was made of. A graph is run by onnxruntime where that is installed.
 *
 * @returns undefined where there is nothing to ask
 * @throws CheckpointError `export-differs`
 */
export async function rescored(
  path: string,
  pretrained: Pretrained,
  { opened, change, graph }: Exported,
  { check, threads, dtype, output }: RescoreOptions,
): Promise<Rescored | undefined> {
  const completions = await completionsToAsk(path, pretrained, check);
  if (completions.length === 0) return undefined;
  const shown = printable(pretrained.name);
  const wait = setTimeout(
    () => printError(`${shown}: re-scoring ${counted(completions.length, 'completion')}`),
    WAIT_MS,
  );
  try {
    const backend = await chooseBackend({ backend: 'wasm', threads });
    const before = await scoreCompletions(backend, pretrained, completions);
    const file = graph && join(dirname(resolve(output)), graph);
    const run = file === undefined ? undefined : await onnxScores(file, opened.model.shape, completions);
    if (file !== undefined && run === undefined) {
      printError(
        `${shown}: its weights are re-scored here; npm install ${ONNX_RUNTIMES[0]} to have its graph run, too`,
      );
    }
    const after = run ?? (await scoreCompletions(backend, opened, completions));
    const found = { ...scoreDifference(before, after, completions.length), by: run?.runtime ?? 'rlvr-train' };
    if (found.mean <= BOUNDS[dtype]) return found;
    const most = change.tensor === '' ? '' : `; its weights differ most in ${change.tensor}`;
    const rule = `a token's log-prob changes by ${found.mean.toFixed(3)} on average, and ${dtype} explains ${BOUNDS[dtype]}`;
    throw new CheckpointError(
      'export-differs',
      `${shown}: what was written is another model: ${rule}${most}. Nothing was kept; use a wider --dtype.`,
    );
  } finally {
    clearTimeout(wait);
  }
}

/** Those of its run, else texts of all kinds where it is asked in words. */
async function completionsToAsk(path: string, { codec }: Pretrained, count: number): Promise<CompletionToScore[]> {
  const recorded = await recordedCompletions(path, codec, count);
  if (recorded.length > 0 || count === 0 || !asksInWords(codec)) return recorded;
  return TEXTS_OF_ALL_KINDS.map((text) => toScore(codec, 'Say something.', text));
}
