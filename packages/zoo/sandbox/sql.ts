/**
 * Queries in SQL, run by SQLite inside of WebAssembly: the sandbox `sql`.
 *
 * A query is one SELECT or WITH over the tables that it is given. SQLite asks for leave of each table, column and function
 * that it names (sqlite3_set_authorizer); what writes, attaches, sets, or knows time or chance is refused. Each query begins
 * from the same bytes of memory, with a database of its own, and takes fuel for all that the engine does for it.
 */
import type { SandboxEngine } from '../../../src/sandbox_engine.ts';
import type { SandboxFailed, SandboxFailure } from './limits.ts';
import type { MeteredInstance } from './metered_instance.ts';
import { loadMetered } from './metered_load.ts';
import { Failed, runMetered } from './metered_run.ts';
import { loadPeers } from './peer.ts';

const PACKAGES = ['@sqlite.org/sqlite-wasm@3.54.1-build1'];

/** Pages of 64 KiB. */
const MEMORY_PAGES = 256;
/** Characters of the longest query. */
const MOST_CHARACTERS = 2000;
/** Bytes of the largest text or blob. */
const MOST_BYTES = 10_000;
const MOST_ROWS = 1000;
const MOST_COLUMNS = 20;

/** About five milliseconds. */
export const DEFAULT_SQL_FUEL = 1_000_000;

/** A value of a result. Whole numbers beyond those that a double holds are texts. */
export type SqlValue = number | string | null;

/** What became of a query, and the fuel that it took. */
export type SqlResult =
  | { readonly ok: true; readonly rows: readonly (readonly SqlValue[])[]; readonly fuel: number }
  | SandboxFailed;

export interface SqlSandbox {
  readonly engine: SandboxEngine;
  /**
   * The rows of a query. Synchronous, total, and the same each time.
   *
   * @param setup  statements that make its tables, which are trusted
   * @param fuel   units: entries of functions and turns of loops of the engine
   */
  query(setup: string, text: string, fuel?: number): SqlResult;
}

/** Functions that know neither time nor chance, and change nothing. */
const FUNCTIONS = new Set(
  'abs avg coalesce count glob group_concat ifnull iif instr length like lower ltrim max min nullif replace round rtrim substr substring sum total trim upper'.split(
    ' ',
  ),
);

/** The part of the package that is used, by the names that SQLite gives it. */
interface Capi {
  readonly SQLITE_OK: number;
  readonly SQLITE_DENY: number;
  readonly SQLITE_ROW: number;
  readonly SQLITE_DONE: number;
  readonly SQLITE_NOMEM: number;
  readonly SQLITE_SELECT: number;
  readonly SQLITE_READ: number;
  readonly SQLITE_FUNCTION: number;
  readonly SQLITE_RECURSIVE: number;
  readonly SQLITE_LIMIT_LENGTH: number;
  readonly SQLITE_LIMIT_ATTACHED: number;
  readonly SQLITE_LIMIT_COLUMN: number;
  readonly SQLITE_INTEGER: number;
  readonly SQLITE_FLOAT: number;
  readonly SQLITE_TEXT: number;
  readonly SQLITE_NULL: number;
  sqlite3_limit(db: number, id: number, value: number): number;
  sqlite3_set_authorizer(db: number, asked: Authorizer, data: number): number;
  sqlite3_prepare_v2(db: number, sql: number, bytes: number, statement: number, tail: number): number;
  sqlite3_step(statement: number): number;
  sqlite3_column_count(statement: number): number;
  sqlite3_column_type(statement: number, column: number): number;
  sqlite3_column_text(statement: number, column: number): string;
  sqlite3_column_double(statement: number, column: number): number;
  sqlite3_stmt_readonly(statement: number): number;
  sqlite3_errmsg(db: number): string;
}
type Authorizer = (data: number, action: number, one: string | 0, two: string | 0) => number;

interface Sqlite {
  readonly capi: Capi;
  readonly wasm: {
    alloc(bytes: number): number;
    allocCString(text: string): number;
    peekPtr(pointer: number): number;
    pokePtr(pointer: number, value: number): void;
    cstrToJs(pointer: number): string;
  };
  readonly oo1: { readonly DB: new (name: string) => { readonly pointer: number; exec(sql: string): unknown } };
}

const REASONS: Readonly<Record<SandboxFailure, string>> = {
  syntax: 'no query, or one of what is not there',
  error: 'not a SELECT of the tables that it is given',
  fuel: 'it runs out of fuel',
  memory: 'it runs out of memory',
  stack: 'it is too deep',
  output: 'its result is too large, or no table of texts and numbers',
};

class Sandbox implements SqlSandbox {
  readonly engine: SandboxEngine;
  readonly #sqlite: Sqlite;
  readonly #database: { readonly pointer: number; exec(sql: string): unknown };
  readonly #instance: MeteredInstance;
  /** Whether leave is asked for: not by the statements that make the tables. */
  #isGuarded = false;
  #isRefused = false;

