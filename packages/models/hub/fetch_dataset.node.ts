/**
 * The files of a data set of the hub: from the cache where it has them, else fetched into it. Beside the snapshots lies what
 * the hub said of each commit, so that half of a split is not taken for the whole of it:
 *
 *   datasets--owner--name/listings/<commit>.json
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../../../src/errors.ts';
import { knownCommit, repositoryFolder, snapshotFolder } from './cache.node.ts';
import type { HubClient, HubFile, HubRepository } from './client.ts';
import { type DatasetConfig, datasetConfigs, matching } from './dataset_splits.ts';
import { downloadFile, missingBytes, onDisk, requireRoom } from './download.node.ts';
import { type FetchOptions, keepRevision } from './fetch_model.node.ts';
import { type HubName, hubNameText } from './names.ts';

export interface DatasetOptions extends Omit<FetchOptions, 'client'> {
  /** Undefined: the network is not asked. */
  readonly client: HubClient | undefined;
}

const CARD = 'README.md';

/** A data set of the hub at one commit. */
export class HubDataset {
  readonly name: HubName;
  readonly commit: string;
  readonly #files: HubRepository['files'];
  readonly #options: DatasetOptions;
  #configs: readonly DatasetConfig[] | undefined;

  private constructor(name: HubName, { commit, files }: HubRepository, options: DatasetOptions) {
    [this.name, this.commit, this.#files, this.#options] = [name, commit, files, options];
  }

  /**
   * @param isAsked  the hub is asked for the newest commit, though the cache knows one
   * @throws HubError
   */
  static async open(name: HubName, options: DatasetOptions, isAsked = false): Promise<HubDataset> {
    const { client, cache } = options;
    const commit = isAsked ? undefined : knownCommit(cache, name);
    const known = commit === undefined ? undefined : readListing(listingFile(cache, name, commit));
    if (known !== undefined) return new HubDataset(name, known, options);
    if (client === undefined) throw notCached(name, 'is not');
    const asked = await client.repository({ ...name, revision: commit ?? name.revision });
    const place = listingFile(cache, name, asked.commit);
    await onDisk(place, async () => {
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, JSON.stringify([...asked.files.values()]));
    });
    await keepRevision(cache, name, asked.commit);
    return new HubDataset(name, asked, options);
  }

  get folder(): string {
    return snapshotFolder(this.#options.cache, this.name, this.commit);
  }

  /** Configurations with their splits. @throws HubError */
  async configs(): Promise<readonly DatasetConfig[]> {
    const card = this.#files.get(CARD);
    const text = card && readFileSync(await this.take(card.path), 'utf8');
    this.#configs ??= datasetConfigs([...this.#files.keys()], text);
    return this.#configs;
  }

  /** @param name  undefined: the default one @throws HubError naming those that there are */
  async config(name: string | undefined): Promise<DatasetConfig> {
    const configs = await this.configs();
    const found = configs.find((config) => (name === undefined ? config.isDefault : config.name === name));
    if (found !== undefined) return found;
    const what = name === undefined ? 'has several configs' : `has no config ${JSON.stringify(name)}`;
    const names = configs.map((config) => config.name).join(', ');
    throw this.#missing(`${what}; set dataset_config (in a task: hub_config) to one of ${names}`);
  }

  /** Paths in the data set. @param text  a file, a pattern of files, or a split @throws HubError */
  async filesOf(text: string, configName: string | undefined): Promise<readonly string[]> {
    if (this.#files.has(text)) return [text];
    const matched = /[*?[]/.test(text) ? matching([...this.#files.keys()], text) : [];
    if (matched.length > 0) return matched;
    const { name, splits } = await this.config(configName);
    const files = splits.get(text);
    if (files !== undefined) return files;
    const there = splits.size === 0 ? 'no files of rows' : `the splits ${[...splits.keys()].join(', ')}`;
    throw this.#missing(`has no file or split ${JSON.stringify(text)}; its config ${name} has ${there}`);
  }

  /** The files of these paths, those that are not in the cache fetched. @returns their places @throws HubError */
  async takeAll(paths: readonly string[]): Promise<readonly string[]> {
    const files = paths.map((path) => this.#fileOf(path)).filter((file) => !this.#has(file));
    if (files.length > 0)
      await requireRoom(this.#options.cache, missingBytes(files, { ...this.#options, name: this.name }));
    const places: string[] = [];
    for (const path of paths) places.push(await this.take(path));
    return places;
  }

  /** @returns the place of the file @throws HubError */
  async take(path: string): Promise<string> {
    const { client, cache, onFile, onProgress } = this.#options;
    const file = this.#fileOf(path);
    if (!this.#has(file)) {
      if (client === undefined) throw notCached(this.name, `has ${path}, which is not`);
      onFile?.(file);
      const { name, commit } = this;
      await downloadFile(file, { client, cache, name, commit, onProgress: (bytes) => onProgress?.(file, bytes) });
    }
    return join(this.folder, path);
  }

  /** Size in bytes. */
  bytesOf(path: string): number {
    return this.#fileOf(path).bytes;
  }

  #has({ path, bytes }: HubFile): boolean {
    const place = join(this.folder, path);
    return existsSync(place) && statSync(place).size === bytes;
  }

  #fileOf(path: string): HubFile {
    const file = this.#files.get(path);
    if (file === undefined) throw this.#missing(`has no file ${path}`);
    return file;
  }

  #missing(rule: string): HubError {
    const text = hubNameText(this.name);
    return new HubError('no-file', `${text} — the data set ${rule}.`, { dataset: text });
  }
}

function listingFile(cache: string, name: HubName, commit: string): string {
  return join(repositoryFolder(cache, name), 'listings', `${commit}.json`);
}

/** Undefined where there is none that can be read. */
function readListing(place: string): HubRepository | undefined {
  if (!existsSync(place)) return undefined;
  const [commit] = place
    .split(/[\\/]/)
    .slice(-1)
    .map((file) => file.replace('.json', ''));
  try {
    const files = JSON.parse(readFileSync(place, 'utf8')) as readonly HubFile[]; // as it was written
    return { commit, files: new Map(files.map((file) => [file.path, file])) };
  } catch {
    return undefined; // half of it was written
  }
}

function notCached(name: HubName, what: string): HubError {
  const text = hubNameText(name);
  const rule = `the data set ${what} in the cache, and HF_HUB_OFFLINE asks no network`;
  return new HubError('no-dataset', `${text} — ${rule}; fetch it without: fetch --dataset ${text}.`, { dataset: text });
}
