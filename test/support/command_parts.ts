/**
 * Tests look names up among all that the package has, commands that they run in their own process have all its parts, and
 * every backend can be tested.
 */
import { EVERYTHING } from '../../packages/commands/everything.ts';
import type { TfjsBackendName } from '../../packages/tfjs/kernels/open.node.ts';
import { ZOO } from '../../packages/zoo/registries.ts';
import { useParts } from '../../src/cli/parts.ts';
import { alsoOpen } from './backends.ts';
import { useLists } from './lists.ts';

useParts(EVERYTHING);
useLists(ZOO);
alsoOpen({
  webgpu: async ({ adapter = 'lavapipe', ...options }) => {
    const { openAdapter } = await import('./adapters.ts');
    const { webgpuBackend } = await import('../../packages/webgpu/backend.ts');
    return webgpuBackend(await openAdapter(adapter), options);
  },
  tfjs: async ({ adapter = 'cpu' }) => {
    const { openTfjs } = await import('../../packages/tfjs/kernels/open.node.ts');
    if (adapter !== 'webgpu') return openTfjs(adapter as TfjsBackendName);
    const { openAdapter } = await import('./adapters.ts');
    const opened = await openTfjs('webgpu', await openAdapter('lavapipe'));
    const { env } = await import('@tensorflow/tfjs');
    env().set('WEBGPU_CPU_FORWARD', false); // else small cases would not reach the device
    return opened;
  },
});
