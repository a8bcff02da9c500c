/**
 * A WebAssembly module that counts what it does. Each entry of a function and each turn of a loop takes a unit of fuel, and
 * each 64 bytes of a bulk copy another; where none is left, the module traps. It traps too where its functions are deeper
 * within each other than it may go: the host's stack is of another depth in each engine, and as soon as code gets compiled
 * better. So limits hold for all that runs in it, the engine's own loops included, and where they are reached does not
 * depend on the host.
 *
 * The module is read as WebAssembly 1.0 with sign extension, bulk memory and reference types.
 */

/** What the counting module exports besides: fuel left, an i32, below 0 after a trap for want of it. */
export const FUEL = 'fuel';
/** What it exports too: how deep its functions are within each other, an i32. */
export const DEPTH = 'depth';
/** The deepest that they may be: about half of what Node's main thread holds of the largest frames. */
export const MOST_DEPTH = 2000;
/** Prefix of the exported names of the mutable globals that the module had before, by index. */
export const GLOBAL = 'global ';

/** The most fuel that the meter holds. */
export const MOST_FUEL = 2 ** 31 - 1;
/** It, as a signed LEB128. */
const MOST_FUEL_NUMBER = [0xff, 0xff, 0xff, 0xff, 0x07];

/** Bytes of a bulk copy that take a unit of fuel, as a power of two. */
const BULK_SHIFT = 6;

const SECTION = { type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 } as const;
const I32 = 0x7f;
const EMPTY_BLOCK = 0x40;
/** A LEB128 of at most 32 bits, where the value is signed and positive. */
const MOST_DEPTH_NUMBER = [(MOST_DEPTH & 0x7f) | 0x80, MOST_DEPTH >> 7];
// biome-ignore format: a table
const OP = {
  unreachable: 0x00, block: 0x02, loop: 0x03, if: 0x04, end: 0x0b, br: 0x0c, brIf: 0x0d, brTable: 0x0e, return: 0x0f,
  call: 0x10, callIndirect: 0x11, selectTyped: 0x1c, localGet: 0x20, localTee: 0x22, globalGet: 0x23, globalSet: 0x24,
  tableSet: 0x26, firstAccess: 0x28, lastAccess: 0x3e, memorySize: 0x3f, memoryGrow: 0x40, i32Const: 0x41,
  i64Const: 0x42, f32Const: 0x43, f64Const: 0x44, firstNumeric: 0x45, i32Lt: 0x48, i32Gt: 0x4a, i32Add: 0x6a,
  i32Sub: 0x6b, i32ShrUnsigned: 0x76,
  lastNumeric: 0xc4, refNull: 0xd0, refIsNull: 0xd1, refFunc: 0xd2, prefixed: 0xfc,
} as const;
const PREFIXED = { memoryInit: 8, dataDrop: 9, memoryCopy: 10, memoryFill: 11, tableInit: 12, tableCopy: 14 } as const;

/** Reads a module byte by byte. */
class Reader {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new RangeError('a WebAssembly module ends too soon');
    return byte;
  }

  /** An unsigned LEB128 of at most 32 bits. */
  unsigned(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number of a WebAssembly module is too long');
  }

  /** Passes over a LEB128 of any width. */
  skipNumber(): void {
    while (this.byte() >= 0x80);
  }

  skipName(): void {
    const length = this.unsigned();
    this.at += length;
  }
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  do {
    const low = left % 128;
    left = Math.floor(left / 128);
    bytes.push(left > 0 ? low + 128 : low);
  } while (left > 0);
  return bytes;
}

/** Bytes that grow. */
class Writer {
  #bytes = new Uint8Array(1 << 16);
  length = 0;

  push(bytes: ArrayLike<number>): void {
    const end = this.length + bytes.length;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(2 * end);
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.length);
    this.length = end;
  }

  section(id: number, content: Uint8Array): void {
    this.push([id, ...unsigned(content.length)]);
    this.push(content);
  }

  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.length);
  }
}

interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

function sectionsOf(bytes: Uint8Array): Section[] {
  const sections: Section[] = [];
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const id = reader.byte();
    const length = reader.unsigned();
    sections.push({ id, content: bytes.subarray(reader.at, reader.at + length) });
    reader.at += length;
  }
  return sections;
}

/** Passes over the limits of a table or memory. */
function skipLimits(reader: Reader): void {
  const hasMaximum = reader.byte() & 1;
  reader.skipNumber();
  if (hasMaximum) reader.skipNumber();
}

interface Signature {
  /** How many. */
  readonly parameters: number;
  /** Type of a block with its results. */
  readonly block: number;
}

