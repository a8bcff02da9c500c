/**
 * Derives from the weights what the magnitudes of adapters (DoRA, arXiv:2402.09353) need: the norms of the base's rows,
 * once, and each output's factor, after every change of the weights.
 *
 *   norm² = ‖W‖² + 2s·Σ_k B_k·(A·Wᵀ)_k + s²·B·(A·Aᵀ)·Bᵀ;  columnScale = magnitude / norm
 *
 * A·Wᵀ is a product of W with the r rows of A: it costs as much as r rows of a forward pass, reads W in its storage
 * type, and needs no copy of W + s·B·A.
 */
import type { Engine } from '../kernels/engine.ts';
import type { Kernels } from '../kernels/kernels.ts';
import type { Slot } from '../kernels/memory.ts';
import { MAGNITUDE, type MatrixName } from './adapter.ts';
import { adapterProducts } from './linear.ts';
import type { AdapterScratch } from './memory/adapter_scratch.ts';
import type { LayerSlots, Parameter, ParameterSet } from './parameters.ts';

/** Whether adapters of these weights have magnitudes. */
export function hasMagnitudes({ layers }: Pick<ParameterSet, 'layers'>): boolean {
  return layers.some(({ adapters }) => Object.values(adapters).some(({ columnScale }) => columnScale !== undefined));
}

/** `columnScale` of every matrix whose adapter has magnitudes, =. */
export function refreshColumnScales(
  kernels: Kernels,
  { layers }: ParameterSet,
  scratch: AdapterScratch | undefined,
): void {
  for (const layer of layers) {
    for (const name of Object.keys(layer.adapters) as MatrixName[]) refreshMatrix(kernels, layer, name, scratch);
  }
}

function refreshMatrix(
  kernels: Kernels,
  layer: LayerSlots,
  name: MatrixName,
  scratch: AdapterScratch | undefined,
): void {
  const [adapter, room, weight] = [layer.adapters[name], scratch?.magnitudes, layer[name]];
  if (adapter?.columnScale === undefined || room === undefined) return;
  const { loraA, parts, scale: factor, columnScale } = adapter;
  const { products, gram } = adapterProducts(kernels, weight, loraA, room);
  kernels.fill({ out: columnScale, value: 1 });
  for (const { loraB, magnitudes, firstColumn, firstInput } of parts) {
    if (magnitudes === undefined) continue;
    const { magnitude, baseNorms, columnScale: scale } = magnitudes;
    kernels.magnitudeScale({ magnitude, baseNorms, loraB, products, gram, firstInput, firstColumn, factor, scale });
  }
}

/** Writes the norms of the base's rows, from the values that its arenas hold; float64, one module in memory at a time. */
export async function writeBaseNorms(engine: Engine, weights: ParameterSet): Promise<void> {
  for (const { module, baseNorms } of scaledModules(weights)) engine.write(baseNorms, await rowNorms(engine, module));
}

/** A model with adapters, such as a `Policy`. */
export interface Adapted {
  readonly adapterParameters: readonly Parameter[];
  writeParameter(parameter: Parameter, values: ArrayLike<number>): void;
  readonly engine: Engine;
  readonly slots: { readonly weights: ParameterSet };
}

/** Sets each magnitude to the norm of its row of the loaded base, so that with B = 0 the model equals the base. */
export async function beginMagnitudes(policy: Adapted): Promise<void> {
  const modules = new Map(
    scaledModules(policy.slots.weights).map((scaled) => [scaled.magnitude.offset, scaled.module]),
  );
  for (const parameter of policy.adapterParameters) {
    const module = parameter.initial === 'norm' ? modules.get(parameter.slot.offset) : undefined;
    if (module !== undefined) policy.writeParameter(parameter, await rowNorms(policy.engine, module));
  }
}

/** Each adapted module's rows of the base, with its vectors. */
function scaledModules({ layers, parameters, adapterParameters }: ParameterSet) {
  const bases = new Map(parameters.map(({ name, slot }) => [name, slot]));
  const vectors = new Map(
    layers.flatMap(({ adapters }) =>
      Object.values(adapters).flatMap(({ parts }) =>
        parts.flatMap(({ magnitudes }) => (magnitudes ? [[magnitudes.magnitude.offset, magnitudes] as const] : [])),
      ),
    ),
  );
  return adapterParameters.flatMap(({ name, slot }) => {
    const vector = name.endsWith(`.${MAGNITUDE}`) ? vectors.get(slot.offset) : undefined;
    const module = bases.get(name.replace(MAGNITUDE, 'weight'));
    return vector && module ? [{ ...vector, module }] : [];
  });
}

async function rowNorms(engine: Engine, module: Slot): Promise<Float64Array> {
  const [outputs = 0, inputs = 0] = module.shape;
  const values = await engine.read(module);
  return Float64Array.from({ length: outputs }, (_, o) => {
    let sum = 0;
    for (let i = o * inputs; i < (o + 1) * inputs; i++) sum += (values[i] as number) ** 2;
    return Math.sqrt(sum);
  });
}
