/**
 * Which files of a data set of the hub are its splits, as the library `datasets` finds them: by `configs` in the card
 * (README.md), else by the names of files and folders.
 *
 * @see https://huggingface.co/docs/hub/datasets-data-files-configuration
 */

import { parse } from 'yaml';
import { HubError } from '../../../src/errors.ts';
import { patternOfText } from '../text/pattern_of_text.ts';

/** A configuration: what the hub's pages call a subset. */
export interface DatasetConfig {
  readonly name: string;
  /** Taken where none is named. */
  readonly isDefault: boolean;
  /** Files by split, in their order. */
  readonly splits: ReadonlyMap<string, readonly string[]>;
}

type Patterns = ReadonlyMap<string, readonly RegExp[]>;

const KINDS: readonly RegExp[] = [/\.parquet(\.|$)/, /\.(jsonl?|ndjson)(\.|$)/, /\.(csv|tsv)(\.|$)/];
const NO_DATA = ['config.json', 'dataset_info.json', 'dataset_infos.json', 'dataset_dict.json'];

const SHARD = /^data\/([^/]*)-[0-9]{5}-of-[0-9]{5}[^/]*\.[^/]*$/;
const SPLIT_WORDS = {
  train: ['train', 'training'],
  validation: ['validation', 'valid', 'dev', 'val'],
  test: ['test', 'testing', 'eval', 'evaluation'],
};
const EDGE = '[-._ 0-9]';

/**
 * @param paths  of all files of the data set
 * @param card  its README.md
 * @throws HubError where the card cannot be read
 */
export function datasetConfigs(paths: readonly string[], card: string | undefined): readonly DatasetConfig[] {
  const sorted = paths.filter((path) => !NO_DATA.includes(nameOf(path))).sort();
  const written = card === undefined ? [] : configsOfCard(card);
  if (written.length === 0)
    return [{ name: 'default', isDefault: true, splits: filesOf(sorted, guessedPatterns(sorted)) }];
  return written.map(({ name, folder, data, isDefault }) => {
    const inFolder = sorted.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
    const patterns = data === undefined ? guessedPatterns(inFolder) : writtenPatterns(data);
    const splits = [...filesOf(inFolder, patterns)].map(
      ([split, files]) => [split, files.map((path) => `${folder}${path}`)] as const,
    );
    return { name, isDefault: isDefault || written.length === 1 || name === 'default', splits: new Map(splits) };
  });
}

/** The files that a pattern of a card means: `*` within a folder, `**` over folders. */
export function matching(paths: readonly string[], pattern: string): readonly string[] {
  const expression = globExpression(pattern);
  const asksHidden = /(^|\/)(\.|__)/.test(pattern);
  return paths.filter((path) => expression.test(path) && (asksHidden || !isHidden(path))).sort();
}

function filesOf(paths: readonly string[], patterns: Patterns): Map<string, readonly string[]> {
  const visible = paths.filter((path) => !isHidden(path));
  const found = [...patterns].map(
    ([split, of]) =>
      [split, [...new Set(of.flatMap((pattern) => visible.filter((path) => pattern.test(path))))]] as const,
  );
  const all = found.flatMap(([, files]) => files);
  const counts = KINDS.map((kind) => all.filter((path) => kind.test(nameOf(path))).length);
  const kind = KINDS[counts.indexOf(Math.max(...counts))];
  const kept = found.map(([split, files]) => [split, files.filter((path) => kind.test(nameOf(path)))] as const);
  return new Map(kept.filter(([, files]) => files.length > 0));
}

function guessedPatterns(paths: readonly string[]): Patterns {
  const visible = paths.filter((path) => !isHidden(path) && nameOf(path) !== 'README.md');
  const sharded = visible.flatMap((path) => SHARD.exec(path)?.[1] ?? []);
  if (sharded.length > 0) {
    const splits = [...Object.keys(SPLIT_WORDS).filter((split) => sharded.includes(split)), ...sharded.sort()];
    return new Map(
      [...new Set(splits)].map((split) => [
        split,
        [new RegExp(`^data/${patternOfText(split)}-[0-9]{5}-of-[0-9]{5}[^/]*\\.[^/]*$`)],
      ]),
    );
  }
  const inFolder = (word: string): RegExp[] => [new RegExp(`(^|/)([^/]*${EDGE})?${word}(${EDGE}[^/]*)?/.`)];
  const inName = (word: string): RegExp[] => [
    new RegExp(`(^|/)${word}${EDGE}[^/]*$`),
    new RegExp(`(^|/)[^/]*${EDGE}${word}${EDGE}[^/]*$`),
  ];
  for (const of of [inFolder, inName]) {
    const patterns = Object.entries(SPLIT_WORDS).map(([split, words]) => [split, words.flatMap(of)] as const);
    const found = patterns.filter(([, any]) => any.some((pattern) => visible.some((path) => pattern.test(path))));
    if (found.length > 0) return new Map(found);
  }
  return new Map([['train', [/(^|\/)(?!README\.md$)[^/]*$/]]]);
}

interface WrittenConfig {
  readonly name: string;
  /** With its slash; empty: the whole data set. */
  readonly folder: string;
  readonly data: unknown;
  readonly isDefault: boolean;
}

/** @throws HubError */
function configsOfCard(card: string): readonly WrittenConfig[] {
  const [, head] = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---/.exec(card) ?? [];
  if (head === undefined) return [];
  let configs: unknown;
  try {
    ({ configs } = (parse(head, { logLevel: 'error' }) ?? {}) as { readonly configs?: unknown });
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new HubError('bad-card', `README.md: its head is no YAML (${reason}); name files in it by data_files.`);
  }
  if (!Array.isArray(configs)) return [];
  return configs.map((config: unknown) => {
    const {
      config_name,
      data_dir,
      data_files,
      default: isDefault,
    } = (config ?? {}) as Readonly<Record<string, unknown>>;
    const folder = typeof data_dir === 'string' ? data_dir.replace(/^(\.?\/)+|\/+$/g, '') : '';
    return {
      name: String(config_name),
      folder: folder && `${folder}/`,
      data: data_files,
      isDefault: isDefault === true,
    };
  });
}

/** A pattern, a list of patterns, patterns by split, or a list of `{split, path}`. */
function writtenPatterns(data: unknown): Patterns {
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(data)
    ? data.every((entry) => typeof entry === 'object' && entry !== null)
      ? data.map((entry: { readonly split?: unknown; readonly path?: unknown }) => [String(entry.split), entry.path])
      : [['train', data]]
    : typeof data === 'object' && data !== null
      ? Object.entries(data)
      : [['train', data]];
  return new Map(
    entries.map(([split, path]) => [split, [path].flat().map((pattern) => globExpression(String(pattern)))]),
  );
}

function globExpression(pattern: string): RegExp {
  const source = pattern.replace(/^\.\//, '').replaceAll(/\*\*\/|\*\*|\*|\?|\[[^\]]*\]|[\\^$.|+(){}[\]]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    return part.length > 1 ? part.replace(/^\[!/, '[^') : patternOfText(part);
  });
  return new RegExp(`^${source}$`);
}

function isHidden(path: string): boolean {
  const parts = path.split('/');
  return parts.some((part) => part.startsWith('.')) || parts.slice(0, -1).some((part) => part.startsWith('__'));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
