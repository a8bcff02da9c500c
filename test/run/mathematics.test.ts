import { expect, it, vi } from 'vitest';

async function freshHash(): Promise<string> {
  vi.resetModules();
  return (await import('../../src/run/fingerprint/mathematics.ts')).mathematicsHash();
}

it('has the value that Node 20, Node 24 and Chrome 156 agree on', async () => {
  expect(await freshHash()).toBe('b0d4e5e17c64e994');
});

it('tells engines apart whose cosine differs at one argument in a thousand', async () => {
  const known = await freshHash();
  let calls = 0;
  const cos = vi
    .spyOn(Math, 'cos')
    .mockImplementation((x) => Math.sin(x + Math.PI / 2) + (calls++ % 1000 === 0 ? 1e-6 : 0));
  try {
    expect(await freshHash()).not.toBe(known);
  } finally {
    cos.mockRestore();
  }
});
