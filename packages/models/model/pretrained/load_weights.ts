/**
 * Writes a pretrained model's weights into a policy, piece by piece: beside the policy's own weights nothing of the
 * model is ever held but one piece.
 */
import { CheckpointError } from '../../../../src/errors.ts';
import { numbersOf, STORAGE, type StoredValues } from '../../../../src/kernels/storage.ts';
import type { Parameter } from '../../../../src/model/parameters.ts';
import { type Adapter, requireFit } from './adapter_files.ts';
import type { PretrainedModel, PretrainedTensor } from './source.ts';

/** What takes weights; a `Policy` is one. */
export interface WeightsTaker {
  readonly parameters: readonly Parameter[];
  writeParameter(parameter: Parameter, values: ArrayLike<number> | StoredValues, at?: number): void;
}

/** What takes an adapter; a `Policy` that was opened with one is one. */
export interface AdapterTaker extends Pick<WeightsTaker, 'writeParameter'> {
  readonly adapterParameters: readonly Parameter[];
}

/** Tensors that files hold and no one computes with: they follow from the config, or from another tensor. */
export function isDerived(name: string, { shape }: Pick<PretrainedModel, 'shape'>): boolean {
  return name.endsWith('.rotary_emb.inv_freq') || (shape.tieWordEmbeddings && name === 'lm_head.weight');
}

/**
 * Nothing is written before all tensors are known to fit.
 *
 * @throws CheckpointError where a tensor is missing, misshapen, or not known to this engine, and for a weight that is
 *   not finite
 */
export async function loadPretrained(
  model: Pick<PretrainedModel, 'shape' | 'tensors'>,
  policy: WeightsTaker,
): Promise<void> {
  const found = policy.parameters.map((parameter) => ({ parameter, tensor: tensorOf(model.tensors, parameter) }));
  const known = new Set(policy.parameters.map(({ name }) => name));
  for (const [name, { file, shape }] of model.tensors) {
    if (known.has(name) || isDerived(name, model)) continue;
    const message = `${file}: tensor ${name} of shape [${shape.join(', ')}] — this engine has no place for it, and would compute another model without it.`;
    throw new CheckpointError('tensor-unknown', message, { file, name });
  }
  await writeAll(found, policy);
}

/**
 * A and B of every module. Nothing is written before all are known to fit.
 *
 * @throws CheckpointError `adapter-misfit` where the adapter belongs to another model
 */
export async function loadAdapter(
  adapter: Adapter,
  base: Pick<PretrainedModel, 'tensors'>,
  policy: AdapterTaker,
): Promise<void> {
  requireFit(adapter, base);
  const { adapterParameters } = policy;
  await writeAll(
    adapterParameters.map((parameter) => ({ parameter, tensor: tensorOf(adapter.tensors, parameter) })),
    policy,
  );
}

async function writeAll(
  found: readonly { readonly parameter: Parameter; readonly tensor: PretrainedTensor }[],
  policy: Pick<WeightsTaker, 'writeParameter'>,
): Promise<void> {
  for (const { parameter, tensor } of found) {
    const { storage } = parameter;
    const { stored, read } = tensor;
    const write = (values: ArrayLike<number> | StoredValues, at: number): void => {
      requireFinite(numbersOf(values), at, parameter, tensor);
      policy.writeParameter(parameter, values, at);
    };
    if (storage === 'f32') await read(write);
    else if (stored?.storage === storage) await stored.read(write);
    else {
      await read((values, at) => {
        requireFinite(values, at, parameter, tensor); // what is no number would be one in 4 bits
        policy.writeParameter(parameter, { storage, bytes: STORAGE[storage].encode(values) }, at);
      });
    }
  }
}

function tensorOf(tensors: ReadonlyMap<string, PretrainedTensor>, { name, slot }: Parameter): PretrainedTensor {
  const tensor = tensors.get(name);
  if (tensor?.shape.join() === slot.shape.join()) return tensor;
  const needed = `the config needs [${slot.shape.join(', ')}]`;
  const message =
    tensor === undefined
      ? `tensor ${name} is missing: ${needed}. Copy or fetch the model again.`
      : `${tensor.file}: tensor ${name} has shape [${tensor.shape.join(', ')}], ${needed}.`;
  throw new CheckpointError('tensor-mismatch', message, { name });
}

function requireFinite(values: ArrayLike<number>, at: number, { name }: Parameter, { file }: PretrainedTensor): void {
  const index = firstNotFinite(values);
  if (index === -1) return;
  const message = `${file}: tensor ${name} holds ${values[index]} at element ${at + index}: its weights must be finite. Copy or fetch the model again.`;
  throw new CheckpointError('weights-not-finite', message, { file, name, index: at + index });
}

/** A plain loop: a callback for each of a hundred million weights takes a second. */
function firstNotFinite(values: ArrayLike<number>): number {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value - value !== 0) return i;
  }
  return -1;
}
