/**
 * A pretrained model, opened: what its weights are, and how its text is written. Headers and the tokenizer are read; the
 * weights are read when a policy takes them.
 */
import { otherAdapterKeys } from '../../config/keys/adapter_keys.ts';
import { otherModelKeys } from '../../config/model_config.ts';
import { aboutKey } from '../../config/problems.ts';
import type { RunConfig } from '../../config/run_config.ts';
import { CheckpointError, ConfigError } from '../../errors.ts';
import type { BaseModel } from '../../grpo/run.ts';
import {
  ADAPTER_CONFIG,
  ADAPTER_WEIGHTS,
  type Adapter,
  type BaseName,
  openAdapter,
  requireFit,
} from '../../model/pretrained/adapter_files.ts';
import { frozenStorage } from '../../model/pretrained/frozen_storage.ts';
import { loadPretrained, type WeightsTaker } from '../../model/pretrained/load_weights.ts';
import { mergedModel } from '../../model/pretrained/merge_adapter.ts';
import { CONFIG, openModelFolder, readJsonFile } from '../../model/pretrained/open_folder.ts';
import type { ModelFiles, PretrainedModel } from '../../model/pretrained/source.ts';
import { asksInWords, type Codec } from '../../text/codec.ts';
import type { TokenizerFiles } from '../../text/pretrained_codec.ts';
import { CHAT_TEMPLATE, TOKENIZER_FILES } from '../../text/tokenizer_files.ts';
import { decodeManifest } from '../checkpoint/manifest.ts';
import { type BaseHashes, hashFiles, weightsHash } from './base_hashes.ts';

type Json = Readonly<Record<string, unknown>>;

/** Where a model lies: a folder of Hugging Face's layout, or a GGUF file in one. */
export interface ModelPlace {
  /** As it was written, for messages. */
  readonly name: string;
  readonly files: ModelFiles;
  /** The file in the folder, where it is a GGUF file. */
  readonly gguf?: string;
  /** Where other programs find it. */
  readonly location?: BaseName;
  /** The checkpoint that the weights are of, where `files` are those of a run. */
  readonly checkpoint?: CheckpointPlace;
  /** The folder of an adapter to add to the model. */
  readonly adapter?: Pick<ModelPlace, 'name' | 'files' | 'checkpoint'>;
}

/** A checkpoint of a run whose weights are a start. */
export interface CheckpointPlace {
  /** From the run's directory, as `checkpoints/grpo-300`. */
  readonly path: string;
  /** It was not named: it is the newest of the run that was. */
  readonly isChosen: boolean;
}

/** A pretrained model that was opened: what it is, its tokenizer, and where its weights lie. */
export interface Pretrained {
  /** As it was written, for messages. */
  readonly name: string;
  readonly place: ModelPlace;
  readonly model: PretrainedModel;
  readonly codec: Codec;
  /** The adapter to the model's weights, where one was opened. */
  readonly adapter?: Adapter;
  readonly location: BaseName;
  /** What is said before the first step. */
  readonly notes: readonly string[];
  /** SHA-256 of the files that it was opened from: a pass over all of them. */
  hashes(): Promise<BaseHashes>;
}

export interface PretrainedOptions {
  /** Given to the chat template besides the messages. */
  readonly chatTemplateKwargs?: Json;
}

/** Files that say what the weights are, and which tokens end an answer. */
const CONFIG_FILES = [CONFIG, 'generation_config.json'];

/**
 * Reads what a pretrained model is, the adapter beside it included; its weights are read later, by `openRun`.
 *
 * @throws CheckpointError, DataError where a file is missing or damaged, or of a model that is not computed here
 */
