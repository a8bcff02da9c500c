import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PeerError, startPeer } from '../../../../bench/peers/peer.mjs';
import { folderOfFile } from '../../../../test/support/folders.ts';

const folder = folderOfFile();

function interpreter(name: string, script: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

it('a peer that gives no answer in its time is ended', async () => {
  const python = interpreter('silent', 'exec sleep 60');
  const start = startPeer('probe.py', { threads: 1 }, { python, answerSeconds: 0.2 });
  await expect(start).rejects.toThrow(new PeerError('probe.py gave no answer in 0.2 s.'));
});

it.each([
  [true, /the race is pinned to \d/],
  [false, undefined],
])('versions that are not the pinned ones: refused %s', async (isPinned, message) => {
  const python = interpreter('other', `read setup; echo '{"versions":{"trl":"0.0.1"}}'; exec sleep 60`);
  const start = startPeer('probe.py', { threads: 1 }, { python, isPinned });
  if (message !== undefined) return expect(start).rejects.toThrow(message);
  const peer = (await start) as { readonly hello: unknown; close(): void };
  peer.close();
  expect(peer.hello).toEqual({ versions: { trl: '0.0.1' } });
});
