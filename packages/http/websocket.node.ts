/** Opens WebSockets in Node, whose version 20 has none. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Connect } from '../../src/http/servers.ts';
import { acceptanceOf, NodeSocket } from './node_socket.node.ts';

/** Opens a WebSocket. @throws Error saying why there is none */
export const connectWebSocket: Connect = async (url, headers, events) => {
  // Not loaded before a connection is asked for: it takes Node 24 a tenth of a second, for its fetch comes along.
  const { request } = await (url.startsWith('wss:') ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const key = randomBytes(16).toString('base64');
    const asked = request(url.replace(/^ws/, 'http'), {
      headers: {
        ...headers,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Key': key,
        'Sec-WebSocket-Version': '13',
      },
    });
    asked.on('error', (error) => reject(new Error(error.message || String((error as { code?: unknown }).code))));
    asked.on('response', (response) => {
      response.destroy();
      reject(new Error(`HTTP status ${response.statusCode}`));
    });
    asked.on('upgrade', (response, stream: Duplex, head: Buffer) => {
      if (response.headers['sec-websocket-accept'] !== acceptanceOf(key)) {
        stream.destroy();
        reject(new Error('its handshake is not that of a WebSocket'));
        return;
      }
      resolve(new NodeSocket(stream, head, events, 'client'));
    });
    asked.end();
  });
};