function signatures(content: Uint8Array): Signature[] {
  const reader = new Reader(content);
  return Array.from({ length: reader.unsigned() }, () => {
    if (reader.byte() !== 0x60) throw new RangeError('a type of a WebAssembly module is no function');
    const parameters = reader.unsigned();
    reader.at += parameters;
    const results = reader.unsigned();
    if (results > 1) throw new RangeError('a function of a WebAssembly module has several results');
    return { parameters, block: results === 0 ? EMPTY_BLOCK : reader.byte() };
  });
}

/** How many globals are imported. */
function importedGlobals(content: Uint8Array): number {
  const reader = new Reader(content);
  let globals = 0;
  for (let left = reader.unsigned(); left > 0; left--) {
    reader.skipName();
    reader.skipName();
    const kind = reader.byte();
    if (kind === 0) reader.skipNumber();
    else if (kind === 1) {
      reader.byte();
      skipLimits(reader);
    } else if (kind === 2) skipLimits(reader);
    else if (kind === 3) {
      globals++;
      reader.at += 2;
    } else throw new RangeError(`an import of a WebAssembly module is of the kind ${kind}`);
  }
  return globals;
}

/** A vector of a module with entries after those that it has. */
function appended(content: Uint8Array, entries: readonly (readonly number[])[]): Uint8Array {
  const reader = new Reader(content);
  const count = reader.unsigned();
  const writer = new Writer();
  writer.push(unsigned(count + entries.length));
  writer.push(content.subarray(reader.at));
  for (const entry of entries) writer.push(entry);
  return writer.done();
}

/** Passes over an instruction whose opcode was read; gives whether it is a bulk copy or fill, where the meter goes in front. */
function skipImmediates(opcode: number, reader: Reader): boolean {
  switch (opcode) {
    case OP.block:
    case OP.loop:
    case OP.if:
    case OP.br:
    case OP.brIf:
    case OP.call:
    case OP.i32Const:
    case OP.i64Const:
    case OP.refNull:
    case OP.refFunc:
    case OP.memorySize:
    case OP.memoryGrow:
      reader.skipNumber();
      return false;
    case OP.callIndirect:
      reader.skipNumber();
      reader.skipNumber();
      return false;
    case OP.brTable:
      for (let left = reader.unsigned() + 1; left > 0; left--) reader.skipNumber();
      return false;
    case OP.selectTyped:
      for (let left = reader.unsigned(); left > 0; left--) reader.byte();
      return false;
    case OP.f32Const:
      reader.at += 4;
      return false;
    case OP.f64Const:
      reader.at += 8;
      return false;
    case OP.prefixed: {
      const second = reader.unsigned();
      if (second < PREFIXED.memoryInit) return false; // conversions that saturate
      const isShort = second === PREFIXED.memoryFill || second === PREFIXED.dataDrop || second > PREFIXED.tableCopy;
      reader.skipNumber();
      if (!isShort && second !== PREFIXED.tableInit + 1) reader.skipNumber();
      return second === PREFIXED.memoryCopy || second === PREFIXED.memoryFill;
    }
  }
  if (opcode >= OP.localGet && opcode <= OP.tableSet) reader.skipNumber();
  else if (opcode >= OP.firstAccess && opcode <= OP.lastAccess) {
    reader.skipNumber();
    reader.skipNumber();
  } else {
    const hasNone =
      opcode <= 0x01 ||
      opcode === 0x05 ||
      opcode === OP.end ||
      opcode === OP.return ||
      opcode === 0x1a ||
      opcode === 0x1b ||
      opcode === OP.refIsNull ||
      (opcode >= OP.firstNumeric && opcode <= OP.lastNumeric);
    if (!hasNone) throw new RangeError(`a WebAssembly module has the instruction 0x${opcode.toString(16)}`);
  }
  return false;
}

/** Indices of what the meter keeps, as LEB128. */
interface Counters {
  readonly fuel: readonly number[];
  readonly depth: readonly number[];
}

const trapIf = (condition: readonly number[]): number[] => [...condition, OP.if, EMPTY_BLOCK, OP.unreachable, OP.end];

/** A global changed by one. */
const step = (global: readonly number[], operation: number): number[] => [
  ...[OP.globalGet, ...global, OP.i32Const, 1, operation],
  ...[OP.globalSet, ...global],
];

/**
 * The body of a function with the meter in it: what it was becomes a block of its own, so that all its ways out lead to where
 * the depth is counted back.
 */
