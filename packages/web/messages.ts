/**
 * What crosses between a page and its engine's worker: calls of BrowserRun's methods, their results, and events; and what
 * the engine needs the page for, the sandboxes of visitors' rewards.
 */
import * as errors from '../../src/errors.ts';
import { RlvrError } from '../../src/errors.ts';
import type { GeneratedToken, GenerateOptions } from '../models/asked/asked_policy.ts';
import type { BrowserEvent, BrowserRun, OpenedRun, OpenOptions } from './browser_run.ts';
import type { LendingNews, LendOptions } from './lending_messages.ts';
import type { OpenPolicyOptions } from './open_policy_options.ts';
import type { KeepOptions } from './pretrained/keep_options.ts';
import type { KeptModel } from './pretrained/kept_models.ts';
import type { ModelOrigin } from './pretrained/model_origin.ts';
import type { PlanOptions, SketchOptions } from './run_plan.ts';

/** Those that are data. */
type KeptOptions = Omit<KeepOptions, 'onProgress' | 'signal'>;

/** Methods that return a promise. */
export type Method = {
  [Name in keyof BrowserRun]: BrowserRun[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof BrowserRun];

/** What an opened policy is asked. */
export type PolicyMethod = 'generate' | 'chat' | 'close';

export type ToWorker =
  /** Opens a policy to be asked, and no run. */
  | { readonly type: 'open-policy'; readonly call: number; readonly name: string; readonly options: OpenPolicyOptions }
  | {
      readonly type: 'policy';
      readonly call: number;
      readonly method: PolicyMethod;
      /** Prompts, or messages. */
      readonly texts: unknown;
      readonly options: Omit<GenerateOptions, 'onToken'>;
      /** Tokens are sent as they come. */
      readonly isWatched: boolean;
    }
  | { readonly type: 'open'; readonly call: number; readonly options: OpenOptions }
  | { readonly type: 'call'; readonly call: number; readonly method: Method; readonly args: readonly unknown[] }
  /** Samples for a fleet, and opens no run. */
  | { readonly type: 'lend'; readonly options: Required<LendOptions> }
  /** Brings a pretrained model into the browser's file system, and opens no run. */
  | { readonly type: 'keep'; readonly name: string; readonly origin: ModelOrigin; readonly options: KeptOptions }
  | { readonly type: 'stop-keeping' }
  /** Says what a run would take, and opens none. */
  | { readonly type: 'plan'; readonly call: number; readonly options: PlanOptions | SketchOptions }
  /** A sandbox can answer nothing more. */
  | { readonly type: 'sandbox-ended'; readonly sandbox: number; readonly reason: string };

export type FromWorker =
  | { readonly type: 'token'; readonly call: number; readonly token: GeneratedToken }
  | { readonly type: 'opened'; readonly call: number; readonly opened: OpenedRun }
  | { readonly type: 'result'; readonly call: number; readonly result: unknown }
  | { readonly type: 'error'; readonly call: number; readonly error: ErrorRecord }
  | { readonly type: 'event'; readonly event: BrowserEvent }
  | { readonly type: 'lent'; readonly news: LendingNews }
  | { readonly type: 'keeping'; readonly have: number; readonly bytes: number }
  | { readonly type: 'kept'; readonly model: KeptModel }
  | { readonly type: 'not-kept'; readonly error: ErrorRecord }
  /** Asks for a sandbox that answers at the other end of the port, under a number for what follows. */
  | { readonly type: 'start-sandbox'; readonly sandbox: number; readonly port: MessagePort }
  | { readonly type: 'end-sandbox'; readonly sandbox: number };

/** An error as plain data. */
export interface ErrorRecord {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

export function errorRecord(error: unknown): ErrorRecord {
  if (error instanceof RlvrError) return { name: error.name, code: error.code, message: error.message };
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, code: 'internal', message: `${name}: ${message}${stack === undefined ? '' : `\n${stack}`}` };
}

/** The same error on the other side, of the same class. */
export function errorOf({ name, code, message }: ErrorRecord): RlvrError {
  const classes = errors as Readonly<Record<string, typeof RlvrError>>;
  const Class = Object.hasOwn(classes, name) ? classes[name] : RlvrError;
  return new Class(code, message);
}
