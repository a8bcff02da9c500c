/**
 * Tables of a made-up shop or airline, a customer, and a policy: right where the tables end as the policy wants them.
 *
 *   prompt      k sr dc<20>                       of k: those that are s are to be r, those that are d and below 20 are to be c
 *   action      <call>orders k</call>             observation  1s07 3d25     orders, what they are, and their price
 *               <call>act 1 r</call>              observation  1r07
 *   answer      done                              the tables are then compared, those of others too
 *   split       by hash of customer, policy and the orders of the customer, with their numbers: what is shown
 *
 * The tools do what they are asked, whatever the policy says. Before an action the guard says where the policy forbids it.
 * `potential` counts the orders of the customer that are as they should be, once they were looked up.
 *
 * @see τ²-bench: policies, tools that change a state, and a comparison of the last one; LOGIGEN
 */
import { correct, inOrder, malformed, type Rng, trimAscii, wrongValue } from '../../kit.ts';
import type { ToolCall } from '../../tools/call_formats.ts';
import { tool } from '../../tools/tool.ts';
import { toolEnvironment } from '../../tools/tool_environment.ts';
import { type StateDbKnobs, stateDbCard } from './card.ts';

/** `tables`: customer, kind and price of each order, as ks07; `policy`: a kind, what it becomes, and a bound, as dc<20. */
export type StateDbItem = {
  readonly tables: readonly string[];
  readonly customer: string;
  readonly policy: readonly string[];
};
/** `looked`: whether the customer's orders were looked up. */
export type StateDbState = StateDbItem & { readonly looked: boolean };

const CUSTOMERS = 'kmn';
/** Paid, sent, delivered; what they are turned into: cancelled, refunded, flagged. */
const KINDS = { p: 'paid', s: 'sent', d: 'delivered' } as const;
const ACTIONS = { c: 'cancelled', r: 'refunded', f: 'flagged' } as const;
const MOST_PRICE = 99;
const DONE = 'done';

const twoDigits = (price: number): string => String(price).padStart(2, '0');

/** An order as the policy wants it. */
function treated(order: string, { customer, policy }: StateDbItem): string {
  const [whose, kind] = order;
  const rule = policy.find((one) => one[0] === kind);
  if (whose !== customer || rule === undefined) return order;
  const isBelow = rule.length === 2 || Number(order.slice(2)) < Number(rule.slice(3));
  return isBelow ? whose + rule[1] + order.slice(2) : order;
}

const goalOf = (item: StateDbItem): string[] => item.tables.map((order) => treated(order, item));

/** Places of the customer's orders that a policy wants otherwise. */
function open(tables: readonly string[], item: StateDbItem): number[] {
  return goalOf(item).flatMap((order, place) => (order === tables[place] ? [] : [place]));
}

const shown = (tables: readonly string[], place: number): string => `${place + 1}${tables[place].slice(1)}`;

function listed(tables: readonly string[], customer: string): string {
  return tables.flatMap((order, place) => (order.startsWith(customer) ? [shown(tables, place)] : [])).join(' ');
}

/** How far the tables are on their way. */
function progress(item: StateDbItem, { tables, looked }: StateDbState): number {
  const all = open(item.tables, item).length;
  const done = looked ? 1 + all - open(tables, item).length : 0;
  return Math.max(0, done) / (all + 2);
}

/** The problem of a state: the goal follows from what the orders were, which actions change. */
type Episode = StateDbState & { readonly given: readonly string[] };
const problemOf = ({ given, customer, policy }: Episode): StateDbItem => ({ tables: given, customer, policy });

const orders = tool({
  name: 'orders',
  description: 'Lists the orders of a customer: number, kind and price of each.',
  parameters: { customer: { type: 'string', enum: CUSTOMERS.split('') } },
  call({ customer }, state: Episode) {
    const looked = state.looked || customer === state.customer;
    const observation = listed(state.tables, customer) || '-';
    const next = { ...state, looked };
    return { state: next, observation, potential: progress(problemOf(next), next) };
  },
});

const act = tool({
  name: 'act',
  description: 'Makes an order cancelled (c), refunded (r) or flagged (f).',
  parameters: {
    order: { type: 'integer', description: 'The number of the order.' },
    action: { type: 'string', enum: Object.keys(ACTIONS) },
  },
  call({ order, action }, state: Episode) {
    const place = order - 1;
    if (!(place in state.tables)) return { state, flaw: 'there is no such order' };
    const was = state.tables[place];
    if (!Object.hasOwn(KINDS, was[1])) return { state, flaw: 'the order was treated already' };
    const next = { ...state, tables: state.tables.with(place, was[0] + action + was.slice(2)) };
    return { state: next, observation: shown(next.tables, place), potential: progress(problemOf(next), next) };
  },
});

