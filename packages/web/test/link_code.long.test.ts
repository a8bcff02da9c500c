import { deflateSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import {
  type Experiment,
  type OwnCodes,
  ofPreset,
  readLink,
  readWholeLink,
  type WholeLink,
  wholeLinkOf,
} from '../../../web/src/experiment.ts';
import { packedCode, unpackedCode } from '../../../web/src/link_code.ts';

const CODE = 'function reward({ completion }) {\n  return completion === "ü→😀" ? 1 : 0; // %&=#\n}\n';

async function thereAndBack(experiment: Experiment, codes: OwnCodes): Promise<WholeLink> {
  return readWholeLink(`#${await wholeLinkOf(experiment, codes)}`);
}

describe('code in a link', () => {
  it('comes back as it was, from letters that an address may have', () => {
    expect(packedCode(CODE)).toMatch(/^[\w-]+$/);
    expect(unpackedCode(packedCode(CODE))).toBe(CODE);
  });

  it.each([
    ['no letters of a code', '%%%'],
    ['letters that unpack to nothing', 'AAAA'],
    ['code that is cut off', packedCode(CODE).slice(0, 30)],
    ['a text that is none', btoa(String.fromCharCode(...deflateSync(new Uint8Array([0xff, 0xfe]))))],
  ])('that is %s is none', (_, text) => {
    expect(unpackedCode(text)).toBeUndefined();
  });

  it('that unpacks to more than a code may have is none', () => {
    const bomb = packedCode('x'.repeat(50_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    expect(unpackedCode(bomb)).toBeUndefined();
  });

  it('is carried where the experiment trains on it, and only there', async () => {
    const mine = { ...ofPreset('sort-two'), reward: 'yours' };
    const codes = { reward: CODE, task: 'function generate() {}' };
    const carried = { reward: CODE };
    expect(await thereAndBack(mine, codes)).toEqual({ experiment: mine, codes: carried, problems: [] });
    expect(await wholeLinkOf(ofPreset('sort-two'), codes)).toBe('preset=sort-two');
    const both = { ...ofPreset('own-task'), reward: 'yours' };
    expect(await thereAndBack(both, codes)).toEqual({ experiment: both, codes, problems: [] });
  });

  it('that stands beside another reward is not read, which is said', async () => {
    const { codes, problems } = await readWholeLink(`#preset=sort-two&code=${packedCode(CODE)}`);
    expect(codes).toEqual({});
    expect(problems).toEqual(['code: it is no code, or no code of the reward "yours"; it is left out']);
  });
});

it.each([
  ['#preset=sort-two&lr=0.1', ['lr: there is no such setting; it is left out']],
  ['#preset=nothing', ['preset=nothing: there is none of this name, and sort-digits is used']],
  ['#steps=many', ['steps=many: a number is due, and 750 is used']],
  ['#task=chess', ['task=chess: there is none of this name, and sort_digits is used']],
  ['#constructor=1', ['constructor: there is no such setting; it is left out']],
  ['#reward=positions]%0Athreads: 99', ['reward=positions]\nthreads: 99: it has letters that no setting has']],
  ['#knob.digits=3}%0Astages: []', ['knob.digits=3}\nstages: []: it has letters that no setting has']],
])('what a link asks for in vain is said: %s', (link, problems) => {
  expect(readLink(link).problems).toEqual(problems);
});
