import { describe, expect, it } from 'vitest';
import { PeerError } from '../../../../bench/peers/peer.mjs';
import { compare, counted, takeTurns } from '../../../../bench/turns.mjs';

/** A side whose turns take these seconds, the last of them for ever. */
function side(...seconds: readonly number[]) {
  let next = 0;
  return () => Promise.resolve({ seconds: seconds[Math.min(next++, seconds.length - 1)] ?? 0 });
}
const settings = { warmup: 2, repeats: 3, limitSeconds: 100 };

describe('takeTurns', () => {
  it('gives every side its warm-up and its repeats', async () => {
    const { a, b } = await takeTurns({ a: side(9, 8, 1, 2, 3), b: side(1) }, settings);
    expect(a?.turns.map(({ turn }) => turn)).toEqual([-2, -1, 0, 1, 2]);
    expect(b?.turns).toHaveLength(5);
    expect(a?.stopped).toBeUndefined();
    expect(counted(a as NonNullable<typeof a>).map(({ seconds }) => seconds)).toEqual([1, 2, 3]);
  });

  it('begins no turn that would take a side beyond its time, while the others go on', async () => {
    const { slow, quick } = await takeTurns({ slow: side(30), quick: side(1) }, settings);
    expect(slow?.turns.map(({ turn }) => turn)).toEqual([-2, -1, 0]);
    expect(slow?.stopped).toBe('its 100 s were over: 1 of 3 repeats');
    expect(quick?.turns).toHaveLength(5);
  });

  it('counts the last turn of a side that never got warm', async () => {
    const { slow } = await takeTurns({ slow: side(120, 1) }, settings);
    expect(slow?.stopped).toContain('no turn that was warm');
    expect(slow?.turns.map(({ turn }) => turn)).toEqual([-2]);
    expect(compare({ slow: slow as NonNullable<typeof slow> }, ({ seconds }) => seconds, 'slow').slow?.median).toBe(
      120,
    );
  });

  it('goes on without a peer that dies, and keeps its reason and its turns', async () => {
    let turn = 0;
    const mortal = () => (turn++ < 3 ? side(1)() : Promise.reject(new PeerError('out of memory')));
    const { peer, ours } = await takeTurns({ peer: mortal, ours: side(1) }, settings);
    expect(peer?.stopped).toBe('out of memory');
    expect(peer?.turns).toHaveLength(3);
    expect(ours?.turns).toHaveLength(5);
  });

  it('does not hide an error of our own side', async () => {
    const ours = () => Promise.reject(new RangeError('ours'));
    await expect(takeTurns({ ours }, settings)).rejects.toThrow('ours');
  });
});

describe('compare', () => {
  it('divides by the base, medians and turn by turn', async () => {
    const taken = await takeTurns({ base: side(9, 9, 1, 2, 4), other: side(9, 9, 10, 10, 10) }, settings);
    const { base, other } = compare(taken, ({ seconds }) => seconds, 'base');
    expect(base).toEqual({ median: 2, low: 1.5, high: 3, repeats: 3 });
    expect(other?.ratio?.ofMedians).toBe(5);
    expect(other?.ratio?.paired).toMatchObject({ median: 5, low: 3.75, high: 7.5 });
  });

  it('pairs only turns that both took', async () => {
    const taken = await takeTurns({ base: side(1), slow: side(30) }, settings);
    expect(compare(taken, ({ seconds }) => seconds, 'base').slow?.ratio?.paired?.repeats).toBe(1);
  });

  it('leaves out a side without a turn', async () => {
    const dead = () => Promise.reject(new PeerError('gone'));
    const taken = await takeTurns<{ seconds: number }>({ base: side(1), dead }, settings);
    expect(Object.keys(compare(taken, ({ seconds }) => seconds, 'base'))).toEqual(['base']);
  });
});
