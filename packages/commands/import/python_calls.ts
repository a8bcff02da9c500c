/** Calls of a Python script with literal arguments, read without running it. */
import type { Json } from '../../../src/options/json.ts';
import { type ForeignKey, Unread } from './foreign_file.ts';

type Value = Json | Unread | Value[];

interface Token {
  readonly kind: 'text' | 'number' | 'name' | 'sign' | 'line';
  readonly text: string;
  readonly begin: number;
  readonly line: number;
}

const TOKEN =
  /(?<comment>#[^\n]*)|(?<text>[rRbBuUfF]{0,2}(?:'''[\s\S]*?'''|"""[\s\S]*?"""|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))|(?<number>(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|(?<line>\n)|(?<space>[ \t\r\f]+|\\\n)|(?<sign>\*\*|\/\/|==|[\s\S])/g;

function tokensOf(text: string): Token[] {
  let line = 1;
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const { groups = {}, index } = match;
    const kind = (['text', 'number', 'name', 'line', 'sign'] as const).find((each) => groups[each] !== undefined);
    if (kind !== undefined) tokens.push({ kind, text: match[0], begin: index, line });
    line += match[0].split('\n').length - 1;
  }
  return tokens;
}

/** What a call's arguments are called here, by the last part of the callee's name. */
interface Callee {
  /** Before the names of its arguments. */
  readonly prefix?: string;
  /** Names of arguments without one. */
  readonly positional?: readonly string[];
  readonly names?: Readonly<Record<string, string>>;
  /** Arguments that are objects of the program. */
  readonly objects?: readonly string[];
}

const CONFIG: Callee = {};
const TRAINER: Callee = {
  positional: ['model_name_or_path', 'reward_funcs'],
  names: { model: 'model_name_or_path' },
  objects: [
    'args',
    'train_dataset',
    'eval_dataset',
    'processing_class',
    'tokenizer',
    'peft_config',
    'callbacks',
    'model_name_or_path',
    'optimizers',
    'data_collator',
    'formatting_func',
  ],
};
const DISTILLER: Callee = {
  positional: ['model_name_or_path', 'teacher_model_name_or_path'],
  names: { model: 'model_name_or_path', teacher_model: 'teacher_model_name_or_path' },
  objects: [...(TRAINER.objects ?? []), 'teacher_model_name_or_path'],
};
const PREFERRING: Callee = { ...TRAINER, positional: ['model_name_or_path'] };
const BESIDE_REFERENCE: Callee = {
  ...PREFERRING,
  positional: ['model_name_or_path', 'ref_model'],
  objects: [...(TRAINER.objects ?? []), 'ref_model'],
};
// biome-ignore format: a table
const CALLEES: Readonly<Record<string, Callee>> = {
  GRPOConfig: CONFIG, SFTConfig: CONFIG, TrainingArguments: CONFIG, UnslothTrainingArguments: CONFIG, ModelConfig: CONFIG,
  GRPOScriptArguments: CONFIG, ScriptArguments: CONFIG,
  DistillationConfig: CONFIG, GKDConfig: CONFIG, DistillationTrainer: DISTILLER, GKDTrainer: DISTILLER,
  DPOConfig: CONFIG, KTOConfig: CONFIG, ORPOConfig: CONFIG, CPOConfig: CONFIG,
  DPOTrainer: BESIDE_REFERENCE, KTOTrainer: BESIDE_REFERENCE, ORPOTrainer: PREFERRING, CPOTrainer: PREFERRING,
  GRPOTrainer: TRAINER, SFTTrainer: TRAINER, UnslothTrainer: TRAINER,
  LoraConfig: { names: { r: 'lora_r', target_modules: 'lora_target_modules', modules_to_save: 'lora_modules_to_save', task_type: 'lora_task_type' },
    objects: ['lora_task_type', 'bias'] },
  get_peft_model: { prefix: 'get_peft_model.', positional: ['model'], objects: ['get_peft_model.model'] },
  load_dataset: { positional: ['dataset_name', 'dataset_config'], names: { path: 'dataset_name', name: 'dataset_config', split: 'dataset_train_split' } },
};
const LOADED: Callee = { prefix: 'from_pretrained.', positional: ['model_name'] };
const PLAIN_MODEL: Callee = {
  positional: ['model_name_or_path'],
  names: { torch_dtype: 'dtype' },
  objects: ['quantization_config'],
};

