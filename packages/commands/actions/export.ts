/** `rlvr-train export PATH --output PLACE`: a model for other programs, opened again and re-scored before it is there. */
import { basename, dirname } from 'node:path';
import { megabytes, percentWithInterval } from '../../../src/cli/display/format.ts';
import { print } from '../../../src/cli/display/output.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { counted, percent, printable } from '../../../src/format.ts';
import { encodeJson } from '../../../src/run/model/model_files.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import type { Store } from '../../../src/run/store/store.ts';
import type { Exported } from '../../models/run/model/compare_weights.ts';
import { EXPORTS, type ExportDtype, type ExportTarget } from '../../models/run/model/exports.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';
import { type AccuracyChange, accuracyChange } from '../runs/export_accuracy.ts';
import { type Rescored, rescored } from '../runs/export_scores.ts';
import { usage } from '../runs/export_usage.ts';
import { openGiven, requireFree, writeWhole } from '../runs/give_away.ts';

export interface ExportOptions {
  readonly output: string;
  /** Default: gguf where the name of the output ends so, else merged. */
  readonly to?: ExportTarget;
  readonly dtype?: ExportDtype;
  readonly base?: string;
  readonly check: number;
  readonly problems?: number;
  readonly threads?: number;
}

/** @throws CheckpointError for a place or a type that the form has not */
function planOf({ output, to = output.endsWith('.gguf') ? 'gguf' : 'merged', dtype }: ExportOptions) {
  const { kind, dtypes } = EXPORTS[to];
  if ((kind === 'file') !== output.endsWith('.gguf')) {
    const rule = kind === 'file' ? 'give a name that ends in .gguf' : 'give the name of a folder';
    throw new CheckpointError('output-name', `--output ${output} — ${rule} for --to ${to}.`);
  }
  const chosen = dtypes.find((known) => known === (dtype ?? dtypes[0]));
  if (chosen === undefined) {
    throw new CheckpointError('no-dtype', `--dtype ${dtype} — --to ${to} writes ${dtypes.join(', ')}.`);
  }
  requireFree(output, kind);
  return { to, kind, dtype: chosen };
}

/**
 * The file or folder appears under its name whole, opened again, compared and re-scored, or not at all.
 *
 * @param path  of the model, whose completions are re-scored where it is a run
 * @param require  throws where the model is not one that is asked for
 * @throws CheckpointError, DataError where the model has no such form, or something is there already
 */
export async function exportGiven(
  path: string,
  options: ExportOptions,
  require: (pretrained: Pretrained) => void = () => {},
): Promise<void> {
  const { output, base } = options;
  const { to, kind, dtype } = planOf(options);
  const pretrained = await openGiven(path, base);
  require(pretrained);
  const report = await writeWhole(output, async (store, place): Promise<ExportReport> => {
    const exported = await EXPORTS[to].write(store, place, {
      pretrained,
      dtype: dtype as never,
    });
    const scores = await rescored(path, pretrained, exported, { ...options, dtype });
    const { problems = 0, threads } = options;
    const models = { before: pretrained, after: exported.opened };
    const accuracy = problems > 0 ? await accuracyChange(path, models, { problems, threads }) : undefined;
    const found = {
      source: pretrained.name,
      to,
      dtype,
      bytes: await bytesOf(store, place),
      weights: exported.change,
      ...(scores && { scores }),
      ...(accuracy && { accuracy }),
    };
    if (kind === 'folder') await store.writeAtomic(`${place}/export_report.json`, encodeJson(found));
    return found;
  });
  if (kind === 'file') {
    await fileStore(dirname(output)).writeAtomic(`${basename(output)}.json`, encodeJson(report));
  }
  print(`${printable(pretrained.name)}: written as ${printable(output)}, ${to}, ${dtype}, ${megabytes(report.bytes)}`);
  for (const line of [...reportLines(report), ...usage(pretrained, to, output)]) print(line);
}

interface ExportReport {
  readonly source: string;
  readonly to: ExportTarget;
  readonly dtype: ExportDtype;
  /** Size of all its files, this report apart. */
  readonly bytes: number;
  readonly weights: Exported['change'];
  readonly scores?: Rescored;
  readonly accuracy?: AccuracyChange;
}

/** A file, or all of a folder. */
async function bytesOf(store: Store, place: string): Promise<number> {
  const size = await store.size(place);
  if (size !== undefined) return size;
  const names = await store.list(place);
  const sizes = await Promise.all(names.map((name) => bytesOf(store, `${place}/${name}`)));
  return sizes.reduce((sum, each) => sum + each, 0);
}

function reportLines({ weights, scores, accuracy }: ExportReport): string[] {
  const changed =
    weights.difference === 0
      ? 'every weight is the same'
      : `weights differ by at most ${weights.difference.toExponential(1)} (${weights.tensor}), which is what its type rounds off`;
  const lines = [`opened again: ${changed}`];
  if (scores !== undefined) {
    const { completions, tokens, mean, largest, sameLikeliest, by } = scores;
    const asked = `${counted(completions, 'completion')}, ${counted(tokens, 'token')}${by.startsWith('onnx') ? `, by ${by}` : ''}`;
    const found = `log-probs differ by ${small(mean)} on average and ${small(largest)} at most`;
    lines.push(`re-scored on ${asked}: ${found}; the likeliest token is the same at ${percent(sameLikeliest)}`);
  }
  if (accuracy !== undefined) {
    const { before, after, problems } = accuracy;
    const shown = `${percentWithInterval(before).trim()} before, ${percentWithInterval(after).trim()} after`;
    lines.push(`held-out accuracy on ${counted(problems, 'problem')}, greedy: ${shown}`);
  }
  return lines;
}

const small = (value: number): string => (value === 0 ? '0' : value.toExponential(1));
