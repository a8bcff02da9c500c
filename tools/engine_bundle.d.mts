/** Types of engine_bundle.mjs, for the tests. */
import type { RolldownOptions } from 'rolldown';

export const ENGINE: RolldownOptions & { readonly input: string };
