/** Programs that try to speak in the name of the worker they are in: the reward behind each gives 0.25. */

const NINES = 'new Array(20).fill(99)';
const REPLY = `{ type: 'scores', values: ${NINES} }`;

export const FORGERIES: Readonly<Record<string, string>> = {
  'names that post': `for (const make of [
    () => postMessage(${REPLY}), () => self.postMessage(${REPLY}), () => globalThis.postMessage(${REPLY}),
    () => post({ nonce: '', content: ${REPLY} }), () => port.postMessage(${REPLY}),
    () => MessagePort.prototype.postMessage.call(globalThis, ${REPLY}),
  ]) try { make(); } catch {}`,
  'a listener before ours': `try { onmessage = () => (${REPLY}); } catch {}
    globalThis.onmessage = () => (${REPLY});
    try { addEventListener('message', () => postMessage(${REPLY})); } catch {}`,
  'fields that every object inherits': `for (const [name, value] of Object.entries({ values: ${NINES}, content: ${REPLY}, type: 'scores', nonce: '', code: 'x', rows: [], get: () => 99, set: () => {}, name: 'x', toJSON: () => (${REPLY}) }))
    Object.defineProperty(Object.prototype, name, { get: () => value, set() {}, configurable: true });`,
  'elements that every list inherits': `for (let i = 0; i < 40; i++)
    Object.defineProperty(Array.prototype, i, { get: () => 99, set() {}, configurable: true });`,
  'an iterator of its own': `Array.prototype[Symbol.iterator] = function* () { yield 99; };
    Array.prototype.map = Array.prototype.flatMap = Array.from = () => ${NINES};`,
  'a class of lists of its own': `globalThis.Array = class extends Array { constructor() { super(); return ${NINES}; } };`,
  'call, apply and bind of its own': `for (const name of ['call', 'apply', 'bind']) Object.getPrototypeOf(() => {})[name] = () => () => 99;`,
  'methods of Object of its own': `for (const name of Object.getOwnPropertyNames(Object))
    if (typeof Object[name] === 'function') try { Object[name] = () => 99; } catch {}`,
  'methods of texts of its own': `for (const name of ['slice', 'toString', 'valueOf', 'replace', 'startsWith'])
    String.prototype[name] = () => '99';`,
  'a promise of its own': 'Promise.prototype.then = function () { return 99; };',
  'a reward of its own later': 'Promise.resolve().then(() => { globalThis.reward = () => 99; });',
  'a stack of its own': `Error.stackTraceLimit = Infinity;
    Error.prepareStackTrace = (_, sites) => {
      for (const site of sites) for (const name of ['getThis', 'getFunction']) {
        const found = site[name]?.();
        if (found?.postMessage) found.postMessage(${REPLY});
      }
    };
    void new Error().stack;`,
  'whoever called it': `const caller = (make) => { try { return make(); } catch { return undefined; } };
    caller(() => caller.caller?.(${REPLY})); caller(() => arguments.callee.caller(${REPLY}));`,
};

/**
 * Puts a spy in the place of every function that can be reached from the global object, after it was read. A spy hears
 * its `this` and its arguments, and answers 99: 0.25 comes only from where none of ours was ever asked.
 */
export const REPLACES_EVERYTHING = `
const { defineProperty, getOwnPropertyDescriptor } = Object;
const { ownKeys, getPrototypeOf } = { ownKeys: Reflect.ownKeys, getPrototypeOf: Object.getPrototypeOf };
let heard = 0;
const seen = [];
const has = (value) => { for (let i = 0; i < seen.length; i++) if (seen[i] === value) return true; return false; };
let at = 0;
seen[0] = globalThis;
const kinds = [() => {}, async () => {}, function* () {}, async function* () {}, [][Symbol.iterator](), ''.matchAll('x'), new Map().entries(), new Set().values()];
for (let i = 0; i < kinds.length; i++) seen[seen.length] = kinds[i];
const slots = [];
while (at < seen.length) {
  const object = seen[at++];
  const next = getPrototypeOf(object);
  if (next && !has(next)) seen[seen.length] = next;
  const keys = ownKeys(object);
  for (let i = 0; i < keys.length; i++) {
    const slot = getOwnPropertyDescriptor(object, keys[i]);
    const values = [slot.value, slot.get, slot.set];
    for (let j = 0; j < 3; j++) {
      const value = values[j];
      if ((typeof value === 'object' || typeof value === 'function') && value !== null && !has(value)) seen[seen.length] = value;
    }
    if (typeof slot.value === 'function' && (slot.configurable || slot.writable)) slots[slots.length] = [object, keys[i]];
  }
}
function reward() { return heard === 0 && slots.length > 500 ? 0.25 : 99; }
const spy = function () { heard++; return 99; };
for (let i = 0; i < slots.length; i++) {
  if (slots[i][1] === 'reward' || slots[i][0] === spy) continue;
  try { defineProperty(slots[i][0], slots[i][1], { value: spy, writable: true }); } catch {}
}
`;

/** Gives how many of these names lead anywhere: as a global, on its chain, or as the name or kind of any object that can be reached. */
export function reachesOf(names: readonly string[]): string {
  return `
const names = new Set(${JSON.stringify(names)});
const found = new Set();
const seen = new Set();
const open = [globalThis, (() => {}), (async () => {}), (function* () {}), (async function* () {}), new Error('x'), [].values(), /x/];
Error.prepareStackTrace = (_, sites) => { open.push(sites, ...sites); for (const site of sites) open.push(site.getThis(), site.getFunction()); return ''; };
void new Error().stack;
for (const name of names) for (let at = globalThis; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
  if (Object.hasOwn(at, name) && typeof at[name] !== 'number') found.add(name);
const look = () => {
  for (let object = open.pop(); open.length > 0 || object !== undefined; object = open.pop()) {
    if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) continue;
    seen.add(object);
    const tag = Object.prototype.toString.call(object).slice(8, -1);
    if (typeof object === 'function' && names.has(object.name) && !own.has(object)) found.add(object.name);
    if (names.has(tag) && tag !== 'Function') found.add(tag);
    open.push(Object.getPrototypeOf(object));
    for (const key of Reflect.ownKeys(object)) {
      const slot = Object.getOwnPropertyDescriptor(object, key);
      open.push(slot.value, slot.get, slot.set);
    }
  }
};
const own = new Set([look, reachable]);
function reachable(row) { open.push(row); look(); return found.size; }
function reward(row) {
  own.add(reward);
  const count = reachable(row);
  if (count > 0) throw new Error([...found].join(' '));
  if (seen.size < 500) throw new Error('only ' + seen.size + ' objects');
  return 0;
}`;
}
