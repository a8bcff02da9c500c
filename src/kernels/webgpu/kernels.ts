/** The kernels, by their names in the interface; each is the function that records its dispatches. */
import type { KernelName, Kernels } from '../kernels.ts';
import type { Recorder } from './recorder.ts';
import { kernels } from './shaders/kernel_list.ts';

type KernelRecorder<Name extends KernelName> = (recorder: Recorder, args: Parameters<Kernels[Name]>[0]) => void;

const kernelRecorders: { readonly [Name in KernelName]: KernelRecorder<Name> } = kernels;

/** The kernels, recording into `recorder`; `onCall` is called at each call. */
export function recordKernels(recorder: Recorder, onCall: () => void): Kernels {
  const entries = Object.entries(kernelRecorders).map(([name, record]) => [
    name,
    (args: never) => {
      onCall();
      // One name picks both the function and its arguments; a union cannot say so.
      (record as (recorder: Recorder, args: never) => void)(recorder, args);
    },
  ]);
  return Object.fromEntries(entries) as Kernels;
}
