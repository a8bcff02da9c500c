/** What the policy writes as an action of an OpenEnv environment, and what the environment says as a text. */
import type { Json } from '../../options/json.ts';
import type { OpenEnvKnobs } from './card.ts';
import { isMapping, type WireObservation } from './wire.ts';

/** The action that a text is; undefined where it is none. Total. */
export function actionOf(
  text: string,
  { action, action_type }: Pick<OpenEnvKnobs, 'action' | 'action_type'>,
): Readonly<Record<string, Json>> | undefined {
  switch (action_type) {
    case 'text':
      return { [action]: text };
    case 'integer':
      return /^-?\d{1,15}$/.test(text.trim()) ? { [action]: Number(text) } : undefined;
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text.trim()) && Number.isFinite(Number(text))
        ? { [action]: Number(text) }
        : undefined;
    case 'json':
      return mappingOf(text);
  }
}

function mappingOf(text: string): Readonly<Record<string, Json>> | undefined {
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
