import type { Plugin } from 'vite';

/** Writes the service worker of the built page. @param source  the service worker, without the list of files */
export function precache(source: string): Plugin;
