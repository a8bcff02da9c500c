/** Reads the bodies of requests, and answers them with JSON. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RlvrError } from '../../src/errors.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../src/run/json.ts';
import { ApiError } from './api_error.ts';

/** Longest body that is read, in bytes. */
const MOST_BYTES = 8 * 2 ** 20;

/** @throws ApiError where it is no JSON object, or too long */
export async function sentObject(request: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new ApiError(413, 'too_large', `the body has more than ${MOST_BYTES} bytes.`);
    pieces.push(piece);
  }
  const object = parseJsonObject(Buffer.concat(pieces));
  if (object === undefined) throw new ApiError(400, 'no_json', 'the body is no JSON object.');
  return object;
}

export function send(response: ServerResponse, status: number, value: JsonValue): void {
  if (response.writableEnded || response.destroyed) return;
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

/** Says why there is no answer; an answer that has begun is broken off. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const refusal = error instanceof ApiError ? error : refusalOf(error);
  send(response, refusal.status, refusal.toJSON());
}

function refusalOf(error: unknown): ApiError {
  if (RlvrError.is(error)) return new ApiError(400, error.code, error.message);
  return new ApiError(500, 'error', error instanceof Error ? error.message : String(error));
}
