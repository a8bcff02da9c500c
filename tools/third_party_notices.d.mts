/** Types of third_party_notices.mjs, for the page's build and the tests. */
import type { Plugin } from 'vite';

export const NOTICES_FILE: string;
export function packageFolders(modules: readonly string[]): string[];
export function noticesOf(folders: readonly string[], earlier?: readonly string[]): string;
export function thirdPartyNotices(earlier: readonly string[]): { readonly collect: Plugin; readonly write: Plugin };
