/**
 * Low-rank adapters (LoRA, arXiv:2106.09685) beside frozen matrices: x·Wᵀ + s·(x·Aᵀ)·Bᵀ, with A [r, in] and B [out, r].
 *
 * A module is one projection of a layer, under its checkpoint name, and its adapter's tensors extend that name:
 * `model.layers.0.self_attn.q_proj.lora_A.weight` [r, in] and `model.layers.0.self_attn.q_proj.lora_B.weight` [out, r].
 * If modules form one fused matrix (q, k and v; gate and up), their A are adjacent, so that one product with the shared
 * input gives x·Aᵀ of all; each B then adds to its module's columns.
 *
 * With magnitudes (DoRA, arXiv:2402.09353) every output's size is a parameter: row o of W + s·B·A is scaled to
 * `model.layers.0.self_attn.q_proj.lora_magnitude_vector`[o]. ./magnitudes.ts has the work per step.
 */
import { ConfigError } from '../errors.ts';
import type { Slot } from '../kernels/memory.ts';
import type { ModelShape } from './shape.ts';
import { kvWidth, queryWidth } from './shape.ts';

/** The matrices of a layer. q, k and v are one, and so are gate and up. */
export type MatrixName = 'qkv' | 'attentionOutput' | 'gateUp' | 'down';

/** Projections that can have an adapter, as PEFT's `target_modules` names them. */
export const ADAPTER_TARGETS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const;
export type AdapterTarget = (typeof ADAPTER_TARGETS)[number];

/** How the names of magnitudes end, as in PEFT's files. */
export const MAGNITUDE = 'lora_magnitude_vector';

/** Which modules have an adapter, in every layer. */
export interface AdapterSettings {
  /** r */
  readonly rank: number;
  /** s: what x·Aᵀ·Bᵀ is multiplied by, lora_alpha / r, or lora_alpha / √r with `use_rslora`. */
  readonly scale: number;
  readonly targets: readonly AdapterTarget[];
  /** Whether each output's size is trained apart from its direction. */
  readonly useDora?: boolean | undefined;
}

/** A module's share of a fused matrix. */
interface ModuleShare {
  readonly target: AdapterTarget;
  /** In a layer: `self_attn.q_proj`. */
  readonly path: string;
  readonly outputs: number;
  /** First of its outputs among those of the fused matrix. */
  readonly firstColumn: number;
}

/** The sizes of a module's outputs. */
export interface PartMagnitudes {
  /** [out] Target of ‖W + s·B·A‖ for each row; trained. */
  readonly magnitude: Slot;
  /** [out] ‖W‖ of each row, which the host writes. */
  readonly baseNorms: Slot;
  /** [out] The module's part of the matrix's `columnScale`. */
  readonly columnScale: Slot;
}

/** B of one module. */
export interface AdapterPart {
  /** [out, r] */
  readonly loraB: Slot;
  /** First of the module's outputs in a row of the matrix. */
  readonly firstColumn: number;
  /** First of its r columns in a row of x·loraAᵀ. */
  readonly firstInput: number;
  readonly magnitudes?: PartMagnitudes | undefined;
}

/** The adapter of one matrix. */
export interface MatrixAdapter {
  /** [modules·r, in]: A of each module, one after the other. */
  readonly loraA: Slot;
  readonly parts: readonly AdapterPart[];
  readonly scale: number;
  /**
   * [out] Factor of each output: magnitude / ‖W + s·B·A‖, 1 for a module without adapter. Absent without magnitudes.
   */
  readonly columnScale?: Slot | undefined;
}

/** The adapters of a layer, by the matrix that they adapt. */
export type LayerAdapters = { readonly [Name in MatrixName]?: MatrixAdapter };

/** Modules of each matrix, in the order of its rows, and the size of their input. */
function modulesOf(shape: ModelShape): { readonly [Name in MatrixName]: readonly [number, readonly ModuleShare[]] } {
  const { hiddenSize: D, intermediateSize: F } = shape;
  const [Q, K] = [queryWidth(shape), kvWidth(shape) / 2];
  const attention = (target: AdapterTarget, outputs: number, firstColumn: number): ModuleShare => ({
    target,
    path: `self_attn.${target}`,
    outputs,
    firstColumn,
  });
  const feedForward = (target: AdapterTarget, outputs: number, firstColumn: number): ModuleShare => ({
    target,
    path: `mlp.${target}`,
    outputs,
    firstColumn,
  });
  return {
    qkv: [D, [attention('q_proj', Q, 0), attention('k_proj', K, Q), attention('v_proj', K, Q + K)]],
    attentionOutput: [Q, [attention('o_proj', D, 0)]],
    gateUp: [D, [feedForward('gate_proj', F, 0), feedForward('up_proj', F, F)]],
    down: [F, [feedForward('down_proj', D, 0)]],
  };
}

/** @param isPacked  it directly follows the tensor before it */
export type AddTensor = (
  name: string,
  size: readonly number[],
  initial: 'uniform' | 'zero' | 'norm',
  isPacked: boolean,
) => Slot;

