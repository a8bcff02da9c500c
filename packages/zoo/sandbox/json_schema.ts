/** JSON schemas of draft 2020-12, checked by @cfworker/json-schema: it fetches nothing and makes no code. */
import type { Json } from '../../../src/options/json.ts';
import type { SandboxEngine } from '../../../src/sandbox_engine.ts';
import { loadPeers } from './peer.ts';

const VERSION = '4.1.6';
const PACKAGES = [`@cfworker/json-schema@${VERSION}`];

export interface SchemaChecker {
  readonly engine: SandboxEngine;
  /** The place of a value that does not fit, as `#/a/0`; undefined where all of it fits. */
  misfit(schema: Json, value: Json): string | undefined;
}

let opened: Promise<SchemaChecker> | undefined;

/** The checker of this thread, made when it is first asked for. @throws ConfigError where its package is not there */
export function openSchemaChecker(): Promise<SchemaChecker> {
  opened ??= open();
  return opened;
}

async function open(): Promise<SchemaChecker> {
  const { Validator } = await loadPeers('checker of JSON schemas', PACKAGES, () => import('@cfworker/json-schema'));
  return {
    engine: { name: 'json-schema', version: VERSION },
    misfit(schema, value) {
      const { valid, errors } = new Validator(schema as object, '2020-12').validate(value);
      return valid ? undefined : (errors.at(-1)?.instanceLocation ?? '#');
    },
  };
}
