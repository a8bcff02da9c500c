/** `rlvr-train doctor`: what this machine gives a training, in lines that can be pasted into a bug report. */

import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, freemem, loadavg, release, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { MOST_ENGINE_BYTES, mostEngineBytes, requireAddressSpace } from '../../../src/cli/process/engine_memory.ts';
import { gibibytes } from '../../../src/format.ts';
import { memoryLimit } from '../../../src/kernels/wasm/layout.ts';
import { hasLongAddresses } from '../../../src/kernels/wasm/modules.ts';
import { canFuseWide } from '../../../src/kernels/wasm/workers.node.ts';
import { packageVersion, readGitCommit } from '../../../src/run/fingerprint/fingerprint.node.ts';
import { type GpuFindings, probeGpu } from '../../webgpu/gpu_probe.node.ts';
import { checkEngine, type EngineCheck } from './engine_check.ts';

/** Below this, checkpoints may fail in the middle of a run. */
const LEAST_DISK_BYTES = 200e6;

export interface Examination extends GpuFindings {
  readonly version: string;
  readonly commit: string | null;
  readonly platform: string;
  readonly cpu: string;
  /** Cores that this process may use. */
  readonly cores: number;
  /** Processes that want a core, over the last minute; 0 on Windows, which does not count them. */
  readonly load: number;
  readonly memoryBytes: number;
  readonly freeMemoryBytes: number;
  readonly node: string;
  readonly v8: string;
  readonly sharedMemory: boolean;
  /** With one thread, and with one per core; the reason where the engine does not start. */
  readonly engine: { readonly single: EngineCheck; readonly all: EngineCheck } | { readonly failure: string };
  readonly engineBytes: number;
  /** What a plan may take in all: more than WebAssembly's 4 GiB where the engine has addresses of 64 bits. */
  readonly reachBytes: number;
  readonly directory: string;
  readonly writable: boolean;
  readonly freeDiskBytes: number;
}

/** Why a training cannot run here, or runs slower than it could. */
interface Finding {
  readonly stops: boolean;
  readonly text: string;
}

export async function doctorCommand({ json = false }: { readonly json?: boolean }): Promise<void> {
  const found = await examine();
  const findings = findingsOf(found);
  const ready = !findings.some(({ stops }) => stops);
  if (json) printJson(JSON.stringify({ ...found, findings, ready }));
  else print([...lines(found), verdict(findings)].join('\n'));
  if (!ready) process.exitCode = 1;
}