/** Lays out the adapters of layer number `layer`. */
export function layOutAdapters(
  shape: ModelShape,
  { rank, scale, targets }: AdapterSettings,
  layer: number,
  add: AddTensor,
): LayerAdapters {
  const nameOf = ({ path }: ModuleShare, part: 'A' | 'B'): string => `${moduleName(layer, path)}.lora_${part}.weight`;
  const entries = Object.entries(modulesOf(shape)).flatMap(([matrix, [inputs, modules]]) => {
    const adapted = modules.filter(({ target }) => targets.includes(target));
    if (adapted.length === 0) return [];
    const matrices = adapted.map((module, i) => add(nameOf(module, 'A'), [rank, inputs], 'uniform', i > 0));
    const parts = adapted.map((module, i) => ({
      loraB: add(nameOf(module, 'B'), [module.outputs, rank], 'zero', false),
      firstColumn: module.firstColumn,
      firstInput: i * rank,
    }));
    const loraA = { ...(matrices[0] as Slot), shape: [adapted.length * rank, inputs] };
    return [[matrix, { loraA, parts, scale }] as const];
  });
  return Object.fromEntries(entries);
}

function moduleName(layer: number, path: string): string {
  return `model.layers.${layer}.${path}`;
}

/**
 * The same adapters with magnitudes: vectors, which follow all matrices.
 *
 * @param derived  arena of values computed from the weights
 */
export function layOutMagnitudes(
  shape: ModelShape,
  adapters: LayerAdapters,
  { targets }: AdapterSettings,
  layer: number,
  add: AddTensor,
  derived: (size: readonly number[]) => Slot,
): LayerAdapters {
  const modules = modulesOf(shape);
  const entries = Object.entries(adapters).map(([matrix, adapter]) => {
    const [, all] = modules[matrix as MatrixName]; // the keys are those of the modules
    const columnScale = derived([all.reduce((sum, { outputs }) => sum + outputs, 0)]);
    const adapted = all.filter(({ target }) => targets.includes(target));
    const parts = adapter.parts.map((part, i) => {
      const { path, outputs, firstColumn } = adapted[i] as ModuleShare; // a part for each of them
      const magnitudes = {
        magnitude: add(`${moduleName(layer, path)}.${MAGNITUDE}`, [outputs], 'norm', false),
        baseNorms: derived([outputs]),
        columnScale: { ...columnScale, offset: columnScale.offset + firstColumn, shape: [outputs] },
      };
      return { ...part, magnitudes };
    });
    return [matrix, { ...adapter, parts, columnScale }] as const;
  });
  return Object.fromEntries(entries);
}

/** Most columns of x·loraAᵀ of any matrix; 0 without adapters. */
export function widestAdapter(layers: readonly { readonly adapters: LayerAdapters }[]): number {
  const all = layers.flatMap(({ adapters }) => Object.values(adapters));
  return all.reduce((most, { loraA }) => Math.max(most, loraA.shape[0] as number), 0);
}

/** Most outputs of a matrix whose adapter has magnitudes; 0 where none has. */
export function widestScaled(layers: readonly { readonly adapters: LayerAdapters }[]): number {
  const all = layers.flatMap(({ adapters }) => Object.values(adapters));
  return all.reduce((most, { columnScale }) => Math.max(most, columnScale?.shape[0] ?? 0), 0);
}

/** Every matrix of a layer's adapters. */
export function adapterMatrices(adapters: LayerAdapters): Slot[] {
  return Object.values(adapters).flatMap(({ loraA, parts }) => [loraA, ...parts.map(({ loraB }) => loraB)]);
}

/** Maps the trained slots of adapters. */
export function mapAdapters(adapters: LayerAdapters, mapSlot: (slot: Slot) => Slot): LayerAdapters {
  const entries = Object.entries(adapters).map(([name, { loraA, parts, ...others }]) => [
    name,
    { ...others, loraA: mapSlot(loraA), parts: parts.map((part) => mapPart(part, mapSlot)) },
  ]);
  return Object.fromEntries(entries);
}

function mapPart({ loraB, magnitudes, ...place }: AdapterPart, mapSlot: (slot: Slot) => Slot): AdapterPart {
  return {
    ...place,
    loraB: mapSlot(loraB),
    ...(magnitudes && { magnitudes: { ...magnitudes, magnitude: mapSlot(magnitudes.magnitude) } }),
  };
}

/** @throws ConfigError for an invalid rank or scale, or without a module to adapt */
export function checkAdapter({ rank, scale, targets }: AdapterSettings): void {
  const rule = !(Number.isInteger(rank) && rank >= 1)
    ? `a rank of ${rank}: use a whole number of at least 1`
    : !(Number.isFinite(scale) && scale > 0)
      ? `a scale of ${scale}: use a number above 0`
      : targets.length === 0
        ? `no modules: name some of ${ADAPTER_TARGETS.join(', ')}`
        : undefined;
  if (rule !== undefined) throw new ConfigError('adapter', `adapter with ${rule}.`, { rank, scale, targets });
}
