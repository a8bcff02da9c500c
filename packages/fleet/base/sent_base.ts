/** The learner's base model, for workers that have not got it: put on the server in pieces once one of them asks. */
import { sha256Hex } from '../../../src/run/fingerprint/sha256.ts';
import type { ModelFiles } from '../../models/model/pretrained/source.ts';
import type { LearnerBus } from '../bus.ts';
import { MESSAGE_BYTES } from '../protocol.ts';
import { weightsKey } from '../sent_weights.ts';
import { type BaseList, type BaseReply, encodeBaseJson, piecesOf } from './base_list.ts';

/** Milliseconds after which pieces that are missing are put there once more: no worker can keep the learner busy by asking. */
const AGAIN_MS = 30_000;

/** What is sent. */
export interface BaseFiles {
  readonly files: ModelFiles;
  /** Names of those that a worker opens the model from. */
  readonly names: readonly string[];
}

export class SentBase {
  readonly #bus: Pick<LearnerBus, 'putWeights'>;
  readonly #base: BaseFiles;
  readonly #clock: () => number;
  readonly #say: (line: string) => void;
  #reply: BaseReply | undefined;
  #sentAt = 0;

  /** @param clock  milliseconds */
  constructor(
    bus: Pick<LearnerBus, 'putWeights'>,
    base: BaseFiles,
    { clock, say }: { readonly clock: () => number; readonly say: (line: string) => void },
  ) {
    this.#bus = bus;
    this.#base = base;
    this.#clock = clock;
    this.#say = say;
  }

  /** A worker asks where the base is. @param isMissing  it has looked, and a piece is not there */
  ask(isMissing: boolean): BaseReply {
    const isOld = this.#clock() - this.#sentAt > AGAIN_MS;
    if (this.#reply === undefined || (this.#reply.status !== 'sending' && isMissing && isOld)) this.#begin();
    return this.#reply as BaseReply;
  }

  /** What the server held may be gone. */
  sendAgain(): void {
    if (this.#reply?.status !== 'sending') this.#reply = undefined;
  }

  #begin(): void {
    this.#reply = { status: 'sending' };
    this.#send().then(
      (reply) => this.#end(reply),
      (error: Error) => {
        this.#say(`fleet: the base model is not sent: ${error.message}`);
        this.#end({ status: 'failed', reason: error.message.slice(0, 1000) });
      },
    );
  }

  #end(reply: BaseReply): void {
    this.#reply = reply;
    this.#sentAt = this.#clock();
  }

  async #send(): Promise<BaseReply> {
    const list: BaseList = { files: [] };
    let all = 0;
    for (const name of this.#base.names) {
      const bytes = await this.#base.files.size(name);
      if (bytes === undefined) continue;
      const pieces: string[] = [];
      for (let piece = 0; piece < piecesOf(bytes); piece++) pieces.push(await this.#put(name, piece));
      list.files.push({ name, bytes, pieces });
      all += bytes;
    }
    const bytes = encodeBaseJson(list);
    const sha256 = await sha256Hex(bytes);
    for (let part = 0; part < piecesOf(bytes.length); part++) {
      const from = part * MESSAGE_BYTES;
      await this.#bus.putWeights(weightsKey({ sha256 }), part, bytes.subarray(from, from + MESSAGE_BYTES));
    }
    this.#say(`fleet: the base model is sent to a worker that lacks it: ${(all / 1e6).toFixed(1)} MB`);
    return { status: 'sent', list: { sha256, bytes: bytes.length } };
  }

  /** @returns the hash of the piece @throws RlvrError where the file has changed, or the server is full */
  async #put(name: string, piece: number): Promise<string> {
    const from = piece * MESSAGE_BYTES;
    const bytes = (await this.#base.files.readRange(name, from, from + MESSAGE_BYTES)) ?? new Uint8Array();
    const sha256 = await sha256Hex(bytes);
    await this.#bus.putWeights(weightsKey({ sha256 }), 0, bytes);
    return sha256;
  }
}