export async function openPretrained(place: ModelPlace, options: PretrainedOptions = {}): Promise<Pretrained> {
  const base = await openBase(place, options);
  if (place.adapter === undefined) return base;
  const { name, files, checkpoint } = place.adapter;
  try {
    const weights = weightsFile(checkpoint);
    await requireWhole(files, checkpoint);
    const adapter = await openAdapter(files, weights);
    requireFit(adapter, base.model);
    const { baseSha256: trained } = adapter;
    const present = trained && (await weightsHash(await base.hashes(), base.model));
    const other = `trained beside weights with SHA-256 ${trained?.slice(0, 8)}…, and those of ${base.name} have ${present?.slice(0, 8)}…`;
    const notes = trained === present ? adapter.notes : [...adapter.notes, other];
    const own = weights === undefined ? [ADAPTER_CONFIG, ADAPTER_WEIGHTS] : [ADAPTER_CONFIG, weights];
    const hashes = async () => ({ ...(await base.hashes()), ...(await hashFiles(files, own)) });
    const told = notes.map((note) => `${name}: ${note}`);
    return { ...base, name, adapter: { ...adapter, notes }, notes: [...base.notes, ...told], hashes };
  } catch (error) {
    throw withPlace({ name }, error);
  }
}

/** The model with its adapter merged, for those who only ask it. */
export function merged(pretrained: Pretrained): Pretrained {
  const { model, adapter } = pretrained;
  if (adapter === undefined) return pretrained;
  const { adapter: _, ...whole } = pretrained;
  return { ...whole, model: mergedModel(model, adapter) };
}

async function openBase(place: ModelPlace, options: PretrainedOptions): Promise<Pretrained> {
  const { name, files, gguf, checkpoint, location = { name } } = place;
  try {
    if (gguf !== undefined) {
      // Loaded where a model is opened: a page that has none does without.
      const { openGguf } = await import('../../model/pretrained/gguf_model.ts');
      const { ggufTokenizer } = await import('../../text/gguf_tokenizer.ts');
      const model = await openGguf(files, gguf);
      const tokenizer = ggufTokenizer(model.metadata, name);
      const codec = await wordsCodec(tokenizer, model, options);
      const hashes = once(() => hashFiles(files, [gguf]));
      return { name, place, model, codec, location, notes: notesOn(tokenizer), hashes };
    }
    await requireWhole(files, checkpoint);
    const model = await openModelFolder(files, weightsFile(checkpoint));
    const { codec, notes } = await folderCodec(files, name, model, options);
    const weights = [...model.tensors.values()].map(({ file }) => file);
    const hashes = once(() => hashFiles(files, [...weights, ...CONFIG_FILES, ...TOKENIZER_FILES]));
    return { name, place, model: asksInWords(codec) ? model : withoutEnd(model), codec, location, notes, hashes };
  } catch (error) {
    throw withPlace(place, error);
  }
}

async function wordsCodec(
  tokenizer: TokenizerFiles,
  { shape }: Pick<PretrainedModel, 'shape'>,
  { chatTemplateKwargs }: PretrainedOptions,
): Promise<Codec> {
  const { pretrainedCodec } = await import('../../text/pretrained_codec.ts');
  return pretrainedCodec(tokenizer, { vocabSize: shape.vocabSize, ...(chatTemplateKwargs && { chatTemplateKwargs }) });
}

/** A closed vocabulary is recognised by what its tokenizer says. */
async function folderCodec(
  files: ModelFiles,
  name: string,
  model: Pick<PretrainedModel, 'shape'>,
  options: PretrainedOptions,
): Promise<{ readonly codec: Codec; readonly notes: readonly string[] }> {
  const tokenizer = await folderTokenizer(files, name);
  const { readVocabulary } = await import('../../text/read_vocabulary.ts');
  const closed = readVocabulary(tokenizer.tokenizer, name);
  if (closed !== undefined) {
    requireRows(closed, model);
    return { codec: closed, notes: [] };
  }
  const codec = { ...(await wordsCodec(tokenizer, model, options)), files: await tokenizerFiles(files) };
  return { codec, notes: notesOn(tokenizer) };
}

/** The tokenizer of a folder, for a model of the same shape. @throws CheckpointError, DataError */
export async function openCodec(
  files: ModelFiles,
  { name, model }: Pick<Pretrained, 'name' | 'model'>,
): Promise<Codec> {
  return (await folderCodec(files, name, model, {})).codec;
}

