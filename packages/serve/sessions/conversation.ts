/**
 * The messages of an episode, as its program must send them: those that it began with, and after each answer of the policy
 * that answer as it was told and what is new. Nothing is read twice, so what the policy has sampled stays as it is.
 */
import type { JsonObject } from '../../../src/run/json.ts';
import type { Message } from '../../../src/text/codec.ts';
import { ApiError } from '../api_error.ts';

/** Most characters of a message that an error shows. */
const SHOWN = 60;

export class Conversation {
  /** All so far, the policy's answers among them. */
  readonly #said: Message[];
  /** [turns that were asked for] messages before each. */
  readonly #ends: number[] = [];

  constructor(prompt: readonly Message[]) {
    this.#said = [...prompt];
  }

  /** Turns that were asked for. */
  get asked(): number {
    return this.#ends.length;
  }

  /**
   * The turn that a call asks for, from 0, and what is new before it: nothing in a call that was made before.
   *
   * @throws ApiError 409 where it is none of this conversation
   */
  place(messages: readonly Message[]): { readonly turn: number; readonly added: readonly Message[] } {
    const both = Math.min(messages.length, this.#said.length);
    for (let i = 0; i < both; i++) {
      const [now, then] = [written(messages[i]), written(this.#said[i])];
      if (now !== then) throw differs(`messages[${i}]: ${shown(now)} — the episode has ${shown(then)} there`);
    }
    if (messages.length <= this.#said.length) {
      const asked = this.#ends.indexOf(messages.length);
      if (asked >= 0) return { turn: asked, added: [] };
      if (this.#ends.length === 0 && messages.length === this.#said.length) return { turn: 0, added: [] };
      throw differs(
        `messages: ${messages.length} — the episode has ${this.#said.length} so far, and no turn after these`,
      );
    }
    const added = messages.slice(this.#said.length);
    const turn = this.#ends.length;
    if (this.#said.at(-1)?.role !== 'assistant' || turn === 0) {
      throw differs(
        `messages: ${messages.length} — the episode begins with ${this.#said.length}, and then the policy answers`,
      );
    }
    const [{ role }] = added;
    if (added.some((one) => one.role !== role || !['user', 'tool'].includes(one.role))) {
      const roles = added.map((one) => one.role).join(', ');
      throw differs(
        `messages[${this.#said.length}]: ${roles} — an answer is followed by messages of user, or by those of tool`,
      );
    }
    return { turn, added };
  }

  /** A turn is asked for. @param added  as `place` says */
  ask(added: readonly Message[]): void {
    this.#said.push(...added);
    this.#ends.push(this.#said.length);
  }

  /** The policy's answer to the newest turn, as it is told. */
  answer({ content, tool_calls: calls }: JsonObject): void {
    if (this.#said.length > (this.#ends.at(-1) ?? 0)) return; // told before
    const message = { role: 'assistant' as const, content: typeof content === 'string' ? content : '' };
    this.#said.push(calls === undefined ? message : { ...message, fields: { tool_calls: calls } });
  }
}

function differs(what: string): ApiError {
  const remedy =
    'send the messages of before, the answer as it was given, and new ones; other calls need a session of their own';
  return new ApiError(409, 'other_conversation', `${what}; ${remedy}.`, 'messages');
}

/** All of a message that counts: who speaks, the text, and the calls. */
function written({ role, content, fields }: Message): string {
  const calls = fields?.tool_calls;
  if (!Array.isArray(calls)) return JSON.stringify({ role, content });
  const told = calls.map(({ id, function: called }) => ({ id, name: called?.name, arguments: called?.arguments }));
  return JSON.stringify({ role, content, tool_calls: told });
}

function shown(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
