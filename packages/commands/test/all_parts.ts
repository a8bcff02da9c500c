/**
 * Tests look names up among all that the package has, commands that they run in their own process have all its parts, and
 * every backend can be tested.
 */

import { useParts } from '../../../src/cli/parts.ts';
import { alsoOpen } from '../../../test/support/backends.ts';
import { useLists } from '../../../test/support/lists.ts';
import type { TfjsBackendName } from '../../tfjs/kernels/open.node.ts';
import { ZOO } from '../../zoo/registries.ts';
import { EVERYTHING } from '../everything.ts';

useParts(EVERYTHING);
useLists(ZOO);
alsoOpen({
  webgpu: async ({ adapter = 'lavapipe', ...options }) => {
    const { openAdapter } = await import('../../webgpu/test/support/adapters.ts');
    const { webgpuBackend } = await import('../../webgpu/backend.ts');
    return webgpuBackend(await openAdapter(adapter), options);
  },
  tfjs: async ({ adapter = 'cpu' }) => {
    const { openTfjs } = await import('../../tfjs/kernels/open.node.ts');
    if (adapter !== 'webgpu') return openTfjs(adapter as TfjsBackendName);
    const { openAdapter } = await import('../../webgpu/test/support/adapters.ts');
    const opened = await openTfjs('webgpu', await openAdapter('lavapipe'));
    const { env } = await import('@tensorflow/tfjs');
    env().set('WEBGPU_CPU_FORWARD', false); // else small cases would not reach the device
    return opened;
  },
});