async function examine(): Promise<Examination> {
  const directory = resolve('runs');
  const place = nearestExisting(directory);
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const engine = await examineEngine();
  const engineBytes = mostEngineBytes();
  const mayBeLong =
    engineBytes === MOST_ENGINE_BYTES && !('failure' in engine) && hasLongAddresses({ fma: engine.all.fused });
  return {
    version: packageVersion(),
    commit: readGitCommit(dirname(process.argv[1] ?? '.')),
    platform: `${process.platform} ${release()} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    load: loadavg()[0] ?? 0,
    memoryBytes,
    freeMemoryBytes: Math.min(freemem(), memoryBytes),
    node: process.versions.node,
    v8: process.versions.v8,
    sharedMemory: typeof SharedArrayBuffer !== 'undefined',
    engine,
    engineBytes,
    reachBytes: mayBeLong ? Math.max(engineBytes, memoryLimit(memoryBytes, true).bytes) : engineBytes,
    ...(await probeGpu()),
    directory,
    writable: isWritable(place),
    freeDiskBytes: freeBytes(place),
  };
}

async function examineEngine(): Promise<Examination['engine']> {
  try {
    requireAddressSpace();
    return { single: await checkEngine(1), all: await checkEngine(availableParallelism()) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false; // whatever the reason: a run could not be saved there
  }
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

export function findingsOf(found: Examination): Finding[] {
  const findings: Finding[] = [];
  const add = (when: boolean, stops: boolean, text: string): void => void (when && findings.push({ stops, text }));
  const { engine } = found;
  if ('failure' in engine) {
    const isLimited = found.sharedMemory && found.engineBytes === 0;
    const old = `the engine does not start (${engine.failure}); use Node 20.10 or later on a 64-bit system`;
    add(true, true, isLimited ? 'the engine gets no address space; raise ulimit -v' : old);
  } else {
    add(!engine.all.fused, false, 'no fused multiply-add; a processor with FMA or NEON trains up to 1.5 times as fast');
    // A processor with fused multiply-add has 256-bit arithmetic, too.
    const couldBeWide = engine.all.fused && found.platform.endsWith(' x64') && !canFuseWide('x64', found.v8);
    add(
      couldBeWide,
      false,
      `Node ${found.node} computes 128 bits at a time; from Node 24 on it is 256, 1.3 times as fast`,
    );
  }
  add(!found.writable, true, `${found.directory} cannot be written; start in another directory, or give --output`);
  const disk = `${gibibytes(found.freeDiskBytes)} free on the disk of ${found.directory}; free some, or give --output`;
  add(found.freeDiskBytes < LEAST_DISK_BYTES, true, disk);
  add(!found.sharedMemory, false, 'no SharedArrayBuffer, so one thread only; start Node without flags that disable it');
  const busy = `others keep the processor busy (load ${found.load.toFixed(1)} on ${found.cores} cores)`;
  add(found.load > found.cores + 1, false, `${busy}; a training takes longer, and the speed above is too low`);
  const little = `only ${gibibytes(found.engineBytes)} can be reserved for the engine; raise ulimit -v`;
  add(found.sharedMemory && found.engineBytes > 0 && found.engineBytes < MOST_ENGINE_BYTES, false, little);
  return findings;
}

export function lines(found: Examination): string[] {
  const { engine } = found;
  const about = (name: string, text: string): string => `${colors.bold(name.padEnd(9))} ${text}`;
  const yes = (is: boolean): string => (is ? 'yes' : 'no');
  return [
    about('package', `rlvr-train ${found.version}${found.commit ? `, commit ${found.commit.slice(0, 10)}` : ''}`),
    about('machine', `${found.cpu}, ${found.cores} cores; ${found.platform}`),
    about('memory', `${gibibytes(found.memoryBytes)}, ${gibibytes(found.freeMemoryBytes)} free`),
    about('runtime', `Node ${found.node}, V8 ${found.v8}`),
    ...('failure' in engine
      ? [about('engine', `does not start: ${engine.failure}`)]
      : [
          about(
            'engine',
            `wasm: ${engine.all.bits} bits, fused multiply-add ${yes(engine.all.fused)}, ${engine.all.threads} threads`,
          ),
          about('', `shared memory ${yes(found.sharedMemory)}, up to ${gibibytes(found.reachBytes)} of it`),
          about('speed', `${engine.single.gflops.toFixed(1)} GFLOP/s on 1 thread, ${speedOfAll(engine.all)} (float32)`),
        ]),
    about('auto', `takes ${found.auto.backend}${found.auto.why === '' ? '' : `, since ${found.auto.why}`}`),
    about('optional', webgpuLine(found.webgpu)),
    about('runs', `${found.directory}: writable ${yes(found.writable)}, ${gibibytes(found.freeDiskBytes)} free`),
  ];
}

function webgpuLine(webgpu: Examination['webgpu']): string {
  if ('failure' in webgpu) return `${webgpu.failure} It trains on a GPU (Vulkan, Metal, Direct3D 12).`;
  const adapters = webgpu.adapters.length === 0 ? 'no adapter' : webgpu.adapters.join('; ');
  return `webgpu is installed: ${adapters}`;
}

function speedOfAll({ threads, gflops }: EngineCheck): string {
  return `${gflops.toFixed(1)} on ${threads}`;
}

export function verdict(findings: readonly Finding[]): string {
  const stopping = findings.filter(({ stops }) => stops);
  const head =
    stopping.length > 0
      ? colors.red('not ready')
      : findings.length > 0
        ? colors.yellow('ready, not at its best')
        : colors.green('ready');
  return `${colors.bold('verdict'.padEnd(9))} ${[head, ...findings.map(({ text }) => text)].join('\n          ')}`;
}
