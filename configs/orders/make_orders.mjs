// Writes orders.jsonl, which configs/orders.yaml trains on: `node configs/orders/make_orders.mjs`. Each row has the text of
// an order as people write them, and the record that a shop's program wants: numbers as numbers, currency as a code, date
// as in ISO 8601. The same rows each time.
import { writeFileSync } from 'node:fs';

const ROWS = 900;

const NAMES =
  words(`Maria Ben Aisha Tom Lena Omar Julia Peter Nina Carlos Emma Ravi Sofia Jack Mei Hugo Clara Ivan Fatima Leo
  Greta Samuel Yuki Paul Elif Noah Ines Victor Hana Felix Amara Oscar Tara Luis Nadia Max`);
const ITEMS =
  `green tea, printer paper, garden hoses, desk lamps, olive oil, wool socks, bath towels, apple juice, coffee beans,
  light bulbs, steel bolts, yoga mats, floor tiles, paint brushes, dog biscuits, bread flour, candles, batteries, umbrellas,
  tomato soup, bike chains, pillows, wine glasses, notebooks, rain coats, sun hats, toy trains, door mats, brown rice, hand soap,
  tent pegs, office chairs, salad bowls, phone cases, rubber gloves, oak shelves`
    .split(',')
    .map((item) => item.trim());
const NUMBERS = [
  ...words('two three four five six seven eight nine ten eleven twelve').map((word, i) => [word, i + 2]),
  ['a dozen', 12],
  ['fifteen', 15],
  ['twenty', 20],
  ['thirty', 30],
];
const MONTHS = words('January February March April May June July August September October November December');
const PRICES = [
  ['EUR', (price) => `${price} euros`],
  ['EUR', (price) => `€${price}`],
  ['USD', (price) => `$${price}`],
  ['USD', (price) => `${price} dollars`],
  ['GBP', (price) => `£${price}`],
  ['GBP', (price) => `${price} pounds`],
];
const DATES = [
  ({ day, month, year }) => `${day} ${MONTHS[month - 1]} ${year}`,
  ({ day, month, year }) => `${MONTHS[month - 1]} ${day}, ${year}`,
  ({ day, month, year }) => `${day}/${month}/${year}`,
  ({ day, month, year }) => `the ${day}${ending(day)} of ${MONTHS[month - 1]} ${year}`,
  ({ day, month, year }) => `${day}.${month}.${year}`,
];
const TEXTS = [
  ({ name, item, count, price, date }) => `${name} wants ${count} ${item} at ${price} each, to arrive on ${date}.`,
  ({ name, item, count, price, date }) =>
    `Please send ${count} ${item} by ${date}. The price is ${price} each. ${name}`,
  ({ name, item, count, price, date }) => `Order of ${date}: ${count} ${item}, ${price} apiece, for ${name}.`,
  ({ name, item, count, price, date }) =>
    `Hi, ${name} here. Could I get ${count} ${item} for ${price} each? I need them on ${date}.`,
  ({ name, item, count, price, date }) =>
    `For ${date} we booked ${count} ${item} (${price} each) under the name ${name}.`,
  ({ name, item, count, price, date }) => `${count} ${item}, ${price} each. Deliver ${date}. Thanks, ${name}`,
  ({ name, item, count, price, date }) => `${name} rang: ${count} ${item} until ${date}, and pays ${price} for each.`,
  ({ name, item, count, price, date }) => `On ${date}, ${name} picks up ${count} ${item}. We said ${price} each.`,
];

function words(text) {
  return text.trim().split(/\s+/);
}

function ending(day) {
  return day > 10 && day < 20 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
}

/** A generator of 32 bits (mulberry32), so that the rows are the same on every machine. */
let state = 52;
function below(count) {
  state = (state + 0x6d2b79f5) | 0;
  let bits = Math.imul(state ^ (state >>> 15), state | 1);
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
  return ((bits ^ (bits >>> 14)) >>> 0) % count;
}
const pick = (list) => list[below(list.length)];

function order() {
  const [word, few] = pick(NUMBERS);
  const isWord = below(3) === 0;
  const quantity = isWord ? few : 2 + below(58);
  const price = 2 + below(88) + pick([0, 0, 0.5, 0.25, 0.99, 0.95]);
  const [currency, priceText] = pick(PRICES);
  const date = { day: 1 + below(28), month: 1 + below(12), year: 2025 + below(2) };
  const [name, item] = [pick(NAMES), pick(ITEMS)];
  const shown = Number.isInteger(price) ? String(price) : price.toFixed(2);
  const parts = { name, item, count: isWord ? word : quantity, price: priceText(shown), date: pick(DATES)(date) };
  const two = (number) => String(number).padStart(2, '0');
  const record = { name, item, quantity, price, currency, date: `${date.year}-${two(date.month)}-${two(date.day)}` };
  return { text: pick(TEXTS)(parts), record };
}

const rows = Array.from({ length: ROWS }, () => `${JSON.stringify(order())}\n`);
writeFileSync(new URL('orders.jsonl', import.meta.url), rows.join(''));
