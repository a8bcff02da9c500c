/** A YAML text as plain values, with the line of every key, so that an error can say where. */
import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair, type YAMLMap } from 'yaml';
import { ConfigError } from '../../errors.ts';
import { printable } from '../../format.ts';
import { type Places, Problems } from '../problems.ts';
import { MOST_CHARACTERS, parseYaml } from './yaml_document.ts';
import { explainLine } from './yaml_syntax.ts';

/** The file as read: plain values, and the place of every dotted path. */
export interface Tree {
  readonly values: Record<string, unknown>;
  readonly places: Places;
  readonly problems: Problems;
}

/** Levels of nesting; a config needs four. */
export const DEEPEST = 16;

/**
 * Reads a YAML mapping. Duplicate keys, aliases and odd keys are recorded in `problems`.
 *
 * @throws ConfigError `empty-config`, `binary-config`, `large-config`, `yaml-syntax` where there is no mapping to read
 */
export function readTree(text: string, file: string): Tree {
  if (text.length > MOST_CHARACTERS) throw tooLarge(file);
  if (text.includes('\0')) {
    throw new ConfigError('binary-config', `${file}  holds NUL bytes — a config is YAML text; give the .yaml file.`, {
      file,
    });
  }
  const parsed = parseYaml(text);
  if ('mistake' in parsed) {
    const { line, rule } = parsed.mistake;
    throw new ConfigError('yaml-syntax', `${file}:${line}  not valid YAML — ${printable(rule)}.`, { file, line });
  }
  const { document, lines } = parsed;
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) {
    const message = `${file}  empty — a run needs a task and max_steps; for example {task: countdown, max_steps: 300}.`;
    throw new ConfigError('empty-config', message, { file });
  }
  const places: Places = new Map();
  const problems = new Problems(file, places);
  if (isMap(root)) return { values: new TreeReader(file, lines, places, problems).mapping(root, ''), places, problems };
  const { line } = lines.linePos(root.range?.[0] ?? 0);
  const spelling = explainLine(text.split('\n')[line - 1] ?? '') ?? 'for example "task: countdown"';
  const remedy = isSeq(root) ? 'remove the dashes before its keys' : spelling;
  const message = `${file}:${line}  not a mapping — a config is lines of "key: value"; ${printable(remedy)}.`;
  throw new ConfigError('yaml-syntax', message, { file, line });
}

/** For a text that is longer than any config. */
export function tooLarge(file: string): ConfigError {
  const rule = "more than 1 MB, which no config has; give the .yaml file, and keep data in a file of the task's";
  return new ConfigError('large-config', `${file}  ${rule}.`, { file });
}

/** Whether a value is a mapping of the YAML. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class TreeReader {
  readonly #file: string;
  readonly #lines: LineCounter;
  readonly #places: Places;
  readonly #problems: Problems;

  constructor(file: string, lines: LineCounter, places: Places, problems: Problems) {
    this.#file = file;
    this.#lines = lines;
    this.#places = places;
    this.#problems = problems;
  }

  mapping(map: YAMLMap, path: string): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const name = isScalar(pair.key) ? String(pair.key.value) : '?';
      const at = path === '' ? name : `${path}.${name}`;
      const line = this.#lines.linePos(pair.key.range?.[0] ?? 0).line;
      const first = this.#places.get(at);
      this.#places.set(at, { label: `${this.#file}:${line}`, order: line });
      const value = this.#value(pair.value, at);
      if (Object.hasOwn(values, name))
        this.#problems.add(at, value, `given twice, first in line ${first?.order}; keep one`);
      if (!isScalar(pair.key) || name === '__proto__') this.#problems.add(at, value, 'not a key; use a plain name');
      else values[name] = value;
    }
    return values;
  }

  #value(node: Node | null, path: string): unknown {
    if (isScalar(node)) return node.value;
    if (isAlias(node)) {
      this.#problems.add(
        path,
        `*${node.source}`,
        'aliases are not read; write the value (stages inherit top-level keys)',
      );
    } else if (path.split('.').length > DEEPEST) {
      this.#problems.add(path, '…', `nested deeper than ${DEEPEST} levels; flatten it`);
    } else if (isMap(node)) {
      return this.mapping(node, path);
    } else if (isSeq(node)) {
      return (node.items as Node[]).map((item, index) => this.#item(item, `${path}.${index}`));
    }
    return null;
  }

  #item(node: Node, path: string): unknown {
    const line = this.#lines.linePos(node.range?.[0] ?? 0).line;
    this.#places.set(path, { label: `${this.#file}:${line}`, order: line });
    return this.#value(node, path);
  }
}
