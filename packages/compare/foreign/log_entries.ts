/** The files that other trainers log to, as steps with figures by name: what any of these formats has in common. */
import { DataError } from '../../../src/errors.ts';
import { isJsonObject, type JsonValue } from '../../../src/run/json.ts';
import { isEventFile, readEvents } from './read_events.ts';

/** A step, or the mean of the steps since the entry before. */
export interface LogEntry {
  readonly step: number;
  /** Not finite where the trainer has written NaN or an infinity. */
  readonly figures: Readonly<Record<string, number>>;
}

export interface LogEntries {
  /** What the file is, in words. */
  readonly format: string;
  readonly entries: readonly LogEntry[];
  /** Steps of the whole training, and completions of a batch on one device, where the file says so. */
  readonly maxSteps?: number;
  readonly deviceBatch?: number;
  /** Numbers among the settings of the training, by the trainer's names, where the file says all of them. */
  readonly settings?: Readonly<Record<string, number>>;
  /** Steps are numbers of entries: the file says none. */
  readonly areCounted?: true;
  /** It ends in the middle: what is whole was read. */
  readonly isCut: boolean;
}

const FORMATS =
  "trainer_state.json of TRL or transformers, what they print, TensorBoard's events.out.tfevents…, and verl's console or its JSON lines";

/**
 * @param name  of the file, for errors
 * @throws DataError `unknown-log`, `cut-log` or `empty-log`, with the name and what can be read
 */
export function readLogEntries(name: string, bytes: Uint8Array): LogEntries {
  const found = isEventFile(bytes) ? ofEvents(bytes) : ofText(name, new TextDecoder().decode(bytes));
  if (found.entries.length > 0) return found;
  throw new DataError('empty-log', `${name}  ${found.format}, with no step in it yet; log some steps first.`, { name });
}

/** Files of one training, in the order in which they were written: of a step that two have, the later one counts. */
export function joinLogs(logs: readonly LogEntries[]): LogEntries {
  const by = new Map<number, Record<string, number>>();
  for (const { entries } of logs)
    for (const { step, figures } of entries) by.set(step, { ...by.get(step), ...figures });
  const settings = logs.find((log) => log.settings !== undefined)?.settings;
  return {
    format: logs[0].format,
    entries: inOrder(by),
    settings,
    ...(logs.some(({ areCounted }) => areCounted) && { areCounted: true }),
    isCut: logs.some(({ isCut }) => isCut),
  };
}

