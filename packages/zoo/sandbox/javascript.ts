/**
 * Programs in JavaScript, run by QuickJS inside of WebAssembly: the sandbox `javascript`.
 *
 * A program sees the language and nothing else: no clock, no network, no file, no module, no console, and no object of this
 * program. Each run begins from the same bytes of memory, with the random numbers that it is given. What it gives comes out
 * as the text of JSON. Fuel, memory, stack and output are limited; none of the limits knows the time.
 */
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';
import type { Json } from '../../../src/options/json.ts';
import type { SandboxEngine } from '../../../src/sandbox_engine.ts';
import type { SandboxFailed, SandboxFailure, SandboxResult } from './limits.ts';
import type { MeteredInstance } from './metered_instance.ts';
import { loadMetered } from './metered_load.ts';
import { MOST_FUEL } from './metered_module.ts';
import { Failed, runMetered } from './metered_run.ts';
import { loadPeers } from './peer.ts';

const PACKAGES = ['quickjs-emscripten-core@0.32.0', '@jitl/quickjs-singlefile-mjs-release-sync@0.32.0'];

/** Pages of 64 KiB: the minimum that the engine declares, and all that it gets. */
const MEMORY_PAGES = 256;
/** Bytes that a program's values may take. */
const MEMORY_BYTES = 2 * 2 ** 20;
/** Bytes of the engine's stack: some 370 calls of a program within each other. */
const STACK_BYTES = 64 * 2 ** 10;
/** Characters of the longest program. */
export const MOST_CHARACTERS = 10_000;
/** Characters of the longest output. */
const MOST_OUTPUT = 10_000;

/** About five milliseconds: a loop of some 30,000 turns. */
export const DEFAULT_FUEL = 1_000_000;

/**
 * Random numbers of a 32-bit state that the host sets, as Math.random.
 *
 * @see mulberry32, Tommy Ettinger 2017
 */
const PRELUDE = `(() => {
  let state = 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return (seed) => { state = seed; };
})()`;

/** What a program is given besides its text. */
export interface RunOptions {
  /** Units: entries of functions and turns of loops of the engine. From 1 to 2³¹ − 1; default `DEFAULT_FUEL`. */
  readonly fuel?: number;
  /** What its Math.random starts from: a whole number of 32 bits. Default 0. */
  readonly seed?: number;
}

export interface JavaScriptSandbox {
  readonly engine: SandboxEngine;
  /** Calls the function that an expression is, and gives its result as JSON. Synchronous, total, and the same each time. */
  call(expression: string, args: readonly Json[], options?: RunOptions): SandboxResult;
  /** Runs a program; its output is the value of its last statement, as JSON. */
  run(program: string, options?: RunOptions): SandboxResult;
}

/** What a failure is called in a verdict. */
const REASONS: Readonly<Record<SandboxFailure, string>> = {
  syntax: 'no program',
  error: 'it throws',
  fuel: 'it runs out of fuel',
  memory: 'it runs out of memory',
  stack: 'it calls itself too deeply',
  output: 'its result is no value of JSON, or too long',
};

/** Messages of the engine when it runs out; a program that throws the same text fails as well. */
const OUT_OF: Readonly<Record<string, SandboxFailure>> = { 'out of memory': 'memory', 'stack overflow': 'stack' };

class Sandbox implements JavaScriptSandbox {
  readonly engine: SandboxEngine;
  readonly #context: QuickJSContext;
  readonly #instance: MeteredInstance;
  /** Taken before any program ran: what a program puts in their place is not called. */
  readonly #stringify: QuickJSHandle;
  readonly #parse: QuickJSHandle;
  readonly #setSeed: QuickJSHandle;
  /** The tests of a program are one after the other. */
  #looked: { readonly expression: string; readonly unfit: SandboxFailed | undefined } | undefined;

  constructor(context: QuickJSContext, instance: MeteredInstance, engine: SandboxEngine) {
    this.engine = engine;
    this.#context = context;
    this.#instance = instance;
    const json = context.getProp(context.global, 'JSON');
    this.#stringify = context.getProp(json, 'stringify');
    this.#parse = context.getProp(json, 'parse');
    this.#setSeed = context.unwrapResult(context.evalCode(PRELUDE));
    instance.remember();
  }

  call(expression: string, args: readonly Json[], options?: RunOptions): SandboxResult {
    const unfit = this.#unfit(expression);
    if (unfit !== undefined) return unfit;
    return this.#limited(expression, options, () => {
      const value = this.#evaluated(`"use strict";(${expression}\n)`);
      if (this.#context.typeof(value) !== 'function') throw new Failed('syntax');
      const given = args.map((arg) => this.#called(this.#parse, this.#context.newString(JSON.stringify(arg))));
      return this.#called(value, ...given);
    });
  }