/** The weights of a checkpoint. */
function weightsFile(checkpoint: CheckpointPlace | undefined): string | undefined {
  return checkpoint && `${checkpoint.path}/weights.safetensors`;
}

/** @throws CheckpointError `checkpoint-damaged` where the weights of a checkpoint are not those that were saved */
async function requireWhole(files: ModelFiles, checkpoint: CheckpointPlace | undefined): Promise<void> {
  const file = weightsFile(checkpoint);
  if (checkpoint === undefined || file === undefined) return;
  const manifest = await decodeManifest(await files.read(`${checkpoint.path}/manifest.json`));
  const sha256 = manifest.ok ? (await hashFiles(files, [file]))[file] : undefined;
  if (manifest.ok && sha256 === manifest.value.files['weights.safetensors'].sha256) return;
  const ofWeights = sha256 === undefined ? 'weights.safetensors is missing' : 'its weights do not match their SHA-256';
  const reason = manifest.ok ? ofWeights : manifest.reason;
  const remedy = 'Give another checkpoint of that run, or resume the run, which passes over it';
  throw new CheckpointError('checkpoint-damaged', `${checkpoint.path}: ${reason}. ${remedy}.`, { reason });
}

/** @throws CheckpointError where the tokenizer belongs to another model */
function requireRows({ vocabSize }: Codec, { shape }: Pick<PretrainedModel, 'shape'>): void {
  if (vocabSize === shape.vocabSize) return;
  const rule = `has ${vocabSize} tokens, and the embedding ${shape.vocabSize} rows`;
  throw new CheckpointError('tokenizer-mismatch', `tokenizer.json: ${rule}. Copy both from the same run again.`);
}

/** Rotary positions have no end: a model that was trained on its task's own texts reads those of a larger one, if worse at first. */
function withoutEnd(model: PretrainedModel): PretrainedModel {
  return { ...model, context: Number.POSITIVE_INFINITY };
}

function notesOn({ chatTemplate, source }: TokenizerFiles): string[] {
  if (chatTemplate !== undefined) return [];
  return [`${source} has no chat template: system message, examples and question are put to it as lines of text`];
}

/** Reads the weights into a policy. @throws CheckpointError where they are not those of the config */
export async function loadWeights({ place, model }: Pretrained, policy: WeightsTaker): Promise<void> {
  try {
    await loadPretrained(model, policy);
  } catch (error) {
    throw withPlace(place, error);
  }
}

/** The files are read when it is first asked for. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What a run keeps of its model: a pass over all of its files. */
export async function baseOf({ name, place, model, location, hashes }: Pretrained): Promise<BaseModel> {
  const files = await hashes();
  const { checkpoint } = place.adapter ?? place;
  const shown = checkpoint?.isChosen ? `${name}/${checkpoint.path}` : name;
  return { name: location, shown, files, sha256: await weightsHash(files, model) };
}

/**
 * The same config with what a pretrained model's files say: the shape, and of an adapter rank, alpha and modules.
 *
 * @throws ConfigError for a key of the model or of an adapter that is not its default, and not that of the files
 */
export function withPretrained(config: RunConfig, { name, codec, model: pretrained, adapter }: Pretrained): RunConfig {
  const { shape, context } = pretrained;
  const { vocabSize: _, ...sizes } = shape;
  const { initializerRange } = config.model;
  const longest = asksInWords(codec) ? { maxPositionEmbeddings: context } : {};
  const model = { ...sizes, initializerRange, ...longest };
  const others = [
    ...otherModelKeys(config.model, shape, name),
    ...(adapter === undefined ? [] : otherAdapterKeys(config.adapter, adapter.config)),
  ];
  const other = others.find(({ isDefault }) => !isDefault);
  if (other !== undefined) {
    throw new ConfigError('other-model', `${aboutKey(other.key, other.value, other.rule)}.`, { path: other.key });
  }
  const kept = frozenStorage(config, pretrained);
  return {
    ...config,
    model,
    ...(Object.keys(kept).length > 0 && { frozenStorage: kept }),
    ...(adapter && { adapter: adapter.config }),
  };
}

