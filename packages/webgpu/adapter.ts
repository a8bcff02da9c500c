/**
 * Adapters of WebGPU, as far as a caller has to do with them. The types are structural: `navigator.gpu` fits them, and
 * a program needs neither the DOM's types nor a package of types to be compiled against this one.
 */

/** Where adapters come from: `navigator.gpu`, or what a native package offers in its place. */
export interface AdapterSource {
  requestAdapter(options?: AdapterRequest): Promise<WebgpuAdapter | null>;
}

/** Which of several adapters is wanted; the platform need not follow. */
export interface AdapterRequest {
  powerPreference?: 'low-power' | 'high-performance';
}

/** A GPUAdapter of WebGPU: what is read of it before a device is opened. */
export interface WebgpuAdapter {
  readonly info: {
    readonly vendor: string;
    readonly architecture: string;
    readonly device: string;
    readonly description: string;
  };
  readonly features: { has(name: string): boolean };
  readonly limits: { readonly maxBufferSize: number; readonly maxStorageBufferBindingSize: number };
  requestDevice(descriptor?: object): Promise<object>;
}

/** What a run records of the adapter that it ran on. */
export interface AdapterDescription {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** Runs on the processor: lavapipe, SwiftShader, WARP. */
  readonly isSoftware: boolean;
}

/** Describes an adapter as the fingerprint and `--list-adapters` show it. */
export function describeAdapter(adapter: WebgpuAdapter): AdapterDescription {
  // Young in the standard: an adapter may not say it.
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info as WebgpuAdapter['info'] & {
    readonly isFallbackAdapter?: boolean;
  };
  const isSoftware =
    isFallbackAdapter === true || /swiftshader|llvmpipe|software/i.test(`${architecture} ${description}`);
  return { vendor, architecture, device, description, isSoftware };
}

/** `Mesa llvmpipe … (mesa, software)`: one line for people. */
export function adapterLine({ vendor, architecture, device, description, isSoftware }: AdapterDescription): string {
  const name = description || device || 'unnamed adapter';
  const kind = [vendor, architecture, isSoftware ? 'on the processor' : ''].filter((part) => part !== '').join(', ');
  return kind === '' ? name : `${name} (${kind})`;
}
