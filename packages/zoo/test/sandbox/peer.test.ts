import { afterEach, expect, it, vi } from 'vitest';
import { loadPeers } from '../../sandbox/peer.ts';

const missing = () => loadPeers('sandbox for SQL', ['one@1', 'two@2'], () => Promise.reject(new Error('not found')));

afterEach(() => {
  vi.unstubAllGlobals();
});

it('a package that is not there is named with the line that installs it', async () => {
  await expect(missing()).rejects.toThrow(
    'the sandbox for SQL needs packages that are not there; npm install one@1 two@2',
  );
});

it('in a page, where nothing can be installed, the message says what to do instead', async () => {
  vi.stubGlobal('process', undefined);
  await expect(missing()).rejects.toThrow(/not in this page; choose another task, or train this one with the command/);
});

it('what is there is given', async () => {
  await expect(loadPeers('sandbox', ['one@1'], async () => 7)).resolves.toBe(7);
});
