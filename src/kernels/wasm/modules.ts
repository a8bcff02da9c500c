/** Which build of the kernels this engine takes: with threads, with fused multiply-add, with wide tiles, with long addresses. */
import { BackendError } from '../../errors.ts';
import { NARROW_PANEL, STRIP_ROWS, WIDE_PANEL } from './assembly/sizes.ts';
import { type BinaryName, binary } from './binary.ts';
import { RESERVED_BYTES } from './layout.ts';

/** What a host can switch on in its engine before a module is compiled. */
export interface EngineSwitches {
  /** Relaxed SIMD, and with it fused multiply-add. */
  allowRelaxedSimd(): void;
  /** Fusing neighbouring 128-bit operations into 256 bits. Whether there is such a switch. */
  allowWideSimd(): boolean;
}

export interface ModuleOptions {
  readonly threads: boolean;
  /** false: never use relaxed-SIMD multiply-add. */
  readonly fma: boolean;
  /** true or false: take wide tiles or leave them; undefined: take them where they are measured to be faster. */
  readonly wide: boolean | undefined;
}

export interface KernelModule {
  readonly module: WebAssembly.Module;
  readonly fma: boolean;
  readonly wide: boolean;
}

/** Milliseconds of the measurement: enough for the engine to have optimised both loops. */
const TRIAL_MS = 60;
/** Turns at least: on a machine that others use, that time may pass without any that was not interrupted. */
const TRIAL_TURNS = 40;
const TRIAL_ROUNDS = 50;
/** Length of the tile's sums; strip, panel and tile then take 12 KB. */
const TRIAL_LENGTH = 128;
/** A module whose only function multiplies and adds with relaxed SIMD: (v128, v128, v128) → f32x4.relaxed_madd. */
const RELAXED_SIMD = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // the head of every module
  ...[0x01, 0x08, 0x01, 0x60, 0x03, 0x7b, 0x7b, 0x7b, 0x01, 0x7b], // its type
  ...[0x03, 0x02, 0x01, 0x00], // a function of it
  ...[0x0a, 0x0d, 0x01, 0x0b, 0x00, 0x20, 0x00, 0x20, 0x01, 0x20, 0x02, 0xfd, 0x85, 0x02, 0x0b], // its code
);

/** A module that only imports a shared memory of 64-bit addresses. */
const LONG_MEMORY = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // the head of every module
  ...[0x02, 0x09, 0x01, 0x01, 0x6d, 0x01, 0x6d, 0x02, 0x07, 0x01, 0x01], // its import, m.m: shared, 64 bits, 1 to 1 pages
);

/** A memory with a maximum, which is not shared. */
const HAS_MAXIMUM = 0x01;
/** How a module writes that it imports env.memory, a memory with a maximum that is shared. */
const MEMORY_IMPORT = [...new TextEncoder().encode('\x03env\x06memory'), 0x02, HAS_MAXIMUM | 0x02];

/** Whether the engine gives shared memory with 64-bit addresses, and the build for it: there is one, with fused multiply-add. */
export function hasLongAddresses({ fma }: Pick<KernelModule, 'fma'>): boolean {
  return fma && WebAssembly.validate(LONG_MEMORY);
}

/** The build for memory with 64-bit addresses; as fast as the engine checks each access. Bits are those of the others. */
export function compileLongKernels(): Promise<WebAssembly.Module> {
  return compile('threadsFma64');
}

/** Compiles the build that fits. Every build gives the same bits, except that fused multiply-add rounds once. */
export async function compileKernels(
  options: ModuleOptions,
  switches: EngineSwitches | undefined,
): Promise<KernelModule> {
  const fma = options.fma && hasRelaxedSimd(switches);
  if (!options.threads) return { module: await compileAlone(fma ? 'threadsFma' : 'threads'), fma, wide: false };
  if (!fma) return { module: await compile('threads'), fma, wide: false };
  const mayBeFaster = options.wide !== false && switches?.allowWideSimd() === true;
  const narrow = await compile('threadsFma');
  if (options.wide !== true && !mayBeFaster) return { module: narrow, fma, wide: false };
  const wide = await compile('threadsFmaWide');
  const takesWide = options.wide ?? (await measured(wide, narrow));
  return { module: takesWide ? wide : narrow, fma, wide: takesWide };
}

