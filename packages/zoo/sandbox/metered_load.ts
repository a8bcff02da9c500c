/**
 * Loads a package whose WebAssembly gets a meter on the way. Such packages show their module to WebAssembly.instantiate
 * alone, which is replaced for as long as one loads; modules over another memory pass.
 */
import { MeteredInstance } from './metered_instance.ts';
import { meteredModule } from './metered_module.ts';

/** What was loaded, the instance below it, and the SHA-256 of its module in 16 digits. */
export interface Metered<T> {
  readonly value: T;
  readonly instance: MeteredInstance;
  readonly version: string;
}

/** What is loading: one puts WebAssembly's own functions back before the next replaces them. */
let loading: Promise<unknown> = Promise.resolve();

/** @param memory  of a fixed size, which `load` gives to its module @throws RangeError where the module was not seen */
export function loadMetered<T>(memory: WebAssembly.Memory, load: () => Promise<T>): Promise<Metered<T>> {
  const loaded = loading.then(() => loadAlone(memory, load));
  loading = loaded.catch(() => undefined); // the caller gets the error
  return loaded;
}

async function loadAlone<T>(memory: WebAssembly.Memory, load: () => Promise<T>): Promise<Metered<T>> {
  const { instantiate, instantiateStreaming } = WebAssembly;
  let found: Omit<Metered<T>, 'value'> | undefined;
  const isOurs = (imports?: WebAssembly.Imports): boolean =>
    Object.values(imports ?? {}).some((one) => Object.values(one).includes(memory));
  const withMeter = async (bytes: Uint8Array<ArrayBuffer>, imports?: WebAssembly.Imports): Promise<unknown> => {
    const result = await instantiate(meteredModule(bytes), imports);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    const version = [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    found = { instance: new MeteredInstance(result.instance, memory), version };
    return result;
  };
  const replaced = (source: Uint8Array<ArrayBuffer> | ArrayBuffer, imports?: WebAssembly.Imports): Promise<unknown> =>
    isOurs(imports) ? withMeter(new Uint8Array(source), imports) : instantiate(source, imports);
  const replacedStreaming = async (source: Response | PromiseLike<Response>, imports?: WebAssembly.Imports) =>
    isOurs(imports)
      ? withMeter(new Uint8Array(await (await source).arrayBuffer()), imports)
      : instantiateStreaming(source, imports);
  WebAssembly.instantiate = replaced as typeof instantiate;
  WebAssembly.instantiateStreaming = replacedStreaming as typeof instantiateStreaming;
  try {
    const value = await load();
    if (found === undefined) throw new RangeError('the engine of the sandbox was not instantiated as it should be');
    return { value, ...found };
  } finally {
    WebAssembly.instantiate = instantiate;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}
