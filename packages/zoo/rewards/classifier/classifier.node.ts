/**
 * A classifier in its thread: loads a text-classification model or one of embeddings from a folder, with
 * `@huggingface/transformers`, and gives a number for each text. It asks no network.
 */
import { basename, dirname } from 'node:path';
import { RlvrError } from '../../../../src/errors.ts';
import type { SandboxReply } from '../sandbox/sandbox.ts';
import { refusal } from '../sandbox/sandbox_thread.ts';

/** What the thread is started for. */
export interface ClassifierStart {
  readonly kind: 'classifier';
  /** Absolute. */
  readonly folder: string;
  readonly label: string | undefined;
  readonly pays: 'label' | 'likeness';
  /** Each text is compared with another, or read as the second of a pair. */
  readonly isCompared: boolean;
  /** What is imported for `@huggingface/transformers`. */
  readonly library: string;
}

/** Texts to score; with `before`, each is read as the second of a pair, or compared with it. */
export interface ClassifierQuestion {
  readonly texts: readonly string[];
  readonly before?: readonly string[];
}

interface Loading {
  readonly local_files_only: true;
  readonly dtype?: 'fp32';
  readonly device?: 'cpu';
}

/** The part of the library that is used. */
interface Library {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string; useFSCache: boolean };
  readonly AutoTokenizer: { from_pretrained(name: string, options: Loading): Promise<Tokenize> };
  readonly AutoModelForSequenceClassification: { from_pretrained(name: string, options: Loading): Promise<Model> };
  readonly AutoModel: { from_pretrained(name: string, options: Loading): Promise<EmbeddingModel> };
}

type Tokenize = (
  texts: readonly string[],
  options: { readonly padding: true; readonly truncation: true; readonly text_pair?: readonly string[] },
) => unknown;

interface Model {
  (inputs: unknown): Promise<{ readonly logits: { readonly data: ArrayLike<number> } }>;
  readonly config: { readonly id2label?: Readonly<Record<string, string>>; readonly problem_type?: string };
}

/** Mean over its tokens is the embedding of a text, unless the model says it itself. */
type EmbeddingModel = (inputs: unknown) => Promise<{
  readonly sentence_embedding?: { readonly data: ArrayLike<number> };
  readonly last_hidden_state?: { readonly data: ArrayLike<number>; readonly dims: readonly number[] };
}>;

const PACKAGE = '@huggingface/transformers';
/** Looked at when the model is opened. */
const TRIED = ['yes', 'no, that is wrong'];

type Score = (question: ClassifierQuestion) => Promise<readonly number[]>;

/** Opens the model. @throws PluginError `rule; remedy` where it cannot be used */
export async function openClassifier(
  start: ClassifierStart,
): Promise<(question: ClassifierQuestion) => Promise<SandboxReply>> {
  const { folder, pays, library } = start;
  try {
    const opened = await loadLibrary(library);
    const { env, AutoTokenizer } = opened;
    Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, useFSCache: false });
    env.localModelPath = `${dirname(folder)}/`;
    const name = basename(folder);
    const tokenize = await AutoTokenizer.from_pretrained(name, { local_files_only: true });
    const score = await (pays === 'likeness' ? likeness : probability)(opened, name, tokenize, start.label);
    const tried = await score({ texts: TRIED, before: start.isCompared ? TRIED : undefined });
    if (!tried.every(Number.isFinite)) {
      throw refusal(`gives ${tried.join(' and ')} for two short texts; name a model whose outputs are finite`);
    }
    return async (question) => ({ type: 'scores', values: await score(question) });
  } catch (error) {
    if (RlvrError.is(error)) throw error;
    const kind = pays === 'likeness' ? 'model of embeddings' : 'text classifier';
    throw refusal(`cannot be opened as a ${kind} (${(error as Error).message}); see to its files`);
  }
}

