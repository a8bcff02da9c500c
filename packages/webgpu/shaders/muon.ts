/** Muon: not yet on this backend. */
import { BackendError } from '../../../src/errors.ts';
import type { MuonArgs } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';

export function muon(_recorder: Recorder, _args: MuonArgs): void {
  throw new BackendError('kernel', 'optim: muon is not computed by webgpu yet — use --backend wasm, or optim: adamw.');
}
