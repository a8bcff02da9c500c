/** Types of chromium.mjs, for the tests. */
import type { Browser } from 'playwright-core';

export function startChromium(options: { readonly webgpu: boolean }): Promise<Browser>;
