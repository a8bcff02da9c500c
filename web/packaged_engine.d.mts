/** Types of packaged_engine.mjs, for the configuration. */
import type { Plugin } from 'vite';

export function packagedEngine(folder: string): Plugin;
