/**
 * Edit a record until it is as it should be, then submit it.
 *
 *   prompt      a1b0c4d2 a1b3c4d5>    the record as it is, and as it should be
 *   action      b3                    sets a field; ! submits the record
 *   observation a1b3c4d2              the record after it; ? where that was no field and value
 *   won         submitted with every field right; lost submitted otherwise, or after `fields` + 2 actions
 *   split       by hash of both records
 *
 * `potential` counts the fields that are right, and the submission as one more. A field that is right is a milestone.
 */
import { correct, environmentTask, LETTERS, wrongValue } from '../../kit.ts';
import { type FormStateKnobs, formStateCard } from './card.ts';

/** Digits, the first of field a. */
export type FormStateItem = { readonly record: string; readonly goal: string };

const SUBMIT = '!';

/** A record with the names of its fields. */
function written(record: string): string {
  return record
    .split('')
    .map((value, field) => LETTERS[field] + value)
    .join('');
}

function withField(record: string, field: number, value: string, resets: boolean): string {
  const values = record.split('');
  values[field] = value;
  if (resets && field + 1 < values.length) values[field + 1] = '0';
  return values.join('');
}

const rightFields = ({ record, goal }: FormStateItem): number =>
  record.split('').filter((value, field) => value === goal[field]).length;

export const formState = environmentTask<FormStateItem, FormStateItem, FormStateKnobs>(formStateCard, {
  characters: `${LETTERS.slice(0, 10)}0123456789 >!?`,
  generate(rng, { fields, values, changes }) {
    const goal = Array.from({ length: fields }, () => rng.int(0, values - 1));
    const changed = new Set(rng.shuffle(goal.map((_, field) => field)).slice(0, changes));
    const record = goal.map((value, field) => (changed.has(field) ? (value + rng.int(1, values - 1)) % values : value));
    return { record: record.join(''), goal: goal.join('') };
  },
  key: ({ record, goal }) => `form_state|${record}|${goal}`,
  prompt: ({ record, goal }) => `${written(record)} ${written(goal)}>`,
  question: ({ record, goal }, { resets }) =>
    `The fields of a form are ${written(record)}; they should be ${written(goal)}. Write a field and its new value, ` +
    `such as a0, to set one field, and I show the form. ${resets ? 'That also sets the next field to 0. ' : ''}` +
    `Write ${SUBMIT} to submit the form when all is right.`,
  start: (item) => item,
  step(state, action, { fields, values, resets }) {
    const right = rightFields(state);
    if (action === SUBMIT) {
      return right === fields
        ? { state, potential: 1, verdict: correct('the record is as it should be', state.record) }
        : {
            state,
            potential: right / (fields + 1),
            verdict: wrongValue(`${right} of ${fields} fields are right in the record that was submitted`),
          };
    }
    const field = /^[a-z]\d$/.test(action) ? LETTERS.indexOf(action[0]) : fields;
    if (field >= fields || Number(action[1]) >= values) return { state, observation: '?', illegal: true };
    const next = { ...state, record: withField(state.record, field, action[1], resets) };
    return { state: next, observation: written(next.record), potential: rightFields(next) / (fields + 1) };
  },
  /** From the left: a field that is right is then not set to 0 again. */
  expert({ record, goal }) {
    const field = record.split('').findIndex((value, at) => value !== goal[at]);
    return field < 0 ? SUBMIT : LETTERS[field] + goal[field];
  },
  milestones: ({ record, goal }) => record.split('').map((value, field) => value === goal[field]),
  compared: ({ record, goal }) => ({ cells: record.split(''), goal: goal.split('') }),
  random(_, { fields, values }, rng) {
    const field = rng.int(0, fields);
    return field === fields ? SUBMIT : `${LETTERS[field]}${rng.int(0, values - 1)}`;
  },
  mutants: ({ record, goal }, { fields }) => ({
    'submitted at once': SUBMIT,
    'never submitted': Array.from({ length: fields }, (_, field) => LETTERS[field] + goal[field]).join('\n'),
    'another value in a field': `${LETTERS[0]}${record[0] === goal[0] ? (Number(goal[0]) === 0 ? 1 : 0) : record[0]}\n${SUBMIT}`,
  }),
  chance: () => 0.05,
  longest: ({ fields }) => ({
    turns: fields + 2,
    prompt: 4 * fields + 2,
    action: 2,
    observation: 2 * fields,
    question: 280 + 4 * fields,
  }),
});
