/** Tokens that are found in a text before anything else is done to it. */
import type { Json, Model, Normalizer } from './parts.ts';

/** An entry of `added_tokens`. */
interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly single_word?: boolean;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  readonly normalized?: boolean;
  readonly special?: boolean;
}

/** What is between added tokens; `isFirst`: it begins the text. */
export interface Section {
  readonly text: string;
  readonly isFirst: boolean;
}

interface Node {
  readonly next: Map<string, Node>;
  token?: AddedToken;
}

const ENDS_WITH_WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u;
const STARTS_WITH_WORD = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;
const BLANK = /^\p{White_Space}$/u;
const BLANKS_AT_START = /^\p{White_Space}*/u;

export class AddedTokens {
  /** As a decoder gets them: one that is `normalized`, as what it becomes. */
  readonly #byId = new Map<number, string>();
  readonly #idByText = new Map<string, number>();
  readonly #specials = new Set<string>();
  readonly #asWritten: Node;
  readonly #normalized: Node;

  /** @param normalize  of the tokenizer: a token that is `normalized` is looked for as what it becomes */
  constructor(entries: readonly Json[], model: Pick<Model, 'idOf' | 'size'>, normalize: Normalizer) {
    const isNormalized = ({ normalized, special }: AddedToken): boolean => normalized ?? special !== true;
    const byText = new Map<string, AddedToken>();
    for (const entry of entries as unknown as readonly AddedToken[]) {
      const { content, special } = entry;
      if (typeof content !== 'string' || content === '') continue;
      const id = this.#idByText.get(content) ?? model.idOf(content) ?? this.#nextId(model.size);
      this.#byId.set(id, isNormalized(entry) ? normalize(content) : content);
      this.#idByText.set(content, id);
      byText.set(content, { ...entry, id });
      if (special === true) this.#specials.add(content);
    }
    const tokens = [...byText.values()];
    this.#asWritten = trieOf(tokens.filter((token) => !isNormalized(token)).map((token) => [token.content, token]));
    this.#normalized = trieOf(tokens.filter(isNormalized).map((token) => [normalize(token.content), token]));
  }

  tokenOf(id: number): string | undefined {
    return this.#byId.get(id);
  }

  idOf(token: string): number | undefined {
    return this.#idByText.get(token);
  }

  ids(): Iterable<number> {
    return this.#byId.keys();
  }

  isSpecial(token: string): boolean {
    return this.#specials.has(token);
  }

  /** Ids of added tokens, and what is between them, normalized. */
  split(text: string, normalize: Normalizer): readonly (number | Section)[] {
    return sectionsOf({ text, isFirst: true }, this.#asWritten).flatMap((section) =>
      typeof section === 'number'
        ? [section]
        : sectionsOf({ ...section, text: normalize(section.text) }, this.#normalized),
    );
  }

  /** A token that the vocabulary has not comes after all others, whatever its entry says. */
  #nextId(size: number): number {
    let largest = size - 1;
    for (const id of this.#byId.keys()) if (id > largest) largest = id;
    return largest + 1;
  }
}

function trieOf(tokens: readonly (readonly [text: string, token: AddedToken])[]): Node {
  const root: Node = { next: new Map() };
  for (const [text, token] of tokens) {
    let node = root;
    for (const unit of text.split('')) {
      let next = node.next.get(unit);
      if (next === undefined) {
        next = { next: new Map() };
        node.next.set(unit, next);
      }
      node = next;
    }
    if (node !== root) node.token ??= token;
  }
  return root;
}

/** The longest token that begins at a place, and its end. */
function tokenAt(text: string, begin: number, root: Node): readonly [token: AddedToken, end: number] | undefined {
  let found: readonly [AddedToken, number] | undefined;
  let node: Node | undefined = root.next.get(text[begin]);
  for (let at = begin + 1; node !== undefined; at++) {
    if (node.token !== undefined) found = [node.token, at];
    node = node.next.get(text[at]);
  }
  return found;
}

function sectionsOf({ text, isFirst }: Section, root: Node): (number | Section)[] {
  const sections: (number | Section)[] = [];
  let done = 0;
  const upTo = (end: number): void => {
    if (end > done) sections.push({ text: text.slice(done, end), isFirst: isFirst && done === 0 });
  };
  for (let at = 0; at < text.length; ) {
    const found = tokenAt(text, at, root);
    if (found === undefined) {
      at++;
      continue;
    }
    const [token, end] = found;
    const before = text.slice(0, at);
    const after = text.slice(end);
    at = end;
    if (token.single_word === true && (ENDS_WITH_WORD.test(before.slice(-2)) || STARTS_WITH_WORD.test(after))) continue;
    let blanks = before.length;
    if (token.lstrip === true) while (blanks > done && BLANK.test(before[blanks - 1])) blanks--;
    upTo(blanks);
    sections.push(token.id);
    done = end + (token.rstrip === true ? (BLANKS_AT_START.exec(after)?.[0].length ?? 0) : 0);
  }
  upTo(text.length);
  return sections;
}
