/** A run as one file: a zip of its directory, with what the page needs besides (`page.json`). Nothing in it is trusted. */
import { type UnzipFileInfo, unzip, zip } from 'fflate';
import { codesOf, type Experiment, linkOf, type OwnCodes, readLink } from './experiment.ts';

const PAGE_FILE = 'page.json';
/** Most bytes that a file may unpack to: what a browser's tab can hold twice. */
const MOST_BYTES = 2 ** 30;
/** How the end of a zip's directory begins. */
const DIRECTORY_END = 0x06054b50;

export interface RunFile {
  readonly experiment: Experiment;
  /** Code of the experiment's own reward or task, where it has one. */
  readonly codes: Partial<OwnCodes>;
  /** The run directory, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export function packRun({ experiment, codes, files }: RunFile): Promise<Uint8Array<ArrayBuffer>> {
  const own = new Map(codesOf(experiment, { reward: '', task: '', ...codes }).map(({ what, code }) => [what, code]));
  const written = { code: own.get('reward') ?? '', taskCode: own.get('task') ?? '' };
  const page = new TextEncoder().encode(JSON.stringify({ link: linkOf(experiment), ...written }));
  return packed(new Map([...files, [PAGE_FILE, page]]));
}

/** @throws Error in words, where it is no zip, is damaged, or is no run that this page saved */
export async function unpackRun(bytes: Uint8Array): Promise<RunFile> {
  const files = await unpacked(bytes);
  requireChecksums(bytes, files);
  const page = files.get(PAGE_FILE);
  files.delete(PAGE_FILE);
  if (page === undefined || !files.has('fingerprint.json')) throw new Error('it holds no run that this page saved');
  const { link, ...written } = pageOf(page);
  const { experiment, problems } = readLink(link);
  if (problems.length > 0) throw new Error(`${PAGE_FILE}: ${problems.join('; ')}`);
  const given = { reward: textOf(written.code), task: textOf(written.taskCode) };
  const own = codesOf(experiment, given);
  const missing = own.find(({ code }) => code === '');
  if (missing !== undefined) throw new Error(`${PAGE_FILE} has no code for the ${missing.what} "yours"`);
  return { experiment, codes: Object.fromEntries(own.map(({ what, code }) => [what, code])), files };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function pageOf(bytes: Uint8Array): { readonly link: string; readonly code: unknown; readonly taskCode: unknown } {
  let page: unknown;
  try {
    page = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Error(`${PAGE_FILE} is no JSON`);
  }
  const { link, code, taskCode } = (page ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof link !== 'string') throw new Error(`${PAGE_FILE} has no link, which says what the run is`);
  return { link, code, taskCode };
}

/** A zip of these files. Weights do not get smaller. */
export function packed(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    zip(Object.fromEntries(files), { level: 0 }, (error, data) =>
      error ? reject(error) : resolve(data as Uint8Array<ArrayBuffer>),
    );
  });
}

function unpacked(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  let total = 0;
  const filter = ({ originalSize }: UnzipFileInfo): boolean => {
    total += originalSize;
    if (total > MOST_BYTES) throw new Error(`it unpacks to more than ${MOST_BYTES / 2 ** 20} MB`);
    return true;
  };
  return new Promise((resolve, reject) => {
    unzip(bytes, { filter }, (error, files) => (error ? reject(error) : resolve(new Map(Object.entries(files)))));
  });
}

/**
 * The unzipper looks neither at the checksum that a zip has of each file, nor whether the two places of its name agree.
 * @throws Error for the first that differs
 */
function requireChecksums(bytes: Uint8Array, files: ReadonlyMap<string, Uint8Array>): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const nameAt = (at: number, length: number): string => new TextDecoder().decode(bytes.subarray(at, at + length));
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== DIRECTORY_END) end--;
  if (end < 0) throw new Error('it is no zip');
  const seen = new Set<string>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const length = view.getUint16(at + 28, true);
    const name = nameAt(at + 46, length);
    const local = view.getUint32(at + 42, true);
    const content = files.get(name);
    const isNamed = nameAt(local + 30, view.getUint16(local + 26, true)) === name;
    if (content === undefined || seen.has(name) || !isNamed) throw new Error(`its entry ${name} is damaged`);
    if (crc32(content) !== view.getUint32(at + 16, true)) throw new Error(`${name} is damaged: its checksum differs`);
    seen.add(name);
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  if (seen.size !== files.size) throw new Error('it is no whole zip');
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (CRC_TABLE[(value ^ byte) & 255] as number) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
