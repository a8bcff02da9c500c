/** A form in which the policy writes its turns, in all of a run: supervised stages show it, evaluations read it. */
import type { TurnForm } from '../../../../src/data/prompts/turn_forms.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';

/** The form, and room for turns that are longer by it. */
export function turnForm(form: TurnForm): Use {
  return {
    id: `turn-form:${form.id}`,
    says: 'room for turns that say more than one action',
    implies: [severalTurns],
    turnForm: form,
  };
}