/** @throws ConfigError where a config names a model and none was opened, or the other way round */
export function requirePretrained({ modelNameOrPath: path }: RunConfig, pretrained: Pretrained | undefined): void {
  if ((path === undefined) === (pretrained === undefined)) return;
  const rule =
    path === undefined
      ? 'a pretrained model was opened, and the config names none; add the key'
      : 'openRun needs the model opened; give it openPretrained(findModel(path)), and its codec to createTasks';
  const message = `model_name_or_path: ${path === undefined ? 'missing' : JSON.stringify(path)} — ${rule}.`;
  throw new ConfigError('pretrained', message, { path: 'model_name_or_path' });
}

/** @throws ConfigError where a method speaks in words that a closed vocabulary has no row for */
export function requireWords(pretrained: Pretrained | undefined, { codec }: { readonly codec: Codec }): void {
  if (pretrained === undefined || codec.vocabSize === pretrained.model.shape.vocabSize) return;
  const known = pretrained.codec.words ?? new Map<string, Int32Array>();
  const missing = [...(codec.words?.keys() ?? [])].filter((word) => !known.has(word)).join(', ');
  const rule = `its vocabulary lacks ${missing}, by which a method of this config speaks to the policy`;
  const remedy = 'leave the method out, or begin with random weights';
  const message = `model_name_or_path: ${pretrained.name} — ${rule}; ${remedy}.`;
  throw new ConfigError('vocabularies', message, { path: 'model_name_or_path', missing });
}

async function folderTokenizer(files: ModelFiles, source: string): Promise<TokenizerFiles> {
  const tokenizer = await readJsonFile(files, 'tokenizer.json');
  if (tokenizer === undefined) {
    const remedy =
      'a tokenizer of another kind is written as one by transformers, AutoTokenizer.from_pretrained(…).save_pretrained(…)';
    throw new CheckpointError('no-tokenizer', `tokenizer.json: no such file; ${remedy}.`);
  }
  const config = (await readJsonFile(files, 'tokenizer_config.json')) ?? {};
  const ends = [await readJsonFile(files, 'generation_config.json'), await readJsonFile(files, 'config.json')];
  const { chatTemplateIn } = await import('../../text/pretrained_codec.ts');
  const template = await files.read(CHAT_TEMPLATE);
  return {
    source,
    tokenizer,
    config,
    chatTemplate: template === undefined ? chatTemplateIn(config) : new TextDecoder().decode(template),
    // The generation config replaces what the model's config says.
    eosTokenIds: ends.map((json) => idsOf(json?.eos_token_id)).find((ids) => ids.length > 0) ?? [],
  };
}

function idsOf(value: unknown): readonly number[] {
  const ids: readonly unknown[] = Array.isArray(value) ? value : [value];
  return ids.filter((id) => typeof id === 'number');
}

async function tokenizerFiles(files: ModelFiles): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const file of TOKENIZER_FILES) {
    const bytes = await files.read(file);
    if (bytes !== undefined) found.set(file, bytes);
  }
  return found;
}

/** The files of a folder among others. */
export function folderOf(files: ModelFiles, folder: string): ModelFiles {
  return {
    size: (path) => files.size(`${folder}/${path}`),
    read: (path) => files.read(`${folder}/${path}`),
    readRange: (path, begin, end) => files.readRange(`${folder}/${path}`, begin, end),
  };
}

/** Errors name files within the model; this says which model. */
function withPlace({ name, gguf }: Pick<ModelPlace, 'name' | 'gguf'>, error: unknown): unknown {
  if (!(error instanceof CheckpointError)) return error;
  const { code, facts, message } = error;
  const isNamed = gguf !== undefined && message.startsWith(`${gguf}: `);
  const placed = isNamed ? name + message.slice(gguf.length) : `${name}: ${message}`;
  return new CheckpointError(code, placed, { ...facts, model: name });
}
