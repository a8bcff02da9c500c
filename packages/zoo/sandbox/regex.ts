/**
 * Regular expressions of RE2's notation, run by re2js: the sandbox `regex`.
 *
 * Its automata take time in proportion to pattern and text, whatever the pattern is; there are no back references and no
 * looks around. So its length, and how often it repeats a part, are all that has to be limited.
 */
import type { SandboxEngine } from '../../../src/sandbox_engine.ts';
import { loadPeers } from './peer.ts';

const VERSION = '2.10.0';
const PACKAGES = [`re2js@${VERSION}`];

/** Characters of the longest pattern. */
const MOST_CHARACTERS = 60;
/** A repetition of ten or more: nested ones would make a large automaton of a short pattern. */
const LARGE_REPETITION = /\{\s*[0-9]*,?\s*[0-9]{2}/;

/** A pattern that can be asked, or why it is none. */
export type CompiledPattern =
  | { readonly ok: true /** Whether the whole text matches. */; matches(text: string): boolean }
  | { readonly ok: false; readonly failure: 'syntax' | 'size'; readonly reason: string };

export interface RegexSandbox {
  readonly engine: SandboxEngine;
  /** Synchronous and total. */
  compile(pattern: string): CompiledPattern;
}

let opened: Promise<RegexSandbox> | undefined;

/** The sandbox of this thread, made when it is first asked for. @throws ConfigError where its package is not there */
export function openRegex(): Promise<RegexSandbox> {
  opened ??= open();
  return opened;
}

async function open(): Promise<RegexSandbox> {
  const { RE2JS, RE2JSException } = await loadPeers('sandbox for regular expressions', PACKAGES, () => import('re2js'));
  return {
    engine: { name: 'regex', version: VERSION },
    compile(pattern) {
      if (pattern.length > MOST_CHARACTERS) return { ok: false, failure: 'size', reason: 'the pattern is too long' };
      if (LARGE_REPETITION.test(pattern)) return { ok: false, failure: 'size', reason: 'it repeats ten times or more' };
      try {
        const compiled = RE2JS.compile(pattern);
        return { ok: true, matches: (text) => compiled.matches(text) };
      } catch (error) {
        if (error instanceof RE2JSException) return { ok: false, failure: 'syntax', reason: 'no pattern of RE2' };
        throw error;
      }
    },
  };
}