/** Whether the engine compiles relaxed-SIMD code, after asking it to where it does not by itself. */
function hasRelaxedSimd(switches: EngineSwitches | undefined): boolean {
  const compiles = (): boolean => WebAssembly.validate(RELAXED_SIMD);
  if (compiles()) return true;
  switches?.allowRelaxedSimd();
  return compiles();
}

async function compile(name: BinaryName): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await binary(name));
}

/** For one thread, whose memory is not shared, where a host may have no memory that is: atomic operations run there, too. */
async function compileAlone(name: BinaryName): Promise<WebAssembly.Module> {
  const bytes = await binary(name);
  const at = bytes.findIndex((_, i) => MEMORY_IMPORT.every((byte, k) => bytes[i + k] === byte));
  if (at < 0) throw new BackendError('wasm-build', `${name} imports no shared memory: npm run build:wasm.`);
  bytes[at + MEMORY_IMPORT.length - 1] = HAS_MAXIMUM;
  return WebAssembly.compile(bytes);
}

let wideIsFaster: Promise<boolean> | undefined;

/** `isFaster`, measured once: a process does not change its engine. */
function measured(wide: WebAssembly.Module, narrow: WebAssembly.Module): Promise<boolean> {
  wideIsFaster ??= isFaster(wide, narrow);
  return wideIsFaster;
}

/**
 * Whether wide tiles do the same arithmetic in less time here, and with the same bits: the switch is an experiment of the
 * engine's, and an engine without it spills half of a wide tile. They then take 1.3 times the time, and 0.6 to 0.85 of it where
 * pairs are fused, so that a noisy measurement still tells the two apart.
 */
async function isFaster(wide: WebAssembly.Module, narrow: WebAssembly.Module): Promise<boolean> {
  const trials = [openTrial(wide, WIDE_PANEL), openTrial(narrow, NARROW_PANEL)];
  const until = performance.now() + TRIAL_MS;
  for (let turn = 0; turn < TRIAL_TURNS || performance.now() < until; turn++) {
    for (const trial of trials) trial.run();
    await new Promise((resolve) => setTimeout(resolve)); // the engine swaps optimised code in between
  }
  const [ofWide, ofNarrow] = trials as [Trial, Trial];
  const agree = ofWide.rows().every((row, r) => row.every((value) => value === ofNarrow.rows()[r]?.[0]));
  return agree && ofWide.msPerColumn() < ofNarrow.msPerColumn();
}

interface Trial {
  run(): void;
  /** The best so far. */
  msPerColumn(): number;
  /** The tile: all columns of a row are the same sum. */
  rows(): Float32Array[];
}

function openTrial(module: WebAssembly.Module, columns: number): Trial {
  const memory = new WebAssembly.Memory({ initial: 3, maximum: 3, shared: true });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  // The signature is assembly/index.ts's.
  const tryTile = exports.tryTile as (at: number, length: number, rounds: number) => void;
  const strip = new Float32Array(memory.buffer, RESERVED_BYTES, STRIP_ROWS * TRIAL_LENGTH);
  const panel = new Float32Array(memory.buffer, RESERVED_BYTES + strip.byteLength, columns * TRIAL_LENGTH);
  const tile = panel.byteOffset + panel.byteLength;
  strip.forEach((_, i) => {
    strip[i] = ((i * 7919) % 1000) / 1000 - 0.5;
  });
  panel.fill(1 / 3);
  let best = Number.POSITIVE_INFINITY;
  return {
    run: () => {
      const start = performance.now();
      tryTile(RESERVED_BYTES, TRIAL_LENGTH, TRIAL_ROUNDS);
      best = Math.min(best, performance.now() - start);
    },
    msPerColumn: () => best / columns,
    rows: () =>
      Array.from({ length: STRIP_ROWS }, (_, r) => new Float32Array(memory.buffer, tile + r * columns * 4, columns)),
  };
}