/** Trainings of other kinds, by the class that configures them. */
export const OTHER_TRAININGS = /\b(PPO|RLOO|Reward|OnlineDPO)Config\(/;

export function readPythonKeys(text: string): ForeignKey[] {
  const reader = new PythonReader(text);
  return reader.keys();
}

class PythonReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  /** Open brackets before each token. */
  readonly #depths: readonly number[];
  readonly #constants = new Map<string, Value>();
  readonly #found = new Map<string, ForeignKey>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
    let open = 0;
    this.#depths = this.#tokens.map(({ text: sign }) => {
      const before = open;
      if (/^[([{]$/.test(sign)) open++;
      if (/^[)\]}]$/.test(sign)) open--;
      return before;
    });
  }

  keys(): ForeignKey[] {
    while (this.#at < this.#tokens.length) {
      const { kind, text } = this.#tokens[this.#at];
      const next = this.#tokens[this.#at + 1]?.text;
      const before = this.#tokens[this.#at - 1];
      const begins = before === undefined || before.kind === 'line';
      if (kind !== 'name') this.#at++;
      else if (begins && next === '=') this.#assignment(text);
      else if (next === '(' && before?.text !== 'def' && before?.text !== 'class') this.#call(text);
      else this.#at++;
    }
    return [...this.#found.values()];
  }

  /** `lora_rank = 32`; what is not a value may hold calls. */
  #assignment(name: string): void {
    const start = this.#at;
    this.#at += 2;
    const value = this.#value();
    if (!(value instanceof Unread)) this.#constants.set(name, value);
    if ([value].flat().some((one) => one instanceof Unread)) this.#at = start + 2;
  }

  #call(name: string): void {
    const callee = this.#calleeOf(name);
    this.#at += 2;
    if (callee === undefined) return; // its arguments may hold calls
    const { prefix = '', positional = [], names = {}, objects = [] } = callee;
    const isFirst = name.endsWith('load_dataset') ? !this.#found.has('dataset_name') : true;
    for (let place = 0; ; place++) {
      this.#skipLines();
      const token = this.#tokens[this.#at];
      if (token === undefined || token.text === ')') break;
      const isNamed = token.kind === 'name' && this.#tokens[this.#at + 1]?.text === '=';
      if (isNamed) this.#at += 2;
      const written = isNamed ? token.text : positional[place];
      const before = this.#at;
      const value = this.#value();
      const path = written === undefined ? undefined : prefix + (names[written] ?? written);
      const isObject = path !== undefined && objects.includes(path) && value instanceof Unread;
      if (path !== undefined && !isObject && isFirst) this.#add(path, value, token.line);
      else if (value instanceof Unread) this.#within(before, this.#at);
      this.#skipLines();
      if (this.#tokens[this.#at]?.text !== ',') break;
      this.#at++;
    }
    if (this.#tokens[this.#at]?.text === ')') this.#at++;
    if (name === 'LoraConfig') this.#add('use_peft', true, this.#tokens[this.#at - 1]?.line ?? 1);
  }

  /** Calls in what could not be read as a value: `args=GRPOConfig(…)`. */
  #within(begin: number, end: number): void {
    for (this.#at = begin; this.#at < end; ) {
      const { kind, text } = this.#tokens[this.#at];
      if (kind === 'name' && this.#tokens[this.#at + 1]?.text === '(') this.#call(text);
      else this.#at++;
    }
  }

  #calleeOf(name: string): Callee | undefined {
    const parts = name.split('.');
    const last = parts.at(-1) ?? '';
    if (last === 'from_pretrained' && /^Fast\w*Model$/.test(parts[0])) return LOADED;
    if (last === 'from_pretrained' && /^AutoModel/.test(parts[0])) return PLAIN_MODEL;
    if (last === 'get_peft_model' && parts.length === 1) return undefined; // PEFT's own has a config
    return Object.hasOwn(CALLEES, last) ? CALLEES[last] : undefined;
  }

  #add(path: string, value: Value, line: number): void {
    const isReward = path === 'reward_funcs' || path === 'reward_weights';
    const asNames = isReward
      ? [value].flat().map((one) => (one instanceof Unread ? one.source.split('(')[0] : one))
      : value;
    const isPlain = !(Array.isArray(asNames) && asNames.some((one) => one instanceof Unread));
    this.#found.set(path, {
      path,
      line,
      value: isPlain ? (asNames as Json | Unread) : new Unread(JSON.stringify(asNames)),
    });
  }

  #skipLines(): void {
    while (this.#tokens[this.#at]?.kind === 'line') this.#at++;
  }

  /** An expression up to a comma, a closing bracket or the end of its line; one that is no literal is unread. */
  #value(depth = 0): Value {
    this.#skipLines();
    const begin = this.#at;
    const value = this.#sum(depth);
    const next = this.#tokens[this.#at];
    const ends = next === undefined || next.kind === 'line' || /^[,)\]}:]$/.test(next.text);
    if (value !== undefined && ends) return value;
    this.#at = begin;
    this.#skipExpression();
    const end = this.#tokens[this.#at]?.begin ?? this.#text.length;
    return new Unread(this.#text.slice(this.#tokens[begin]?.begin ?? end, end));
  }

  /** To the next comma or closing bracket of its own level, or the end of the line outside of brackets. */
  #skipExpression(): void {
    let open = 0;
    const inBrackets = this.#isInBrackets();
    for (; this.#at < this.#tokens.length; this.#at++) {
      const { text, kind } = this.#tokens[this.#at];
      if (open === 0 && (/^[,)\]}]$/.test(text) || (kind === 'line' && !inBrackets))) return;
      if (/^[([{]$/.test(text)) open++;
      if (/^[)\]}]$/.test(text)) open--;
    }
  }

  #isInBrackets(): boolean {
    return (this.#depths[this.#at] ?? 0) > 0;
  }

  #sum(depth: number): Value | undefined {
    let left = this.#product(depth);
    for (;;) {
      const sign = this.#tokens[this.#at]?.text;
      if (left === undefined || (sign !== '+' && sign !== '-')) return left;
      this.#at++;
      const right = this.#product(depth);
      if (typeof left === 'string' && typeof right === 'string' && sign === '+') left += right;
      else if (typeof left !== 'number' || typeof right !== 'number') return undefined;
      else left = sign === '+' ? left + right : left - right;
    }
  }

  #product(depth: number): Value | undefined {
    let left = this.#atom(depth);
    for (;;) {
      const sign = this.#tokens[this.#at]?.text ?? '';
      if (left === undefined || !/^(\*|\/|\/\/|%)$/.test(sign)) return left;
      this.#at++;
      const right = this.#atom(depth);
      if (typeof left !== 'number' || typeof right !== 'number') return undefined;
      left = { '*': left * right, '/': left / right, '//': Math.floor(left / right), '%': left % right }[sign];
    }
  }

  #atom(depth: number): Value | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || depth > 20) return undefined;
    this.#at++;
    if (token.text === '-') {
      const value = this.#atom(depth + 1);
      return typeof value === 'number' ? -value : undefined;
    }
    if (token.kind === 'number') return Number(token.text.replaceAll('_', ''));
    if (token.kind === 'text') return this.#texts(token.text);
    if (token.text === '[' || token.text === '(') return this.#list(token.text, depth);
    if (token.text === '{') return this.#mapping(depth);
    if (token.kind !== 'name' || this.#tokens[this.#at]?.text === '(') return undefined;
    if (/^torch\.\w+$/.test(token.text)) return token.text;
    const words: Readonly<Record<string, Json>> = { True: true, False: false, None: null };
    return Object.hasOwn(words, token.text) ? words[token.text] : this.#constants.get(token.text);
  }

  /** Texts beside each other are one. */
  #texts(first: string): string | undefined {
    let whole = textOf(first);
    for (;;) {
      this.#skipLinesBeforeText();
      const token = this.#tokens[this.#at];
      if (whole === undefined || token?.kind !== 'text') return whole;
      this.#at++;
      const next = textOf(token.text);
      whole = next === undefined ? undefined : whole + next;
    }
  }

  #skipLinesBeforeText(): void {
    let ahead = this.#at;
    while (this.#tokens[ahead]?.kind === 'line') ahead++;
    if (this.#tokens[ahead]?.kind === 'text' && this.#isInBrackets()) this.#at = ahead;
  }

  #list(open: string, depth: number): Value | undefined {
    const close = open === '[' ? ']' : ')';
    const items: Value[] = [];
    let hasComma = false;
    for (;;) {
      this.#skipLines();
      if (this.#tokens[this.#at] === undefined) return undefined;
      if (this.#tokens[this.#at].text === close) break;
      items.push(this.#value(depth + 1));
      this.#skipLines();
      const next = this.#tokens[this.#at]?.text;
      if (next === ',') {
        hasComma = true;
        this.#at++;
      } else if (next !== close) return undefined;
    }
    this.#at++;
    if (open === '(' && !hasComma) return items[0] instanceof Unread ? undefined : items[0];
    return items;
  }

  #mapping(depth: number): Json | undefined {
    const entries: [string, Json][] = [];
    for (;;) {
      this.#skipLines();
      if (this.#tokens[this.#at]?.text === '}') break;
      const key = this.#value(depth + 1);
      if (typeof key !== 'string' || this.#tokens[this.#at]?.text !== ':') return undefined;
      this.#at++;
      const value = this.#value(depth + 1);
      if (value instanceof Unread) return undefined;
      entries.push([key, value as Json]);
      this.#skipLines();
      if (this.#tokens[this.#at]?.text === ',') this.#at++;
      else if (this.#tokens[this.#at]?.text !== '}') return undefined;
    }
    this.#at++;
    return Object.fromEntries(entries);
  }
}

/** A literal's text; undefined for one with parts that are worked out. */
function textOf(literal: string): string | undefined {
  const [, prefix = '', quoted = ''] = /^([a-zA-Z]*)([\s\S]*)$/.exec(literal) ?? [];
  const width = /^('''|""")/.test(quoted) ? 3 : 1;
  const inner = quoted.slice(width, -width);
  if (/f/i.test(prefix) && inner.includes('{')) return undefined;
  if (/r/i.test(prefix)) return inner;
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };
  return inner.replace(/\\([\s\S])/g, (_, letter: string) => escapes[letter] ?? letter);
}
