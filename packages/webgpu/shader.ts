/**
 * From a kernel's own WGSL to a module: declares its storage bindings, its parameters and its counts, and for every
 * operand `x` the functions load_x, store_x (and load4_x, store4_x on vectors) that index from the operand's start.
 *
 * Arithmetic is float32: what is kept as float16 is widened where it is loaded and rounded where it is stored, and what
 * lies beyond 65504 becomes infinite, as WGSL has it. Frozen matrices in fewer bits are read alone (`packed.ts`).
 *
 * Several operands of one arena share a binding: WebGPU lets no kernel read a buffer through one binding and write
 * it through another.
 */
import type { DType } from '../../src/kernels/memory.ts';
import { PACKED_HELPERS, type PackedStorage, packedAccessors } from './packed.ts';
import type { BindingAccess } from './pipelines.ts';
import { FIRST_STORAGE_BINDING } from './pipelines.ts';

/** A window of a buffer that a kernel sees. */
export interface Binding {
  readonly dtype: DType;
  /** Elements are float16. */
  readonly half: boolean;
  /** Words that hold frozen numbers; absent: elements are numbers. */
  readonly packed?: PackedStorage | undefined;
  readonly access: BindingAccess;
  /** Elements are atomic<i32>. */
  readonly atomic: boolean;
}

/** An operand as its accessors need it. */
export interface BoundOperand {
  readonly name: string;
  readonly binding: number;
  readonly isWritten: boolean;
}

export interface ShaderParts {
  /** Optional parts of WGSL that the module uses. */
  readonly enabled: readonly string[];
  readonly bindings: readonly Binding[];
  readonly operands: readonly BoundOperand[];
  /** Reals are bound as vectors of four; every operand starts at a multiple of 4. */
  readonly vectors: boolean;
  /** Names of the counts, u32 functions in the shader. */
  readonly counts: readonly string[];
  /** Names and types of the scalar parameters, fields of P. */
  readonly scalars: readonly (readonly [name: string, type: 'u32' | 'f32'])[];
  /** The kernel: helpers and the entry point `main`. */
  readonly code: string;
}

/** The complete module. */
export function shaderModule({ enabled, bindings, operands, vectors, counts, scalars, code }: ShaderParts): string {
  const fields = [
    ...operands.map(({ name }) => `${name}: u32`),
    ...counts.map((name) => `${name}: u32`),
    ...scalars.map(([name, type]) => `${name}: ${type}`),
  ];
  return [
    ...enabled.map((name) => `enable ${name};`),
    ...bindings.map((binding, index) => declareBinding(binding, index, vectors)),
    `struct Parameters { ${fields.join(', ')} }`,
    '@group(0) @binding(0) var<uniform> P: Parameters;',
    '@group(0) @binding(1) var<uniform> all_counts: array<vec4u, 1024>;',
    ...counts.map((name) => `fn ${name}() -> u32 { return all_counts[P.${name} >> 2u][P.${name} & 3u]; }`),
    ...(bindings.some(({ packed }) => packed !== undefined) ? [PACKED_HELPERS] : []),
    ...operands.map((operand) => accessors(operand, bindings[operand.binding] as Binding, vectors)),
    code,
  ].join('\n');
}

function declareBinding({ dtype, half, packed, access, atomic }: Binding, index: number, vectors: boolean): string {
  const real = half ? 'f16' : 'f32';
  const number = dtype === 'int' ? 'i32' : vectors ? `vec4<${real}>` : real;
  const scalar = packed === undefined ? number : 'u32';
  const element = atomic ? `atomic<${scalar}>` : scalar;
  const mode = access === 'read' ? 'read' : 'read_write';
  const place = FIRST_STORAGE_BINDING + index;
  return `@group(0) @binding(${place}) var<storage, ${mode}> b${index}: array<${element}>;`;
}

function accessors(
  { name, binding, isWritten }: BoundOperand,
  { dtype, half, packed, atomic }: Binding,
  vectors: boolean,
): string {
  const array = `b${binding}`;
  if (packed !== undefined) return packedAccessors(name, array, packed);
  if (atomic) return `fn raise_${name}(i: u32, value: i32) { atomicMax(&${array}[P.${name} + i], value); }`;
  const type = dtype === 'int' ? 'i32' : 'f32';
  const stored = half ? 'f16' : type;
  if (vectors && dtype === 'real') {
    return [
      `fn load_${name}(i: u32) -> f32 { let at = P.${name} + i; return f32(${array}[at >> 2u][at & 3u]); }`,
      `fn load4_${name}(i: u32) -> vec4f { return vec4f(${array}[(P.${name} + i) >> 2u]); }`,
      isWritten
        ? `fn store4_${name}(i: u32, value: vec4f) { ${array}[(P.${name} + i) >> 2u] = vec4<${stored}>(value); }`
        : '',
    ].join('\n');
  }
  return [
    `fn load_${name}(i: u32) -> ${type} { return ${type}(${array}[P.${name} + i]); }`,
    isWritten ? `fn store_${name}(i: u32, value: ${type}) { ${array}[P.${name} + i] = ${stored}(value); }` : '',
  ].join('\n');
}
