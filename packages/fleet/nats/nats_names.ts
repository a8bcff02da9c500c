/** What a fleet is called on a NATS server: two streams, and subjects below `rlvr.`. Permissions are given by these. */
import { sha256Hex } from '../../../src/run/fingerprint/sha256.ts';

/** Tasks, until their result is taken. */
export const TASKS = 'RLVR_TASKS';
/** The newest weights of each run, in parts. */
export const WEIGHTS = 'RLVR_WEIGHTS';

export const TASKS_SUBJECT = 'rlvr.task';
export const WEIGHTS_SUBJECT = 'rlvr.weights';
/** Cards of runs, from learners to all. */
export const CARDS_SUBJECT = 'rlvr.card';
/** From workers to the learner of a run. */
export const INBOX_SUBJECT = 'rlvr.to';
/** Asked by a learner whether another one has its run. */
export const CLAIMS_SUBJECT = 'rlvr.learner';

/** visitor: a worker that nobody vouches for. */
export type Role = 'learner' | 'worker' | 'visitor';

/** Digits by which a worker's own subject is called. */
const OWN_DIGITS = 32;

/**
 * Where tasks of a run come that are for one worker alone. Others of its role may read there, so that its id, which answers
 * are known by, is hashed.
 */
export async function ownSubject(role: Role, worker: string, run: string): Promise<string> {
  const hash = await sha256Hex(new TextEncoder().encode(worker));
  return `${inboxPrefix(role)}.own.${hash.slice(0, OWN_DIGITS)}.${run}`;
}

/** Whether a request failed because nobody listens to its subject. */
export function isNobody(error: unknown): boolean {
  const { message = '' } = error as Partial<Error>;
  return message.startsWith('no responders');
}

/** Where replies to a user of this role go: no other role may read there. */
export function inboxPrefix(role: Role): string {
  return `_INBOX_${role}`;
}
