/** Opens the backend that a config or flag names, one of the core's or of the command's parts. */
import { availableParallelism } from 'node:os';
import type { RunConfig } from '../../config/run_config.ts';
import { BackendError } from '../../errors.ts';
import type { Backend, BackendOptions, NamedBackend } from '../../kernels/engine.ts';
import { referenceBackend } from '../../kernels/reference/engine.ts';
import { wasmBackend } from '../../kernels/wasm/backend.ts';
import { commandParts } from '../parts.ts';
import { requireAddressSpace } from './engine_memory.ts';

/** A config's request for a backend. `openRun` refuses a named backend that cannot store the values as requested. */
export interface BackendRequest extends BackendOptions {
  readonly backend: RunConfig['backend'];
}

const WASM: NamedBackend = {
  names: ['wasm'],
  storesAlone: 'bfloat16',
  async open(_, options) {
    requireAddressSpace();
    return wasmBackend(options);
  },
};

const REFERENCE: NamedBackend = { names: ['reference'], open: async () => referenceBackend };

/**
 * `auto` takes the first of the given ones that is faster here than wasm; for float16 and bfloat16 the one that alone has
 * them, on any adapter.
 *
 * @param tell  called with why `auto` takes no GPU, as `this machine shows no GPU`
 * @throws BackendError where the backend is not a part of this command, its package is missing, or this machine cannot run it
 */
export async function chooseBackend(
  { backend: name, threads, storageDtype = 'float32' }: BackendRequest,
  tell: (line: string) => void = () => {},
  given: readonly NamedBackend[] = commandParts().backends ?? [],
): Promise<Backend> {
  const all = [...given, WASM, REFERENCE];
  const options = { threads, storageDtype };
  if (name !== 'auto') return named(name, all).open(name, options);
  const only = all.find(({ storesAlone }) => storesAlone === storageDtype);
  if (only !== undefined) return only.open(only.names[0], options);
  for (const { openFaster } of given) {
    const faster = await openFaster?.();
    if (typeof faster === 'string') tell(faster);
    else if (faster !== undefined) return faster;
  }
  return WASM.open('wasm', options);
}

function named(name: string, all: readonly NamedBackend[]): NamedBackend {
  const provider = all.find(({ names }) => names.includes(name));
  if (provider !== undefined) return provider;
  const present = all.flatMap(({ names }) => names).join(', ');
  throw new BackendError('no-backend', `backend: ${name} — it is not a part of this command; use ${present} or auto.`);
}

/** A note on more threads than the machine has cores; undefined otherwise. */
export function threadsNote(threads: number | undefined, cores: number = availableParallelism()): string | undefined {
  if (threads === undefined || threads <= cores) return undefined;
  const machine = cores === 1 ? '1 core' : `${cores} cores`;
  return `threads: ${threads} on ${machine} — more than one per core make a run slower; leave threads out, or use ${cores}.`;
}
