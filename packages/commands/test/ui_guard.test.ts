import { describe, expect, it } from 'vitest';
import { admit, COMMAND_HEADER } from '../ui/guard.ts';

const DOOR = { port: 4321, token: 'secret-token' };
const OURS = { host: '127.0.0.1:4321' };

const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  admit({ method, url, headers: { ...OURS, ...headers } }, DOOR);

describe('a request is let in', () => {
  it.each(['127.0.0.1:4321', 'localhost:4321', '[::1]:4321'])('by the name %s', (host) => {
    expect(ask('/secret-token/run?run=a%2Fb', { host })).toMatchObject({ isAdmitted: true, path: 'run' });
  });

  it('with the names of runs as they are', () => {
    const admitted = ask('/secret-token/run?run=a%2Fb&run=c');
    expect(admitted.isAdmitted && admitted.query.getAll('run')).toEqual(['a/b', 'c']);
  });

  it('from the page itself, commands included', () => {
    const own = { origin: 'http://127.0.0.1:4321', 'sec-fetch-site': 'same-origin', [COMMAND_HEADER]: '1' };
    expect(ask('/secret-token/request?ask=stop', own, 'POST').isAdmitted).toBe(true);
  });

  it('where a link of another page is followed to the page', () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(ask('/secret-token/', link).isAdmitted).toBe(true);
  });
});

describe('a request is refused', () => {
  it.each([
    ['by a foreign name that was made to mean this machine', { host: 'evil.example:4321' }],
    ['by the name of another port', { host: '127.0.0.1:80' }],
    ['without a name', { host: '' }],
    ['from another site', { origin: 'https://evil.example' }],
    ['from a page without an origin', { origin: 'null' }],
    ['from another port of this machine', { origin: 'http://127.0.0.1:8080' }],
    ['that a browser says comes from elsewhere', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
    ['of another port, as a browser says', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
  ])('%s', (_, headers) => {
    expect(ask('/secret-token/', headers)).toMatchObject({ isAdmitted: false, status: 403 });
  });

  it.each(['/', '/secret-token', '/secret-tokem/', '/SECRET-TOKEN/', '//secret-token/', '/x/../secret/'])(
    'at %s, without the token',
    (url) => {
      expect(ask(url)).toMatchObject({ isAdmitted: false, status: 403 });
    },
  );

  it('where it would change something and lacks the header that forms cannot send', () => {
    expect(ask('/secret-token/request?ask=stop', {}, 'POST')).toMatchObject({ isAdmitted: false, status: 403 });
  });

  it.each(['PUT', 'DELETE', 'OPTIONS', 'TRACE'])('by %s', (method) => {
    expect(ask('/secret-token/', {}, method)).toMatchObject({ isAdmitted: false, status: 405 });
  });
});
