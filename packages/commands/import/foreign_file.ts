/** A config of another trainer as it is written: keys with values and lines. Nothing in it is run. */

import { homedir } from 'node:os';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ConfigError } from '../../../src/errors.ts';
import type { Json } from '../../../src/options/json.ts';

/** A value that only the program itself would know: an expression, a variable of the shell. */
export class Unread {
  readonly source: string;

  constructor(source: string) {
    this.source = source.replace(/\s+/g, ' ').trim();
  }
}

export interface ForeignKey {
  /** Dotted. */
  readonly path: string;
  readonly value: Json | Unread;
  readonly line: number;
}

/**
 * Keys of a YAML file. Anchors are followed, and of a key that is given twice the last counts, as for its own program.
 *
 * @param isSection  whether a mapping is a section, whose keys are listed, and not a value
 * @throws ConfigError `yaml-syntax`
 */
export function readYamlKeys(text: string, file: string, isSection: (path: string) => boolean): ForeignKey[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, merge: true });
  const [mistake] = document.errors;
  if (mistake !== undefined || !isMap(document.contents)) {
    const line = mistake === undefined ? 1 : lines.linePos(mistake.pos[0]).line;
    const rule = mistake === undefined ? 'not a mapping of keys' : (mistake.message.split(' at line')[0] ?? '');
    throw new ConfigError('yaml-syntax', `${file}:${line}  not YAML — ${rule}; give the config file.`, { file, line });
  }
  const found = new Map<string, ForeignKey>();
  const plain = (node: unknown): Json => {
    if (isAlias(node)) return plain(node.resolve(document));
    if (isScalar(node)) return node.value as Json;
    if (isSeq(node)) return node.items.map(plain);
    if (isMap(node)) return Object.fromEntries(node.items.map(({ key, value }) => [String(key), plain(value)]));
    return null;
  };
  const walk = (node: Node, above: string): void => {
    const mapping = isAlias(node) ? node.resolve(document) : node;
    if (!isMap(mapping)) return;
    for (const { key, value } of mapping.items) {
      const path = above + String(isScalar(key) ? key.value : key);
      const { line } = lines.linePos((key as Node).range?.[0] ?? 0);
      const held = isAlias(value) ? value.resolve(document) : value;
      if (isMap(held) && isSection(path)) walk(held, `${path}.`);
      else found.set(path, { path, value: unquoted(plain(value)), line });
    }
  };
  walk(document.contents, '');
  return [...found.values()];
}

/** `${trainer.name}` is worked out by hydra; a number such as 1e-6, which PyYAML reads as a text, is a number for its program. */
function unquoted(value: Json): Json | Unread {
  if (typeof value !== 'string') return value;
  if (value.includes('${')) return new Unread(value);
  return /^-?\d+(\.\d+)?e[+-]?\d+$/i.test(value) ? Number(value) : value;
}

const HYDRA = /^\+{0,2}~?([a-z_]\w*(?:\.\w+)*)=(.*)$/s;
/** What begins a command line whose flags are keys. */
const PROGRAM = /(?:^|\s)(?:trl|accelerate|torchrun|python3?)\s/;
/** Flags of the programs that start others. */
const LAUNCHER = new Set([
  'config_file',
  'num_processes',
  'main_process_port',
  'nproc_per_node',
  'standalone',
  'nnodes',
]);

/** Keys of a command line, or of a shell script with one: `key=value` of hydra, and `--key value` of TRL. */
export function readCommandKeys(text: string): ForeignKey[] {
  const variables = new Map([['HOME', homedir()]]);
  const found = new Map<string, ForeignKey>();
  for (const { words, isProgram } of commandLines(text)) {
    for (let i = 0; i < words.length; i++) {
      const [, name = '', value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(words[i].text) ?? [];
      const at = words[i].line;
      const [, path, given] = HYDRA.exec(words[i].text) ?? [];
      const [, flag, inline] = (isProgram && /^--([a-z][\w-]*)(?:=(.*))?$/s.exec(words[i].text)) || [];
      if (flag !== undefined) {
        const next = words[i + 1]?.text;
        const rest: string[] = [];
        while (
          inline === undefined &&
          next !== undefined &&
          i + 1 < words.length &&
          !/^--[a-z]/.test(words[i + 1].text)
        ) {
          i++;
          rest.push(words[i].text);
        }
        const key = flag.replaceAll('-', '_');
        if (LAUNCHER.has(key)) continue;
        const spoken =
          inline ?? (rest.length > 1 ? `[${rest.map((word) => JSON.stringify(word)).join(', ')}]` : rest[0]);
        found.set(key, { path: key, value: spoken === undefined ? true : scalar(spoken, variables), line: at });
      } else if (path?.includes('.') && given !== undefined) {
        found.set(path, { path, value: scalar(given, variables), line: at });
      } else if (name !== '' && !isProgram && (i === 0 || words[0].text === 'export')) {
        variables.set(name, filledIn(value, variables));
      }
    }
  }
  return [...found.values()];
}

interface CommandLine {
  readonly words: readonly { readonly text: string; readonly line: number }[];
  readonly isProgram: boolean;
}

/** Logical lines of a script, as words without their quotes. */
function commandLines(text: string): CommandLine[] {
  const lines: CommandLine[] = [];
  let words: { text: string; line: number }[] = [];
  let at = 1;
  const WORD = /\\\n|\n|#[^\n]*|[ \t;()]+|(?:"(?:\\.|[^"\\])*"|'[^']*'|\\[^\n]|\$\(\([^)]*\)\)|[^\s"'\\;()])+|[\s\S]/gy;
  const close = (): void => {
    if (words.length > 0) {
      lines.push({ words, isProgram: PROGRAM.test(` ${words.map((word) => word.text).join(' ')} `) });
    }
    words = [];
  };
  let isBroken = false;
  for (const [piece] of text.matchAll(WORD)) {
    if (piece === '\n') {
      if (!isBroken) close();
      isBroken = false;
    } else if (piece === '\\\n') isBroken = false;
    else if (!/^[ \t;()]+$/.test(piece) && !(piece.startsWith('#') && !piece.includes('='))) {
      const plain = piece.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double, single) => double ?? single);
      if (!piece.startsWith('#')) words.push({ text: plain, line: at });
    }
    at += piece.split('\n').length - 1;
  }
  close();
  return lines;
}

/** With the variables of the script, and products such as `$((1024 * 2))`. */
function filledIn(written: string, variables: ReadonlyMap<string, string>): string {
  const text = written.replace(/\$\{?([A-Za-z_]\w*)\}?/g, (whole, name) => variables.get(name) ?? whole);
  return text.replace(/\$\(\(([\d\s*]+)\)\)/g, (_, factors: string) =>
    String(factors.split('*').reduce((product, factor) => product * Number(factor), 1)),
  );
}

/** A word of a command line as YAML reads it, with variables of the script filled in. */
function scalar(written: string, variables: ReadonlyMap<string, string>): Json | Unread {
  const text = filledIn(written, variables);
  if (text.includes('$')) return new Unread(text);
  const { contents, errors } = parseDocument(text);
  if (errors.length > 0) return text;
  const value = contents === null ? null : (contents.toJSON() as Json);
  return typeof value === 'string' && /^-?\d+(\.\d+)?e[+-]?\d+$/i.test(value) ? Number(value) : (value ?? null);
}
