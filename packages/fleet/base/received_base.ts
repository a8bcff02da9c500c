/** A base model that a worker has not got: asked for, read piece by piece, and kept. */
import { FleetError } from '../../../src/errors.ts';
import { sha256Hex } from '../../../src/run/fingerprint/sha256.ts';
import type { ModelFiles } from '../../models/model/pretrained/source.ts';
import { hashFiles } from '../../models/run/model/base_hashes.ts';
import type { WorkerBus } from '../bus.ts';
import type { RunCard } from '../cards.ts';
import { MESSAGE_BYTES } from '../protocol.ts';
import { weightsKey } from '../sent_weights.ts';
import { type BaseList, type BaseListPlace, decodeBaseList, decodeBaseReply, piecesOf } from './base_list.ts';

/** Milliseconds between two questions. */
const ASK_MS = 300;
/** Questions without a reply, and rounds in which a piece was missing, after which a worker gives up. */
const MOST_SILENCES = 20;
const MOST_ROUNDS = 300;

/** Where a worker keeps what it receives. */
export interface BaseKeeper {
  /** What is kept of the model already; undefined where it is not there whole. @param key  names the model */
  find(key: string): ModelFiles | undefined;
  /** Forgets a model: its files are others than those that its key is made of. */
  forget(key: string): void;
  /** Begins to keep one. */
  begin(key: string): BaseWriter;
}

/** Keeps the files of one model as they come. */
export interface BaseWriter {
  /** Adds to the end of a file. */
  append(name: string, bytes: Uint8Array): Promise<void>;
  /** What has come so far. */
  written(): ModelFiles;
  /** It is whole: from now on it is found. */
  finish(): Promise<ModelFiles>;
  /** It is not: nothing of it stays. */
  drop(): Promise<void>;
}

export interface ReceivingOptions {
  readonly bus: Pick<WorkerBus, 'askBase' | 'readWeights'>;
  readonly keeper: BaseKeeper;
  readonly say: (line: string) => void;
  readonly signal: { readonly aborted: boolean };
}

/** What is kept of a base, else what its learner sends. @throws FleetError where it sends none, or something else */
export async function receiveBase(card: RunCard, options: ReceivingOptions): Promise<ModelFiles> {
  const { base, run } = card;
  if (base === undefined) throw new RangeError('the run has no base');
  const { keeper, say } = options;
  const key = await sha256Hex(new TextEncoder().encode(JSON.stringify(Object.entries(base.files).sort())));
  const kept = keeper.find(key);
  if (kept !== undefined) {
    if ((await otherFile(kept, base)) === undefined) return kept;
    keeper.forget(key);
  }
  say(`run ${run}: receives its base model, ${base.path}`);
  const writer = keeper.begin(key);
  try {
    await receive(run, writer, Object.keys(base.files), options);
    const other = await otherFile(writer.written(), base);
    if (other !== undefined) throw notTheModel(`${other} is another file than its card says`);
    return await writer.finish();
  } catch (error) {
    await writer.drop();
    throw error;
  }
}

/** The first file whose hash is another than the card says; a kept model may be one that an earlier version believed. */
async function otherFile(
  files: ModelFiles,
  { files: asked }: NonNullable<RunCard['base']>,
): Promise<string | undefined> {
  const hashes = await hashFiles(files, Object.keys(asked));
  return Object.keys(asked).find((name) => hashes[name] !== asked[name]);
}

/** @param names  of the files that the model has */
async function receive(
  run: string,
  writer: BaseWriter,
  names: readonly string[],
  options: ReceivingOptions,
): Promise<void> {
  const { bus, signal } = options;
  /** Pieces that are written, of the file under way. */
  const at = { file: 0, piece: 0 };
  let isMissing = false;
  let silences = 0;
  for (let round = 0; round < MOST_ROUNDS && !signal.aborted; round++) {
    const bytes = await bus.askBase(run, isMissing);
    if (bytes === 'nobody') throw missing('its learner sends none');
    if (bytes === undefined && ++silences > MOST_SILENCES) break;
    const reply = bytes && decodeBaseReply(bytes);
    if (reply?.status === 'failed') throw missing(`its learner could not send it: ${reply.reason}`);
    if (reply?.status === 'sent') {
      const list = await readList(bus, run, reply.list);
      const extra = list?.files.find(({ name }) => !names.includes(name));
      if (extra !== undefined) throw notTheModel(`${extra.name} is none of its files`);
      if (list !== undefined && (await readPieces(bus, run, list, at, writer))) return;
      isMissing = true;
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
  throw missing(signal.aborted ? 'the worker was stopped' : 'its learner did not send all of it');
}

async function readList(
  bus: ReceivingOptions['bus'],
  run: string,
  { sha256, bytes }: BaseListPlace,
): Promise<BaseList | undefined> {
  const all = new Uint8Array(bytes);
  for (let part = 0; part < piecesOf(bytes); part++) {
    const own = await bus.readWeights(run, weightsKey({ sha256 }), part);
    if (own?.length !== Math.min(MESSAGE_BYTES, bytes - part * MESSAGE_BYTES)) return undefined;
    all.set(own, part * MESSAGE_BYTES);
  }
  return (await sha256Hex(all)) === sha256 ? decodeBaseList(all) : undefined;
}

/** @param at  where to begin; where it has come to afterwards @returns whether all is there */
async function readPieces(
  bus: ReceivingOptions['bus'],
  run: string,
  { files }: BaseList,
  at: { file: number; piece: number },
  writer: BaseWriter,
): Promise<boolean> {
  for (; at.file < files.length; at.file++, at.piece = 0) {
    const { name, pieces } = files[at.file];
    if (pieces.length === 0) await writer.append(name, new Uint8Array());
    for (; at.piece < pieces.length; at.piece++) {
      const sha256 = pieces[at.piece];
      const bytes = await bus.readWeights(run, weightsKey({ sha256 }), 0);
      if (bytes === undefined || (await sha256Hex(Uint8Array.from(bytes))) !== sha256) return false;
      await writer.append(name, bytes);
    }
  }
  return true;
}

function notTheModel(rule: string): FleetError {
  return new FleetError('fleet-base', `its learner sends another base model: ${rule}; nothing of it is kept.`);
}

function missing(rule: string): FleetError {
  return new FleetError('fleet-base', `its base model is not on this machine, and ${rule}; fetch it.`);
}
