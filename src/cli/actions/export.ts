/** `rlvr-train export PATH --output PLACE`: a model for other programs, opened again and re-scored before it is there. */
import { basename, dirname } from 'node:path';
import { CheckpointError } from '../../errors.ts';
import { printable, shellQuoted } from '../../format.ts';
import type { GgufDtype } from '../../model/pretrained/gguf_encoders.ts';
import type { Exported } from '../../run/model/compare_weights.ts';
import { EXPORTS, type ExportTarget } from '../../run/model/exports.ts';
import { encodeJson } from '../../run/model/model_files.ts';
import type { Pretrained } from '../../run/model/pretrained.ts';
import {
  type CompletionToScore,
  type ScoreDifference,
  scoreCompletions,
  scoreDifference,
} from '../../run/model/rescore.ts';
import { fileStore } from '../../run/store/files.node.ts';
import { asksInWords } from '../../text/codec.ts';
import { print, printError } from '../display/output.ts';
import { chooseBackend } from '../process/backend.ts';
import { recordedCompletions, toScore } from '../runs/export_completions.ts';
import { openGiven, requireFree, writeWhole } from '../runs/give_away.ts';

export interface ExportOptions {
  readonly output: string;
  /** Default: gguf where the name of the output ends so, else merged. */
  readonly to?: ExportTarget;
  readonly dtype?: GgufDtype;
  readonly base?: string;
  readonly check: number;
  readonly threads?: number;
}

/** Largest mean |Δ log-prob| of a token that a type may make; a fault of any kind makes more. */
const BOUNDS: Readonly<Record<GgufDtype, number>> = { f32: 0.001, f16: 0.02, bf16: 0.1, q8_0: 0.1 };

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
      texts: textsOf(pretrained),
    });
    const scores = await rescored(path, pretrained, exported, { ...options, dtype });
    const found = { source: pretrained.name, to, dtype, weights: exported.change, ...(scores && { scores }) };
    if (kind === 'folder') await store.writeAtomic(`${place}/export_report.json`, encodeJson(found));
    return found;
  });
  if (kind === 'file') {
    await fileStore(dirname(output)).writeAtomic(`${basename(output)}.json`, encodeJson(report));
  }
  print(`${printable(pretrained.name)}: written as ${printable(output)}, ${to}, ${dtype}`);
  for (const line of [...reportLines(report), ...usage(pretrained, to, output)]) print(line);
}

interface ExportReport {
  readonly source: string;
  readonly to: ExportTarget;
  readonly dtype: GgufDtype;
  readonly weights: Exported['change'];
  readonly scores?: ScoreDifference;
}

/** Milliseconds without a word that nobody minds. */
const WAIT_MS = 2_000;

/**
 * What was written, asked beside what it was made of.
 *
 * @returns undefined where there is nothing to ask
 * @throws CheckpointError `export-differs`
 */
async function rescored(
  path: string,
  pretrained: Pretrained,
  { opened, change }: Exported,
  { check, threads, dtype }: ExportOptions & { readonly dtype: GgufDtype },
): Promise<ScoreDifference | undefined> {
  const completions = await completionsToAsk(path, pretrained, check);
  if (completions.length === 0) return undefined;
  const shown = printable(pretrained.name);
  const wait = setTimeout(() => printError(`${shown}: re-scoring ${completions.length} completions`), WAIT_MS);
  try {
    const backend = await chooseBackend({ backend: 'wasm', threads });
    const before = await scoreCompletions(backend, pretrained, completions);
    const found = scoreDifference(before, await scoreCompletions(backend, opened, completions), completions.length);
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
  return TEXTS.map((text) => toScore(codec, 'Say something.', text));
}

function reportLines({ weights, scores }: ExportReport): string[] {
  const changed =
    weights.difference === 0
      ? 'every weight is the same'
      : `weights differ by at most ${weights.difference.toExponential(1)} (${weights.tensor}), which is what its type rounds off`;
  if (scores === undefined) return [`opened again: ${changed}`];
  const { completions, tokens, mean, largest, sameLikeliest } = scores;
  const asked = `${completions} completions, ${tokens} tokens`;
  const found = `log-probs differ by ${small(mean)} on average and ${small(largest)} at most`;
  return [
    `opened again: ${changed}`,
    `re-scored on ${asked}: ${found}; the likeliest token is the same at ${(100 * sameLikeliest).toFixed(1)} %`,
  ];
}

const small = (value: number): string => (value === 0 ? '0' : value.toExponential(1));

/** Texts that reach every rule by which a text is split. */
const TEXTS = [
  'The capital of Japan is Tokyo.',
  "I'll say it's 12345, 6.7 and 89!\n\n  Two  blanks\tand a tab ",
  'naïve café, Größe, 東京, 🙂 \r\n',
];

function textsOf({ codec }: Pretrained): readonly string[] {
  if (asksInWords(codec)) return [...TEXTS, codec.render([{ role: 'user', content: TEXTS[1] as string }])];
  const characters = Array.from({ length: codec.vocabSize }, (_, id) => codec.tokenText(id));
  return [characters.filter((text) => !/^<.+>$/.test(text)).join('')];
}

/** The lines that ask it, in programs of others. */
function usage({ codec, location }: Pretrained, to: ExportTarget, output: string): string[] {
  const place = shellQuoted(output);
  const isChat = asksInWords(codec);
  switch (to) {
    case 'gguf':
      return [
        `llama.cpp:  llama-cli -m ${place} --temp 0${isChat ? ' -p "…"' : ' -no-cnv -p "PROMPT"'}`,
        ...(isChat
          ? [`Ollama:     echo "FROM ${output}" > Modelfile && ollama create my-model && ollama run my-model`]
          : []),
      ];
    case 'gguf-lora':
      return [`llama.cpp:  llama-cli -m BASE.gguf --lora ${place} --temp 0 -p "…"`];
    case 'merged':
      return [
        `transformers:  AutoModelForCausalLM.from_pretrained(${JSON.stringify(output)})`,
        `vLLM:          vllm serve ${place}`,
      ];
    case 'peft':
      return [
        `PEFT:  PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(${JSON.stringify(location.name)}), ${JSON.stringify(output)})`,
      ];
  }
}