function meteredBody(body: Uint8Array, { parameters, block }: Signature, { fuel, depth }: Counters): Uint8Array {
  const takeFuel = [...step(fuel, OP.i32Sub), ...trapIf([OP.globalGet, ...fuel, OP.i32Const, 0, OP.i32Lt])];
  const goDown = [
    ...step(depth, OP.i32Add),
    ...trapIf([OP.globalGet, ...depth, OP.i32Const, ...MOST_DEPTH_NUMBER, OP.i32Gt]),
  ];
  const reader = new Reader(body);
  const groups = reader.unsigned();
  const firstGroup = reader.at;
  let locals = parameters;
  for (let group = 0; group < groups; group++) {
    locals += reader.unsigned();
    reader.byte();
  }
  const scratch = unsigned(locals);
  const amount = [OP.localGet, ...scratch, OP.i32Const, BULK_SHIFT, OP.i32ShrUnsigned];
  const takeBulk = [OP.localTee, ...scratch, OP.globalGet, ...fuel, ...amount, OP.i32Sub, OP.globalSet, ...fuel];
  const writer = new Writer();
  writer.push(unsigned(groups + 1));
  writer.push(body.subarray(firstGroup, reader.at));
  writer.push([1, I32, ...goDown, ...takeFuel, OP.block, block]);
  let copied = reader.at;
  /** All up to `place`, then these. */
  const insert = (bytes: readonly number[], place: number): void => {
    writer.push(body.subarray(copied, place));
    writer.push(bytes);
    copied = place;
  };
  for (let nesting = 0; reader.at < body.length; ) {
    const start = reader.at;
    const opcode = reader.byte();
    const isBulk = skipImmediates(opcode, reader);
    if (opcode === OP.block || opcode === OP.loop || opcode === OP.if) nesting++;
    if (opcode === OP.end) nesting--;
    if (opcode === OP.loop) insert(takeFuel, reader.at);
    if (isBulk) insert(takeBulk, start);
    if (opcode === OP.return) {
      insert([OP.br, ...unsigned(nesting)], start);
      copied = reader.at;
    }
  }
  writer.push(body.subarray(copied));
  writer.push([...step(depth, OP.i32Sub), OP.end]);
  return writer.done();
}

function meteredCode(code: Uint8Array, signatureOf: (index: number) => Signature, counters: Counters): Uint8Array {
  const reader = new Reader(code);
  const count = reader.unsigned();
  const writer = new Writer();
  writer.push(unsigned(count));
  for (let index = 0; index < count; index++) {
    const length = reader.unsigned();
    const body = meteredBody(code.subarray(reader.at, reader.at + length), signatureOf(index), counters);
    writer.push(unsigned(body.length));
    writer.push(body);
    reader.at += length;
  }
  return writer.done();
}

/** Indices of the globals of a module's own that change, `first` being that of the first one, and how many it has. */
function mutableGlobals(content: Uint8Array, first: number): { readonly mutable: number[]; readonly count: number } {
  const reader = new Reader(content);
  const count = reader.unsigned();
  const mutable: number[] = [];
  for (let index = 0; index < count; index++) {
    reader.byte();
    if (reader.byte() === 1) mutable.push(first + index);
    for (;;) {
      const opcode = reader.byte();
      if (opcode === OP.end) break;
      skipImmediates(opcode, reader);
    }
  }
  return { mutable, count };
}

function globalExport(name: string, index: number): number[] {
  const letters = [...name].map((letter) => letter.charCodeAt(0));
  return [...unsigned(letters.length), ...letters, 3, ...unsigned(index)];
}

/**
 * The module with a meter. It has `MOST_FUEL` at first, for what it does when it is instantiated.
 *
 * @throws RangeError where it uses more of WebAssembly than is read here
 */
export function meteredModule(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = sectionsOf(bytes);
  const contentOf = (id: number): Uint8Array => {
    const found = sections.find((section) => section.id === id);
    if (found === undefined) throw new RangeError(`a WebAssembly module has no section ${id}`);
    return found.content;
  };
  const known = signatures(contentOf(SECTION.type));
  const types = new Reader(contentOf(SECTION.function));
  const typeOf = Array.from({ length: types.unsigned() }, () => types.unsigned());
  const imported = importedGlobals(contentOf(SECTION.import));
  const { mutable, count } = mutableGlobals(contentOf(SECTION.global), imported);
  const fuel = imported + count;
  const depth = fuel + 1;
  const counters = { fuel: unsigned(fuel), depth: unsigned(depth) };
  const exports = [
    globalExport(FUEL, fuel),
    globalExport(DEPTH, depth),
    ...mutable.map((index) => globalExport(`${GLOBAL}${index}`, index)),
  ];
  const globals = [
    [I32, 1, OP.i32Const, ...MOST_FUEL_NUMBER, OP.end],
    [I32, 1, OP.i32Const, 0, OP.end],
  ];
  const signatureOf = (index: number): Signature => known[typeOf[index] as number] as Signature;
  const changed: Readonly<Record<number, () => Uint8Array>> = {
    [SECTION.global]: () => appended(contentOf(SECTION.global), globals),
    [SECTION.export]: () => appended(contentOf(SECTION.export), exports),
    [SECTION.code]: () => meteredCode(contentOf(SECTION.code), signatureOf, counters),
  };
  const writer = new Writer();
  writer.push(bytes.subarray(0, 8));
  for (const { id, content } of sections) writer.section(id, changed[id]?.() ?? content);
  return writer.done();
}
