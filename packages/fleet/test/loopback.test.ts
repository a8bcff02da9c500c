import { expect, it } from 'vitest';
import { isLoopback } from '../nats/loopback.ts';

it.each(['localhost', '127.0.0.1', '127.8.0.9', '::1', '[::1]'])('%s is this machine', (host) =>
  expect(isLoopback(host)).toBe(true),
);

it.each(['127.example.org', 'localhost.example.org', '10.0.0.1', '[::2]', '1270.0.0.1', ''])('%j is another', (host) =>
  expect(isLoopback(host)).toBe(false),
);