  run(program: string, options?: RunOptions): SandboxResult {
    return this.#limited(program, options, () => this.#evaluated(program));
  }

  #limited(text: string, { fuel = DEFAULT_FUEL, seed = 0 }: RunOptions = {}, work: () => QuickJSHandle): SandboxResult {
    const result = runMetered(this.#instance, REASONS, {
      fuel,
      isRefused: text.length > MOST_CHARACTERS,
      prepare: () => void this.#called(this.#setSeed, this.#context.newNumber(seed)),
      work: () => this.#textOf(this.#called(this.#stringify, work())),
    });
    return result.ok ? { ok: true, output: result.value, fuel: result.fuel } : result;
  }

  /**
   * How a text fails that is no expression by itself; undefined where it is one. A text such as `0),(f` would close the
   * parenthesis of `call` and open another, and the brackets of a whole program match: so one that is read in square
   * brackets too, here without being run, leaves both alone.
   */
  #unfit(expression: string): SandboxFailed | undefined {
    if (this.#looked?.expression === expression) return this.#looked.unfit;
    const read = runMetered(this.#instance, REASONS, {
      fuel: MOST_FUEL,
      isRefused: expression.length > MOST_CHARACTERS,
      prepare: () => undefined,
      work: () => this.#evaluated(`"use strict";[${expression}\n]`, true),
    });
    this.#looked = { expression, unfit: read.ok ? undefined : read };
    return this.#looked.unfit;
  }

  #evaluated(code: string, compileOnly = false): QuickJSHandle {
    return this.#valueOf(this.#context.evalCode(code, 'program', { type: 'global', compileOnly }), 'syntax');
  }

  #called(fn: QuickJSHandle, ...args: readonly QuickJSHandle[]): QuickJSHandle {
    return this.#valueOf(this.#context.callFunction(fn, this.#context.undefined, ...args), 'error');
  }

  #valueOf(result: ReturnType<QuickJSContext['evalCode']>, ofSyntaxError: SandboxFailure): QuickJSHandle {
    const { error } = result;
    if (error === undefined) return result.value;
    throw new Failed(this.#failureOf(error, ofSyntaxError));
  }

  /** What was thrown. Reading it may run the program again, by a getter: within the same limits. */
  #failureOf(error: QuickJSHandle, ofSyntaxError: SandboxFailure): SandboxFailure {
    const context = this.#context;
    if (context.typeof(error) !== 'object') return 'error';
    const [name, message] = ['name', 'message'].map((property) => {
      const value = context.getProp(error, property);
      return context.typeof(value) === 'string' && this.#lengthOf(value) < 100 ? context.getString(value) : '';
    }) as [string, string];
    if (name === 'SyntaxError') return ofSyntaxError;
    return name === 'InternalError' && Object.hasOwn(OUT_OF, message) ? OUT_OF[message] : 'error';
  }

  #lengthOf(text: QuickJSHandle): number {
    return this.#context.getNumber(this.#context.getProp(text, 'length'));
  }

  #textOf(value: QuickJSHandle): string {
    if (this.#context.typeof(value) !== 'string' || this.#lengthOf(value) > MOST_OUTPUT) throw new Failed('output');
    return this.#context.getString(value);
  }
}

let opened: Promise<JavaScriptSandbox> | undefined;

/** The sandbox of this thread, made when it is first asked for. @throws ConfigError where its packages are not there */
export function openJavaScript(): Promise<JavaScriptSandbox> {
  opened ??= open();
  return opened;
}

async function open(): Promise<JavaScriptSandbox> {
  const [core, { default: variant }] = await loadPeers('sandbox for JavaScript', PACKAGES, async () => {
    const found = await Promise.all([
      import('quickjs-emscripten-core'),
      import('@jitl/quickjs-singlefile-mjs-release-sync'),
    ]);
    await found[1].default.importModuleLoader(); // a file of its own, which a page may lack
    return found;
  });
  const memory = new WebAssembly.Memory({ initial: MEMORY_PAGES, maximum: MEMORY_PAGES });
  const engine = core.newVariant(variant, { wasmMemory: memory });
  const { value, instance, version } = await loadMetered(memory, () => core.newQuickJSWASMModuleFromVariant(engine));
  const runtime = value.newRuntime({ memoryLimitBytes: MEMORY_BYTES, maxStackSizeBytes: STACK_BYTES });
  const context = runtime.newContext({ intrinsics: { ...core.DefaultIntrinsics, Date: false } });
  return new Sandbox(context, instance, { name: 'javascript', version });
}
