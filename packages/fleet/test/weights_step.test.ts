/** Weights as steps from earlier ones: lossless, smaller, whole again once they have grown, and nothing else is taken for them. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../src/kernels/philox.ts';
import type { Policy } from '../../../src/model/policy.ts';
import { huffman } from '../deflate.node.ts';
import type { WeightsName } from '../protocol.ts';
import { ReceivedWeights } from '../received_weights.ts';
import { SentWeights } from '../sent_weights.ts';
import { packStep, unpackStep } from '../weights_step.ts';

const COUNT = 4000;
const rng = rngFor('weights step');
const bytesOf = (values: Float32Array): Uint8Array<ArrayBuffer> => new Uint8Array(values.slice().buffer);
const random = (scale: number): Float32Array => Float32Array.from({ length: COUNT }, () => scale * (rng.float() - 0.5));
/** Compared as text, which takes a hundredth of the time of comparing byte by byte. */
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex');
/** Weights after one optimizer step. */
const stepped = (weights: Float32Array, size: number): Float32Array =>
  weights.map((value) => value + size * (rng.float() - 0.5));

describe('a step', () => {
  const before = random(0.1);
  const now = stepped(before, 1e-4);
  now.set(new Float32Array(Uint32Array.of(0x7fc00123, 0x80000000, 1).buffer)); // a NaN with a payload, −0, the least above 0

  it('leads to the same bits, in fewer bytes', async () => {
    const packed = await packStep(bytesOf(now), bytesOf(before), huffman);
    expect(textOf(await unpackStep(packed, bytesOf(before)))).toBe(textOf(bytesOf(now)));
    expect(packed.length / (4 * COUNT)).toBeLessThan(0.7);
  });

  it.each<readonly [string, (packed: Uint8Array<ArrayBuffer>) => Uint8Array]>([
    ['cut short', (packed) => packed.slice(0, -1)],
    ['without its high bytes', (packed) => packed.slice(0, 2 * COUNT)],
    ['of fewer weights', (packed) => packed.slice(0, 4)],
    ['of more weights', (packed) => packed.slice(100)],
  ])('%s is none', async (_, change) => {
    const packed = await packStep(bytesOf(now), bytesOf(before), huffman);
    expect(await unpackStep(change(packed), bytesOf(before))).toBeUndefined();
  });

  it('that would inflate to a thousand times its weights is none', async () => {
    const bomb = await huffman(new Uint8Array(1000 * COUNT));
    const packed = new Uint8Array(2 * COUNT + bomb.length);
    packed.set(bomb, 2 * COUNT);
    expect(await unpackStep(packed, bytesOf(before))).toBeUndefined();
  });
});

describe('a learner and its workers', () => {
  /** What a server holds, and how many bytes were read of it. */
  function held() {
    const parts = new Map<string, Uint8Array>();
    let read = 0;
    const drop = (key: string): void => {
      for (const name of parts.keys()) if (name.startsWith(`${key}.`)) parts.delete(name);
    };
    return {
      parts,
      get read() {
        return read;
      },
      putWeights: async (key: string, part: number, bytes: Uint8Array) => void parts.set(`${key}.${part}`, bytes),
      dropWeights: async (key: string) => drop(key),
      readWeights: async (_: string, key: string, part: number) => {
        const bytes = parts.get(`${key}.${part}`);
        read += bytes?.length ?? 0;
        return bytes;
      },
    };
  }
  const policyOf = (weights: Float32Array): Policy =>
    ({
      adapterParameters: [],
      parameters: [{ slot: { shape: [weights.length] } }],
      readParameter: async () => weights,
    }) as unknown as Policy;
  const card = { run: '0123456789abcdef', partBytes: 1024 * 1024 - 4096 };

  /** Sends version after version, each so much further from the one before. */
  async function versions(count: number, size: number) {
    const bus = held();
    const sent = new SentWeights(bus, huffman);
    const worker = new ReceivedWeights(bus, card);
    const names: WeightsName[] = [];
    const bytes: number[] = [];
    let weights = random(0.1);
    for (let version = 0; version < count; version++, weights = stepped(weights, size)) {
      await sent.take(policyOf(weights), version);
      bytes.push(await sent.send());
      names.push(sent.name);
      expect(textOf(await worker.read(sent.name))).toBe(textOf(bytesOf(weights)));
    }
    return { bus, sent, names, bytes, weights, worker };
  }

  it('send a step where it is smaller, from weights that were sent whole', async () => {
    const { names, bytes, bus } = await versions(6, 1e-4);
    const [first, ...others] = names;
    expect(first.step).toBeUndefined();
    for (const { step } of others) expect(step?.from).toBe(first.sha256);
    expect(bytes[0]).toBe(4 * COUNT);
    for (const [i, own] of bytes.slice(1).entries()) expect(own).toBe(others[i].step?.bytes);
    expect(bus.read).toBe(bytes.reduce((sum, own) => sum + own) + 4 * COUNT); // the first were not kept before a step came
    expect(bus.parts.size).toBe(3); // two versions, and what their steps begin with
  });

  it('send the weights whole where they have changed too much', async () => {
    const { names, bus } = await versions(4, 1);
    expect(names.map(({ step }) => step)).toEqual(names.map(() => undefined));
    expect(bus.parts.size).toBe(2);
  });

  it('have all of it again after the server has lost it, and a worker that comes later reads both', async () => {
    const { bus, sent } = await versions(3, 1e-4);
    bus.parts.clear();
    const late = new ReceivedWeights(bus, card);
    expect(await late.read(sent.name)).toBeUndefined();
    sent.sendAgain();
    await sent.send();
    expect(await late.read(sent.name)).toBeDefined();
  });

  it('a step that is another one is not taken', async () => {
    const { bus, sent, worker } = await versions(2, 1e-4);
    const [key] = [...bus.parts.keys()].slice(-1);
    const bytes = bus.parts.get(key)?.slice() as Uint8Array;
    bytes[5] ^= 1;
    bus.parts.set(key, bytes);
    expect(await worker.read(sent.name)).toBeUndefined();
  });
});