function drawRule(rng: Rng, kind: string, bounds: number): string {
  const bound = rng.int(0, 99) < bounds ? `<${rng.int(20, 80)}` : '';
  return kind + rng.pick(Object.keys(ACTIONS)) + bound;
}

export const stateDb = toolEnvironment<StateDbItem, Episode, StateDbKnobs>(stateDbCard, {
  family: 'state_db',
  characters: `${CUSTOMERS}${Object.keys(KINDS).join('')}${Object.keys(ACTIONS).join('')}${DONE}0123456789<> -`,
  tools: [orders, act],
  generate(rng, { orders: count, rules, bounds }) {
    const tables = Array.from(
      { length: count },
      () => rng.pick(CUSTOMERS.split('')) + rng.pick(Object.keys(KINDS)) + twoDigits(rng.int(1, MOST_PRICE)),
    );
    const kinds = rng.shuffle(Object.keys(KINDS)).slice(0, rules);
    const item = {
      tables,
      customer: rng.pick(CUSTOMERS.split('')),
      policy: kinds.map((kind) => drawRule(rng, kind, bounds)),
    };
    return open(tables, item).length > 0 ? item : null;
  },
  key: ({ tables, customer, policy }) => `state_db|${tables.join(' ')}|${customer}|${inOrder(policy).join(' ')}`,
  splitKey: ({ tables, customer, policy }) =>
    `state_db|${customer}|${inOrder(policy).join(' ')}|${listed(tables, customer)}`,
  prompt: ({ customer, policy }) => `${customer} ${policy.join(' ')}>`,
  question: ({ customer, policy }, { world }) => {
    const [order, who] = world === 'shop' ? ['order', 'customer'] : ['booking', 'traveller'];
    const rules = policy.map((rule) => {
      const [kind, action] = [KINDS[rule[0] as keyof typeof KINDS], ACTIONS[rule[1] as keyof typeof ACTIONS]];
      return `those that are ${kind}${rule.length === 2 ? '' : ` and below ${rule.slice(3)}`} are to be ${action}`;
    });
    return (
      `Treat the ${order}s of ${who} ${customer} by this policy: ${rules.join('; ')}; all others stay as they are. ` +
      `List them first; each is shown by its number, p, s or d for paid, sent or delivered, and its price. Answer ${DONE} when all is as the policy says.`
    );
  },
  start: (item) => ({ ...item, given: item.tables, looked: false }),
  verify({ identity, state: { tables } }, answer) {
    if (trimAscii(answer) !== DONE) return malformed(`not ${DONE}`);
    return open(tables, identity).length === 0
      ? correct('the tables are as the policy says', tables.join(' '))
      : wrongValue('the tables are otherwise than the policy says');
  },
  expert({ identity, state: { tables, looked } }, { tools }): ToolCall | string {
    const [place] = open(tables, identity);
    if (!looked && tools.includes('orders')) return { call: 'orders', arguments: { customer: identity.customer } };
    if (place === undefined || !tools.includes('act')) return DONE;
    return { call: 'act', arguments: { order: place + 1, action: goalOf(identity)[place][1] } };
  },
  random({ state: { tables, customer } }, { tools }, rng): ToolCall | string {
    const kind = rng.int(0, 3);
    if (kind === 0 || tools.length === 0) return DONE;
    if (kind === 1 && tools.includes('orders')) return { call: 'orders', arguments: { customer } };
    return { call: 'act', arguments: { order: rng.int(1, tables.length), action: rng.pick(Object.keys(ACTIONS)) } };
  },
  compared: ({ identity, state: { tables } }) => ({ cells: [...tables], goal: goalOf(identity) }),
  guard({ identity, state: { tables } }, action) {
    const match = /^<call>act (\d) ([crf])<\/call>$/.exec(trimAscii(action));
    if (match === null) return undefined;
    const place = Number(match[1]) - 1;
    const isAllowed = open(tables, identity).includes(place) && goalOf(identity)[place][1] === match[2];
    return isAllowed ? undefined : '-';
  },
  mutants(identity) {
    const places = open(identity.tables, identity);
    const calls = places.map((place) => `<call>act ${place + 1} ${goalOf(identity)[place][1]}</call>`);
    const other = goalOf(identity)[places[0]][1] === 'c' ? 'r' : 'c';
    return {
      'done at once': DONE,
      'never done': calls.join('\n'),
      'another action': [`<call>act ${places[0] + 1} ${other}</call>`, ...calls.slice(1), DONE].join('\n'),
      'one left out': [...calls.slice(1), DONE].join('\n'),
      'not quite done': [...calls, `${DONE} ${identity.customer}`].join('\n'),
      'all in one word': `${calls.join('')}${DONE}`,
    };
  },
  chance: () => 0.1,
  longest: ({ orders: count, rules }) => ({
    calls: count + 2,
    prompt: 3 + 6 * rules,
    values: 3,
    observation: 5 * count,
    answer: DONE.length,
    question: 420 + 60 * rules,
  }),
});