  constructor(sqlite: Sqlite, instance: MeteredInstance, engine: SandboxEngine) {
    this.engine = engine;
    this.#sqlite = sqlite;
    this.#instance = instance;
    this.#database = new sqlite.oo1.DB(':memory:');
    const { capi } = sqlite;
    const { pointer } = this.#database;
    capi.sqlite3_limit(pointer, capi.SQLITE_LIMIT_LENGTH, MOST_BYTES);
    capi.sqlite3_limit(pointer, capi.SQLITE_LIMIT_ATTACHED, 0);
    capi.sqlite3_limit(pointer, capi.SQLITE_LIMIT_COLUMN, 100);
    capi.sqlite3_set_authorizer(pointer, (_data, action, one, two) => this.#leave(action, one, two), 0);
    instance.remember();
  }

  #leave(action: number, one: string | 0, two: string | 0): number {
    const { capi } = this.#sqlite;
    if (!this.#isGuarded) return capi.SQLITE_OK;
    const isAllowed =
      action === capi.SQLITE_SELECT ||
      action === capi.SQLITE_RECURSIVE ||
      (action === capi.SQLITE_READ && !/^(?:sqlite_|pragma_)/i.test(String(one))) ||
      (action === capi.SQLITE_FUNCTION && FUNCTIONS.has(String(two).toLowerCase()));
    if (isAllowed) return capi.SQLITE_OK;
    this.#isRefused = true;
    return capi.SQLITE_DENY;
  }

  query(setup: string, text: string, fuel = DEFAULT_SQL_FUEL): SqlResult {
    const result = runMetered(this.#instance, REASONS, {
      fuel,
      isRefused: text.length > MOST_CHARACTERS || text.includes('\0'),
      prepare: () => {
        this.#isGuarded = false;
        this.#isRefused = false;
        this.#database.exec(setup);
        this.#isGuarded = true;
      },
      work: () => this.#rows(text),
    });
    return result.ok ? { ok: true, rows: result.value, fuel: result.fuel } : result;
  }

  #rows(text: string): SqlValue[][] {
    const { capi, wasm } = this.#sqlite;
    const { pointer } = this.#database;
    const places = wasm.alloc(16);
    for (const place of [places, places + 8]) wasm.pokePtr(place, 0);
    this.#check(capi.sqlite3_prepare_v2(pointer, wasm.allocCString(text), -1, places, places + 8), 'syntax');
    const statement = wasm.peekPtr(places);
    if (statement === 0 || !/^[\s;]*$/.test(wasm.cstrToJs(wasm.peekPtr(places + 8)))) throw new Failed('syntax');
    if (!/^\s*(?:select|with)\b/i.test(text) || capi.sqlite3_stmt_readonly(statement) === 0) throw new Failed('error');
    const columns = capi.sqlite3_column_count(statement);
    if (columns > MOST_COLUMNS) throw new Failed('output');
    const rows: SqlValue[][] = [];
    for (;;) {
      const code = capi.sqlite3_step(statement);
      if (code === capi.SQLITE_DONE) return rows;
      if (code !== capi.SQLITE_ROW) this.#check(code, 'error');
      if (rows.length === MOST_ROWS) throw new Failed('output');
      rows.push(Array.from({ length: columns }, (_, column) => this.#value(statement, column)));
    }
  }

  #value(statement: number, column: number): SqlValue {
    const { capi } = this.#sqlite;
    switch (capi.sqlite3_column_type(statement, column)) {
      case capi.SQLITE_NULL:
        return null;
      case capi.SQLITE_FLOAT:
        return capi.sqlite3_column_double(statement, column);
      case capi.SQLITE_TEXT:
        return capi.sqlite3_column_text(statement, column);
      case capi.SQLITE_INTEGER: {
        const digits = capi.sqlite3_column_text(statement, column);
        return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
      }
      default:
        throw new Failed('output');
    }
  }

  #check(code: number, otherwise: SandboxFailure): void {
    const { capi } = this.#sqlite;
    if (code === capi.SQLITE_OK) return;
    if (this.#isRefused) throw new Failed('error');
    throw new Failed(code === capi.SQLITE_NOMEM ? 'memory' : otherwise);
  }
}

let opened: Promise<SqlSandbox> | undefined;

/** The sandbox of this thread, made when it is first asked for. @throws ConfigError where its package is not there */
export function openSql(): Promise<SqlSandbox> {
  opened ??= open();
  return opened;
}

async function open(): Promise<SqlSandbox> {
  const { default: init } = await loadPeers('sandbox for SQL', PACKAGES, () => import('@sqlite.org/sqlite-wasm'));
  const memory = new WebAssembly.Memory({ initial: MEMORY_PAGES, maximum: MEMORY_PAGES });
  const quiet = (): void => undefined;
  const given = { wasmMemory: memory, print: quiet, printErr: quiet };
  // The package's types know neither of its options.
  const start = init as unknown as (options: typeof given) => Promise<Sqlite>;
  const { value, instance, version } = await loadMetered(memory, () => start(given));
  return new Sandbox(value, instance, { name: 'sql', version });
}
