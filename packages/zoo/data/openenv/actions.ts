/** How actions and observations of an environment on a server are written as texts, which the policy writes and reads. */
import type { Json } from '../../../../src/options/json.ts';
import type { OpenEnvKnobs } from './card.ts';
import { isMapping, type WireObservation } from './wire.ts';

export type ActionFields = Readonly<Record<string, Json>>;

/** What an observation says to the policy. */
export interface Saying {
  readonly observation: string;
  /** Who says it, where it is a tool. */
  readonly from?: string;
  /** It says that the action broke the rules. */
  readonly illegal?: true;
}

/** An action, or what a text that is none is answered with. */
export type AskedAction = { readonly fields: ActionFields } | { readonly refused: Saying };

export interface Notation {
  /** The actions that a text asks for, in order: one at least. Total. */
  actions(text: string): readonly AskedAction[];
  /** What is between the answers to two of them. */
  readonly joint: string;
  /** What an action that the server itself did not take is answered with. */
  readonly refused: Saying;
  /** Undefined where the observation lacks what is to be read of it. */
  saying(answer: WireObservation): Saying | undefined;
}

/** A text, or a number, as one field of an action; or a JSON object as the whole. */
export function plainNotation(knobs: OpenEnvKnobs): Notation {
  const refused: Saying = { observation: knobs.malformed, illegal: true };
  return {
    refused,
    joint: '',
    actions(text) {
      const fields = actionOf(text, knobs);
      return [fields === undefined ? { refused } : { fields }];
    },
    saying(answer) {
      const observation = observationText(answer, knobs.observation);
      return observation === undefined ? undefined : { observation };
    },
  };
}

/** Undefined where the text is no such action. Total. */
export function actionOf(
  text: string,
  { action, action_type }: Pick<OpenEnvKnobs, 'action' | 'action_type'>,
): ActionFields | undefined {
  switch (action_type) {
    case 'text':
      return { [action]: text };
    case 'integer':
      return /^-?\d{1,15}$/.test(text.trim()) ? { [action]: Number(text) } : undefined;
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text.trim()) ? { [action]: Number(text) } : undefined;
    default:
      return mappingOf(text);
  }
}

function mappingOf(text: string): ActionFields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the policy reads of an observation: a field, or all of them. Undefined where there is no such field. */
export function observationText({ observation }: WireObservation, field: string | undefined): string | undefined {
  if (field === undefined) {
    const { metadata: _, ...all } = observation;
    return JSON.stringify(all);
  }
  const value = observation[field];
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
