/** One answer token by token: what each cost, at a click on the answer, in a table that stays until it is closed. */
import type { AnswerSearch, Attention, Rollout } from 'rlvr-train/web';
import { element, scrollTable } from '../../packages/report/page/dom.ts';
import { spokenTurns } from '../../packages/report/provenance.ts';
import { minus, percent } from '../../src/format.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import type { LookInside } from './look_inside.ts';
import { searchLines } from './search_lines.ts';

export interface Sampled {
  readonly tokens: Int32Array;
  /** [tokens] log-prob of each, in nats. */
  readonly logprobs: Float32Array;
  /** [tokens] of TOKEN; absent: all sampled. */
  readonly labels?: Uint8Array;
  /** Who wrote which of them in an episode, one after the other. */
  readonly turns?: Rollout['turns'];
  /** What it writes, and its tries, where it searches. */
  readonly text?: string;
  readonly search?: AnswerSearch | undefined;
}

/** Texts of tokens by id. */
export type Vocabulary = Readonly<Record<number, string>>;

/** A token that could come next. */
export interface NextToken {
  readonly id: number;
  readonly probability: number;
}

/** What the policy is asked about a place of an answer. */
export interface Inside {
  /** The likeliest tokens there, by the policy as it is now. */
  next(place: number): Promise<readonly NextToken[]>;
  /** What the heads look at as the token is written. @param base  in the policy as it was before the first step */
  attention(place: number, base: boolean): Promise<Attention>;
}

/** What a token is that the policy did not sample. */
const PUT_IN: Readonly<Record<number, string>> = {
  [TOKEN.given]: 'given',
  [TOKEN.reference]: 'reference',
};

/** Each token on a ground that is the stronger the less likely it was. */
export function tokens({ tokens: ids, logprobs, labels }: Sampled, vocabulary: Vocabulary): HTMLElement[] {
  return Array.from(ids, (id, i) => {
    const probability = Math.exp(logprobs[i] as number);
    const putIn = PUT_IN[labels?.[i] ?? TOKEN.sampled];
    return element(
      'i',
      {
        class: putIn === undefined ? 'token' : `token ${putIn}`,
        style: `--p: ${probability.toFixed(3)}`,
        'data-logprob': logprobs[i],
        title: `${vocabulary[id]}: ${putIn ?? percent(probability)}`,
      },
      shownToken(id, vocabulary),
    );
  });
}

/** What the grounds of tokens mean. @param words  after that */
export function legend(...words: readonly (Node | string)[]): HTMLElement {
  const marks = [
    ['1', 'sure'],
    ['0.5', 'unsure'],
    ['0.02', 'surprising'],
  ] as const;
  const grounds = marks.map(([p, means]) => element('i', { class: 'token', style: `--p: ${p}` }, means));
  return element('p', { class: 'quiet legend' }, ...grounds, ...words);
}

/** A line for each try, or for each turn of an episode, with how near it came where its environment knows. */
function lines({ turns, text = '', search, ...sampled }: Sampled, vocabulary: Vocabulary): HTMLElement[] {
  const all = tokens(sampled, vocabulary);
  if (search !== undefined) {
    const texts = Array.from(sampled.tokens, (id) => vocabulary[id] ?? '');
    return searchLines(all, texts, text, search);
  }
  if (turns === undefined) return all;
  let at = 0;
  return spokenTurns(turns).map(({ label, tokens: own, reward, potential, isPolicy }, turn) => {
    const from = at;
    at += own.length;
    const paid = [potential && `${percent(potential)} there`, reward && `paid ${minus(reward.toFixed(2))}`];
    const facts = [isPolicy ? '' : label, ...paid].filter(Boolean).join(', ');
    return element(
      'span',
      { class: isPolicy ? 'said' : 'said others', style: `--turn: ${turn}` },
      ...all.slice(from, at),
      element('small', {}, facts),
    );
  });
}

/** The tokens of an answer as a button. @param show  called with the place of the token that was pressed, where it was one */
export function tokensButton(
  sampled: Sampled,
  vocabulary: Vocabulary,
  show: (place: number | undefined) => void,
): HTMLButtonElement {
  const button = element(
    'button',
    { type: 'button', class: 'tokens', title: 'Show the log-prob of each token, and look inside' },
    ...lines(sampled, vocabulary),
  );
  button.addEventListener('click', ({ target }) => {
    const place = [...button.querySelectorAll('.token')].indexOf(target as Element);
    show(place < 0 ? undefined : place);
  });
  return button;
}

