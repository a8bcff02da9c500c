/** Cards of tasks whose knobs are declared in the card itself, by the names that the YAML gives them. */
import type { ListedCard } from '../../../src/data/task.ts';
import { type Key, options, type Values } from '../../../src/options/keys.ts';
import type { Schema } from '../../../src/options/option_schema.ts';

type Schemas = Readonly<Record<string, Schema<unknown>>>;
type KeysOf<S extends Schemas> = { [N in keyof S]: Key<S[N]['_output']> };
type Card<S extends Schemas> = ListedCard<Values<KeysOf<S>>>;

/** The values of a card's knobs. */
export type KnobsOf<C extends { readonly knobs: Readonly<Record<string, Key>> }> = Values<C['knobs']>;

/** A card from its parts; `knobs` are the schemas of its options. */
export function taskCard<S extends Schemas>(
  card: Omit<Card<S>, 'knobs'> & { readonly knobs: S },
): Omit<Card<S>, 'knobs'> & { readonly knobs: KeysOf<S> } {
  return { ...card, knobs: options(card.knobs) };
}