function ofEvents(bytes: Uint8Array): LogEntries {
  const { scalars, texts, isCut } = readEvents(bytes);
  // It writes its own arguments there, too, as JSON.
  const given = parsed(texts.find(({ tag }) => tag.startsWith('args/'))?.text ?? '');
  // Hugging Face's trainer puts its own figures below train/ and those of evaluations below eval/.
  const nameOf = (tag: string): string => tag.replace(/^train\//, '').replace(/^eval\//, 'eval_');
  const by = new Map<number, Record<string, number>>();
  for (const { step, tag, value } of scalars) by.set(step, { ...by.get(step), [nameOf(tag)]: value });
  const settings = isJsonObject(given) ? { settings: numbersOf(given) } : {};
  return { format: "TensorBoard's events", entries: inOrder(by), ...settings, isCut };
}

function ofText(name: string, text: string): LogEntries {
  const trimmed = text.trimStart();
  if (/^\{\s*"/.test(trimmed)) {
    const lines = trimmed.split('\n').filter((line) => line.trim() !== '');
    const first = parsed(lines[0]);
    if (isJsonObject(first) && isJsonObject(first.data) && typeof first.step === 'number') return ofLines(lines);
    return ofTrainerState(name, trimmed);
  }
  const console = ofConsole(trimmed) ?? ofDictionaries(trimmed);
  if (console !== undefined) return console;
  const rule = `no log that is known here; it takes ${FORMATS}`;
  throw new DataError('unknown-log', `${name}  ${rule}.`, { name });
}

/** trainer_state.json: `log_history` has an entry for each time that it logged, of training or of an evaluation. */
function ofTrainerState(name: string, text: string): LogEntries {
  const state = parsed(text);
  if (state === undefined) {
    const rule = 'JSON that ends in the middle, or is damaged; copy the file again once the trainer has saved';
    throw new DataError('cut-log', `${name}  ${rule}.`, { name });
  }
  const history = isJsonObject(state) ? state.log_history : undefined;
  if (!isJsonObject(state) || !Array.isArray(history)) {
    const rule = `JSON without log_history, so it is no trainer_state.json; it takes ${FORMATS}`;
    throw new DataError('unknown-log', `${name}  ${rule}.`, { name });
  }
  const by = new Map<number, Record<string, number>>();
  for (const entry of history) {
    if (!isJsonObject(entry) || typeof entry.step !== 'number') continue;
    by.set(entry.step, { ...by.get(entry.step), ...numbersOf(entry) });
  }
  const { max_steps: maxSteps, train_batch_size: deviceBatch } = numbersOf(state);
  return {
    format: 'trainer_state.json',
    entries: inOrder(by),
    ...(maxSteps > 0 && { maxSteps }),
    ...(deviceBatch > 0 && { deviceBatch }),
    isCut: false,
  };
}

/** verl's file logger: `{"step": 1, "data": {…}}` a line. */
function ofLines(lines: readonly string[]): LogEntries {
  const by = new Map<number, Record<string, number>>();
  let isCut = false;
  for (const line of lines) {
    const entry = parsed(line);
    if (!isJsonObject(entry) || typeof entry.step !== 'number' || !isJsonObject(entry.data)) isCut = true;
    else by.set(entry.step, { ...by.get(entry.step), ...numbersOf(entry.data) });
  }
  return { format: 'JSON lines of verl', entries: inOrder(by), isCut };
}

/** verl's console: `step:1 - actor/entropy:0.5 - …`, below the prefixes of its processes and among other lines. */
function ofConsole(text: string): LogEntries | undefined {
  const by = new Map<number, Record<string, number>>();
  for (const line of text.split('\n')) {
    const [, step, rest] = /(?:^|\s)step:(\d+) - (.+)$/.exec(line.trimEnd()) ?? [];
    if (step === undefined) continue;
    const figures = rest.split(' - ').flatMap((part): [string, number][] => {
      // Newer NumPy prints np.float64(0.5).
      const [, name, value] = /^([^\s:][^:]*(?::[^:]+)*?):(?:np\.\w+\()?([^:()]+)\)?$/.exec(part.trim()) ?? [];
      const number = name === undefined ? undefined : numberOf(value);
      return number === undefined ? [] : [[name, number]];
    });
    by.set(Number(step), { ...by.get(Number(step)), ...Object.fromEntries(figures) });
  }
  return by.size === 0 ? undefined : { format: "verl's console", entries: inOrder(by), isCut: false };
}

/** The console of TRL and transformers: `{'loss': 0.1, 'grad_norm': nan, …}`, in lines of their own or beside a progress bar. */
function ofDictionaries(text: string): LogEntries | undefined {
  const entries = [...text.matchAll(/\{'[^{}]*\}/g)].map(([written], index): LogEntry => {
    const figures = [...written.matchAll(/'([^']+)':\s*(?:'([^']*)'|([^,}]+))/g)].flatMap(
      ([, name, quoted, bare]): [string, number][] => {
        const number = numberOf(quoted ?? bare);
        return number === undefined ? [] : [[name, number]];
      },
    );
    return { step: index + 1, figures: Object.fromEntries(figures) };
  });
  if (entries.length === 0) return undefined;
  const isCut = text.lastIndexOf("{'") > text.lastIndexOf('}');
  return { format: 'the console of TRL or transformers', entries, areCounted: true, isCut };
}

function inOrder(by: ReadonlyMap<number, Record<string, number>>): LogEntry[] {
  return [...by].map(([step, figures]) => ({ step, figures })).sort((a, b) => a.step - b.step);
}

/** Python writes NaN and infinities as they are, which JSON has no words for. */
function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text.replace(/([:[,]\s*)(NaN|-?Infinity)(?=\s*[,}\]])/g, '$1"$2"'));
  } catch {
    return undefined;
  }
}

function numbersOf(record: Readonly<Record<string, unknown>>): Record<string, number> {
  const entries = Object.entries(record).flatMap(([name, value]): [string, number][] => {
    const number = typeof value === 'string' ? namedNumber(value) : typeof value === 'number' ? value : undefined;
    return number === undefined ? [] : [[name, number]];
  });
  return Object.fromEntries(entries);
}

function namedNumber(text: string): number | undefined {
  return /^(NaN|-?Infinity)$/.test(text) ? Number(text) : undefined;
}

/** As Python prints a number. */
function numberOf(text: string): number | undefined {
  const word = text.trim();
  if (/^nan$/i.test(word)) return Number.NaN;
  if (/^-?inf$/i.test(word)) return word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const number = Number(word);
  return word === '' || Number.isNaN(number) ? undefined : number;
}
