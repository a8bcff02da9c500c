/**
 * Opens a pretrained model: what its weights are, and how its text is written. Headers and the tokenizer are read; the
 * weights are read when a policy takes them.
 */
import { CheckpointError } from '../../../../src/errors.ts';
import { decodeManifest } from '../../../../src/run/checkpoint/manifest.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, CONFIG } from '../../../../src/run/model/file_names.ts';
import { asksInWords, type Codec } from '../../../../src/text/codec.ts';
import { openAdapter, requireFit } from '../../model/pretrained/adapter_files.ts';
import { mergedModel } from '../../model/pretrained/merge_adapter.ts';
import { openModelFolder, readJsonFile } from '../../model/pretrained/open_folder.ts';
import type { ModelFiles, PretrainedModel } from '../../model/pretrained/source.ts';
import type { TokenizerFiles } from '../../text/pretrained_codec.ts';
import { CHAT_TEMPLATE, TOKENIZER_FILES } from '../../text/tokenizer_files.ts';
import { AS_BASE } from './as_base.ts';
import { hashFiles, weightsHash } from './base_hashes.ts';
import { type CheckpointPlace, type ModelPlace, type Pretrained, withPlace } from './pretrained.ts';

type Json = Readonly<Record<string, unknown>>;

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
      const codec = (await closedCodecOf(tokenizer, model)) ?? (await wordsCodec(tokenizer, model, options));
      const hashes = once(() => hashFiles(files, [gguf]));
      const notes = asksInWords(codec) ? await notesOn(tokenizer, codec) : [];
      return { ...AS_BASE, name, place, model, codec, location, notes, hashes };
    }
    await requireWhole(files, checkpoint);
    const model = await openModelFolder(files, weightsFile(checkpoint));
    const { codec, notes } = await folderCodec(files, name, model, options);
    const weights = [...model.tensors.values()].map(({ file }) => file);
    const hashes = once(() => hashFiles(files, [...weights, ...CONFIG_FILES, ...TOKENIZER_FILES]));
    const longest = asksInWords(codec) ? model : withoutEnd(model);
    return { ...AS_BASE, name, place, model: longest, codec, location, notes, hashes };
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
async function closedCodecOf(
  { tokenizer, source }: TokenizerFiles,
  model: Pick<PretrainedModel, 'shape'>,
): Promise<Codec | undefined> {
  const { readVocabulary } = await import('../../text/read_vocabulary.ts');
  const closed = readVocabulary(tokenizer, source);
  if (closed !== undefined) requireRows(closed, model);
  return closed;
}

async function folderCodec(
  files: ModelFiles,
  name: string,
  model: Pick<PretrainedModel, 'shape'>,
  options: PretrainedOptions,
): Promise<{ readonly codec: Codec; readonly notes: readonly string[] }> {
  const tokenizer = await folderTokenizer(files, name);
  const closed = await closedCodecOf(tokenizer, model);
  if (closed !== undefined) return { codec: closed, notes: [] };
  const codec = { ...(await wordsCodec(tokenizer, model, options)), files: await tokenizerFiles(files) };
  return { codec, notes: await notesOn(tokenizer, codec) };
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

async function notesOn(tokenizer: TokenizerFiles, codec: Codec): Promise<string[]> {
  const { chatTemplate, source } = tokenizer;
  if (chatTemplate !== undefined) {
    const { turnEndNote } = await import('../../text/end_of_turn.ts');
    return [turnEndNote(tokenizer, codec)].filter((note) => note !== undefined);
  }
  return [`${source} has no chat template: system message, examples and question are put to it as lines of text`];
}

/** The files are read when it is first asked for. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function folderTokenizer(files: ModelFiles, source: string): Promise<TokenizerFiles> {
  const tokenizer = await readJsonFile(files, 'tokenizer.json');
  if (tokenizer === undefined) {
    const remedy =
      'a tokenizer of another kind is written as one by transformers, AutoTokenizer.from_pretrained(…).save_pretrained(…)';
    throw new CheckpointError('no-tokenizer', `tokenizer.json: no such file; ${remedy}.`);
  }
  const config = await readJsonFile(files, 'tokenizer_config.json');
  const specialTokens = await readJsonFile(files, 'special_tokens_map.json');
  const addedTokens = await readJsonFile(files, 'added_tokens.json');
  const ofModel = await readJsonFile(files, 'config.json');
  const ends = [await readJsonFile(files, 'generation_config.json'), ofModel];
  const { chatTemplateIn } = await import('../../text/pretrained_codec.ts');
  const template = await files.read(CHAT_TEMPLATE);
  const { withSideFiles } = await import('../../text/side_files.ts');
  const rows = typeof ofModel?.vocab_size === 'number' ? ofModel.vocab_size : undefined;
  const whole = withSideFiles({ tokenizer, config, specialTokens, addedTokens }, rows);
  return {
    ...whole,
    source,
    chatTemplate: template === undefined ? chatTemplateIn(whole.config) : new TextDecoder().decode(template),
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
