/** Results of visitors: signed by a key of their own, so that nobody answers in the name of another, or twice in two sessions. */
import { beforeAll, describe, expect, it } from 'vitest';
import { rngFor } from '../../../src/kernels/philox.ts';
import { smallConfig } from '../../../test/support/small_runs.ts';
import { encodeResult, type FleetResult, readResultHead } from '../protocol.ts';
import { makeResultKey, openSigned, type ResultKey } from '../signature.ts';
import { honest, type WorkerFault } from './support/faulty_bus.ts';
import { type Trained, trainSmall } from './support/fleets.ts';

const SESSION = '0123456789abcdef';
/** Protocol, key, signature. */
const HEAD_BYTES = 2 + 65 + 64;
const resultOf = (worker: string): Uint8Array => {
  const floats = Float32Array.of(-0.5);
  const completion = { tokens: Int32Array.of(3), logprobs: floats, entropies: floats, keptLogMass: floats };
  const completions: FleetResult['completions'] = [[{ ...completion, finishReason: 'length' }]];
  return encodeResult({ task: 1, worker, seconds: 0.5, completions });
};

describe('a signed result', () => {
  let key: ResultKey;
  let signed: Uint8Array;
  beforeAll(async () => {
    key = await makeResultKey();
    signed = await key.sign(SESSION, resultOf(key.id));
  });

  it('opens to the result, whose worker is the hash of the key', async () => {
    const result = await openSigned(SESSION, signed);
    expect(result).toEqual(resultOf(key.id));
    expect(readResultHead(result).worker).toBe(key.id);
    expect(key.id).not.toBe((await makeResultKey()).id);
  });

  it('of which a bit is changed, wherever, is refused', async () => {
    const rng = rngFor('signatures');
    for (let draw = 0; draw < 200; draw++) {
      const changed = signed.slice();
      changed[rng.int(0, changed.length - 1)] ^= 1 << rng.int(0, 7);
      await expect(openSigned(SESSION, changed)).rejects.toThrow(/^signed result: /);
    }
  });

  it.each<readonly [string, () => Uint8Array | Promise<Uint8Array>, string]>([
    ['without a signature', () => resultOf(key.id), 'signed result:'],
    ['cut short', () => signed.subarray(0, HEAD_BYTES), 'it has 131 bytes'],
    ['of another session', () => key.sign('f'.repeat(16), resultOf(key.id)), 'its signature is not that of its key'],
    [
      'in the name of another',
      () => key.sign(SESSION, resultOf('ab'.repeat(16))),
      'another key than that of the worker',
    ],
  ])('%s is refused', async (_, message, words) => {
    await expect(openSigned(SESSION, await message())).rejects.toThrow(words);
  });
});

describe('a training with visitors', () => {
  const yaml = smallConfig('num_generations_eval: 2');
  let alone: Trained;
  beforeAll(async () => {
    alone = await trainSmall(yaml);
  });

  async function trained(visitors: readonly WorkerFault[]): Promise<Trained> {
    const { figures, said, ...run } = await trainSmall(yaml, { workers: [], visitors, verifyShare: 0.1, hurry: 10 });
    expect({ ...run, said: [] }).toEqual(alone);
    return { ...run, figures, said };
  }

  it('is that of one machine', async () => {
    const { figures } = await trained([honest, honest]);
    expect(figures).toMatchObject({ groupsHere: 0, refused: 0, workers: 2 });
  });

  /** Changes the messages of a visitor on their way. */
  const changing =
    (change: (message: Uint8Array) => Uint8Array): WorkerFault =>
    (bus) => ({ ...honest(bus), answer: (run, message) => bus.answer(run, change(message)) });

  it.each<readonly [string, WorkerFault]>([
    ['no signature', changing((message) => message.subarray(HEAD_BYTES))],
    ['the signature of another result', changing((message) => Uint8Array.from([...message.subarray(0, -1), 1]))],
    [
      'the name of another in it',
      changing((message) => message.map((byte, at) => (at === HEAD_BYTES + 7 ? byte ^ 1 : byte))),
    ],
  ])('refuses what comes with %s, and blames nobody', async (_, fault) => {
    const { figures, said } = await trained([fault, honest]);
    expect(figures?.refused).toBeGreaterThan(0);
    expect(said.some((line) => line.includes('is shut out ('))).toBe(false);
  });

  it('takes no unsigned answer in the name of one that signs', async () => {
    let sent: Uint8Array | undefined;
    const heard: WorkerFault = (bus) => ({
      ...honest(bus),
      async answer(run, message) {
        const reply = await bus.answer(run, message);
        sent ??= message.slice(HEAD_BYTES);
        return reply;
      },
    });
    const statuses: string[] = [];
    const {
      figures,
      said: _,
      ...run
    } = await trainSmall(yaml, {
      visitors: [heard],
      workers: [
        (bus) => ({
          ...honest(bus),
          async next(name, wait) {
            const reply = sent && (await bus.answer(name, sent));
            if (reply !== undefined) statuses.push(new TextDecoder().decode(reply));
            await new Promise((resolve) => setTimeout(resolve, wait / 50));
            return undefined;
          },
        }),
      ],
    });
    expect({ ...run, said: [] }).toEqual(alone);
    expect(statuses[0]).toContain('this worker signs what it answers');
    expect(figures?.groupsThere).toBeGreaterThan(0);
  });
});