async function loadLibrary(library: string): Promise<Library> {
  try {
    return (await import(library)) as Library;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The second is what the loader of the sources says.
    if (/^(?:ERR_)?MODULE_NOT_FOUND$/.test(code ?? '') && message.includes(`'${PACKAGE}'`)) {
      throw refusal(`the model is run by a package that is not there; npm install ${PACKAGE}`);
    }
    throw refusal(`${PACKAGE} cannot be loaded (${message}); install it again`);
  }
}

const LOADING = { local_files_only: true, dtype: 'fp32', device: 'cpu' } as const;

/** Cosine of the embeddings of each text and of what it is compared with. */
async function likeness({ AutoModel }: Library, name: string, tokenize: Tokenize): Promise<Score> {
  const model = await AutoModel.from_pretrained(name, LOADING);
  const embed = async (texts: readonly string[]): Promise<Float64Array[]> => {
    const inputs = tokenize(texts, { padding: true, truncation: true });
    const { sentence_embedding: said, last_hidden_state: states } = await model(inputs);
    if (said !== undefined) {
      const width = said.data.length / texts.length;
      return texts.map((_, row) => Float64Array.from({ length: width }, (__, i) => Number(said.data[row * width + i])));
    }
    if (states === undefined) {
      throw refusal('it gives no embeddings (last_hidden_state, sentence_embedding); name a model that does');
    }
    const { attention_mask: mask } = inputs as {
      readonly attention_mask: { readonly data: ArrayLike<number | bigint> };
    };
    const [, length, width] = states.dims as [number, number, number];
    return texts.map((_, row) => {
      const sum = new Float64Array(width);
      for (let at = row * length; at < (row + 1) * length; at++) {
        if (Number(mask.data[at]) === 1)
          sum.forEach((value, i) => (sum[i] = value + Number(states.data[at * width + i])));
      }
      return sum; // a mean, but for its length, which a cosine does not see
    });
  };
  return async ({ texts, before = [] }) => {
    const [own, others] = [await embed(texts), await embed(before)];
    return own.map((vector, i) => cosine(vector, others[i] as Float64Array));
  };
}

function cosine(one: Float64Array, two: Float64Array): number {
  const product = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
  const lengths = Math.sqrt(product(one, one) * product(two, two));
  return lengths === 0 ? 0 : product(one, two) / lengths;
}

async function probability(
  { AutoModelForSequenceClassification }: Library,
  name: string,
  tokenize: Tokenize,
  label: string | undefined,
): Promise<Score> {
  const model = await AutoModelForSequenceClassification.from_pretrained(name, LOADING);
  const labels = Object.values(model.config.id2label ?? {});
  const place = placeOf(labels, label);
  const isOneOfSeveral = model.config.problem_type !== 'multi_label_classification';
  return async ({ texts, before }) => {
    const pair = before && { text_pair: texts };
    const { logits } = await model(tokenize(before ?? texts, { padding: true, truncation: true, ...pair }));
    if (logits.data.length !== texts.length * labels.length) {
      throw new Error(`it gives ${logits.data.length} outputs for ${texts.length} texts and ${labels.length} labels`);
    }
    return texts.map((_, row) => {
      const own = Array.from({ length: labels.length }, (__, i) => Number(logits.data[row * labels.length + i]));
      if (own.length === 1) return own[0];
      return isOneOfSeveral ? softmax(own)[place] : 1 / (1 + Math.exp(-own[place]));
    });
  };
}

/** Where the label is among those of the model. @throws PluginError */
function placeOf(labels: readonly string[], label: string | undefined): number {
  if (labels.length === 0)
    throw refusal('its config.json names no labels (id2label), so it classifies nothing; name another');
  const known = `it has the labels ${labels.join(', ')}`;
  if (label === undefined) {
    if (labels.length === 1) return 0;
    throw refusal(`missing, and ${known}; give the one whose probability is paid`, { key: 'label', value: label });
  }
  const place = labels.indexOf(label);
  if (place < 0) throw refusal(`no label of the model; ${known}`, { key: 'label', value: label });
  return place;
}

function softmax(logits: readonly number[]): number[] {
  const most = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - most));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}
