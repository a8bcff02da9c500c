/** A file that a server of this machine gives in ranges, to pages of any site, as the hub does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function serveRanges(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const shared = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Expose-Headers': '*',
  };
  const server = createServer(({ method, headers }, response) => {
    if (method === 'OPTIONS') return response.writeHead(204, shared).end();
    const [, begin = 0, last = bytes.length - 1] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
    const part = bytes.slice(begin, last + 1);
    const range = `bytes ${begin}-${begin + part.length - 1}/${bytes.length}`;
    return response.writeHead(206, { ...shared, 'Content-Range': range, ETag: '"one"' }).end(part);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}