export class TokenTable {
  readonly box = element('div', { class: 'token-table', hidden: true });
  #from: HTMLElement | undefined;
  #look: LookInside | undefined;

  /**
   * @param about  what was asked, when
   * @param inside  absent: the policy cannot be asked about this answer
   * @param place  token of it to look at; default: none
   */
  show(about: string, sampled: Sampled, vocabulary: Vocabulary, inside?: Inside, place?: number): void {
    this.#from = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
    const close = element('button', { type: 'button', class: 'small' }, 'Close');
    close.addEventListener('click', () => this.#close());
    const logprobs = [...sampled.logprobs];
    const sum = logprobs.reduce((total, logprob) => total + logprob, 0);
    const likeliest = Math.exp(sum);
    const scroll = scrollTable(
      'Log-probs token by token',
      ['#', 'Token', 'Probability', 'Log-prob (nats)', ...(inside ? ['Now'] : [])],
      tokens(sampled, vocabulary).map((token, i) => [
        ...cells(String(i + 1), token, logprobs[i] as number),
        ...(inside ? [this.#lookCell(i, inside, sampled, vocabulary)] : []),
      ]),
      about,
    );
    const whole = cells('', `the whole answer: one in ${atMost(1 / likeliest)}`, sum);
    scroll.querySelector('table')?.append(element('tfoot', {}, element('tr', {}, ...whole)));
    this.box.replaceChildren(scroll, element('div', { class: 'row' }, close));
    this.box.hidden = false;
    this.box.onkeydown = (event) => {
      if (event.key === 'Escape') this.#close();
    };
    scroll.focus({ preventScroll: true });
    this.box.scrollIntoView({ block: 'nearest' });
    const chosen = place === undefined ? undefined : scroll.querySelectorAll<HTMLElement>('.next button')[place];
    chosen?.click();
    chosen?.scrollIntoView({ block: 'nearest' });
  }

  /** At a click, what could be written at a place, and what the heads look at there. */
  #lookCell(place: number, inside: Inside, { tokens: ids }: Sampled, vocabulary: Vocabulary): HTMLElement {
    const button = element('button', { type: 'button', class: 'small' }, 'Look inside');
    const cell = element('td', { class: 'next', 'aria-live': 'polite' }, button);
    button.addEventListener('click', async () => {
      for (const other of this.box.querySelectorAll('[aria-pressed]')) other.removeAttribute('aria-pressed');
      button.ariaPressed = 'true';
      try {
        const next = await inside.next(place);
        cell.replaceChildren(button, ...next.map((one) => nextWord(one, vocabulary)));
        this.#look ??= new (await import('./look_inside.ts')).LookInside();
        await this.#look.show(place, shownToken(ids[place] as number, vocabulary), inside, vocabulary);
        this.box.prepend(this.#look.box);
        this.#look.box.scrollIntoView({ block: 'nearest' });
      } catch {
        cell.replaceChildren(button, ' The policy did not answer.');
      }
    });
    return cell;
  }

  #close(): void {
    this.box.hidden = true;
    this.box.replaceChildren();
    this.#from?.focus();
  }
}

function nextWord({ id, probability }: NextToken, vocabulary: Vocabulary): HTMLElement {
  const token = element('i', { class: 'token', style: `--p: ${probability.toFixed(3)}` }, shownToken(id, vocabulary));
  return element('span', {}, token, ` ${percent(probability)}`);
}

function cells(number: string, token: HTMLElement | string, logprob: number): HTMLElement[] {
  return [
    element('td', { class: 'quiet' }, number),
    element('td', {}, token),
    element('td', {}, percent(Math.exp(logprob))),
    element('td', {}, minus(logprob.toFixed(4))),
  ];
}

/** A token's text, its end made visible. */
export function shownToken(id: number, vocabulary: Vocabulary): string {
  const text = vocabulary[id] ?? '?';
  return text === '<eos>' ? '⏎' : text;
}

/** `3`, `1,200`, `2e+9`. */
function atMost(count: number): string {
  return count < 10 ? count.toFixed(1) : count < 1e6 ? Math.round(count).toLocaleString('en') : count.toExponential(0);
}
