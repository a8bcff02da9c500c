/** A pretrained model that is asked by a program. */
import type { Backend } from '../../../src/kernels/engine.ts';
import { Policy } from '../../../src/model/policy.ts';
import { asksInWords } from '../../../src/text/codec.ts';
import { merged } from '../run/model/open_pretrained.ts';
import type { Pretrained } from '../run/model/pretrained.ts';
import { type Answering, type AskedPolicy, askedPolicy } from './asked_policy.ts';

/** How much room a model that is asked gets. */
export interface AskedModelOptions {
  /** Most tokens of prompt and answer together; default: 1,280, or what the model reads if that is less. */
  readonly context?: number;
  /** Answers that are sampled side by side; more are sampled one after another, to the same bits. Default 4. */
  readonly parallel?: number;
}

const CONTEXT = 1280;
const PARALLEL = 4;
const ANSWER_TOKENS = 256;

/**
 * A pretrained model that `openPretrained` has opened, to be asked.
 *
 * @param model  with its adapter, which is merged
 * @throws CheckpointError, MemoryPlanError
 */
export async function openAskedModel(
  model: Pretrained,
  backend: Backend,
  options: AskedModelOptions = {},
): Promise<AskedPolicy> {
  return askedPolicy(await openAnswering(model, backend, options));
}

/** The same, for what asks it token by token. */
export async function openAnswering(
  model: Pretrained,
  backend: Backend,
  { context: asked = CONTEXT, parallel = PARALLEL }: AskedModelOptions = {},
): Promise<Answering> {
  const pretrained = merged(model);
  const { name, codec, model: whole } = pretrained;
  const context = Math.min(asked, whole.context);
  const policy = await Policy.open(backend, whole.shape, {
    rows: Math.max(context, parallel),
    lossRows: parallel,
    groups: 1,
    completions: parallel,
    kvRows: parallel * context,
    context,
    training: false,
    keptRows: 0,
  });
  try {
    await pretrained.loadWeights(policy);
  } catch (error) {
    await policy.close();
    throw error;
  }
  const maxCompletionTokens = Math.min(ANSWER_TOKENS, Math.max(1, Math.floor(context / 2)));
  return {
    name,
    policy,
    codec,
    tokensOf: (content) => codec.encode(asksInWords(codec) ? codec.render([{ role: 'user', content }]) : content),
    end: { maxCompletionTokens, stopIds: codec.stopIds },
    close: () => policy.close(),
  };
}
