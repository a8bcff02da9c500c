import type { BrowserSignal } from '../browser_types.ts';

/** How a model is brought in. */
export interface KeepOptions {
  /** What its weights must have, where that is known: SHA-256 of the .gguf file, or of model.safetensors. */
  readonly sha256?: string;
  /** Asked for at a time; default 8 MiB. */
  readonly pieceBytes?: number;
  readonly onProgress?: (have: number, bytes: number) => void;
  /** Stops after the piece under way; what came is kept. */
  readonly signal?: BrowserSignal;
}
