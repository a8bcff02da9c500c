/** Where the heads look as a token is written: all of them at a glance, and one over prompt and answer, before and now. */
import type { Attention } from 'rlvr-train/web';
import { element, write } from '../../packages/report/page/dom.ts';
import { percent } from '../../src/format.ts';
import { type Inside, shownToken, type Vocabulary } from './token_table.ts';

const MOMENTS = ['Before', 'Now'] as const;

/** What is looked at is said in words, too: the two tokens with the largest shares. */
const SAID = 2;

export class LookInside {
  readonly box = element('section', { class: 'look', 'aria-label': 'Attention' });
  /** The head that is shown, counted over all layers; it stays from token to token. */
  #chosen: number | undefined;

  /** @param place  of the token in the answer @param word  what it writes */
  async show(place: number, word: string, inside: Inside, vocabulary: Vocabulary): Promise<void> {
    const moments = await Promise.all(MOMENTS.map((_, i) => inside.attention(place, i === 0)));
    const { tokens, layers } = moments[1] as Attention;
    const heads = (layers[0]?.length ?? 0) / tokens.length;
    this.#chosen ??= (layers.length - 1) * heads;
    const words = Array.from(tokens, (id) => shownToken(id, vocabulary));
    const sharesOf = (moment: Attention, head: number): Float32Array => {
      const from = (head % heads) * tokens.length;
      return (moment.layers[Math.floor(head / heads)] as Float32Array).subarray(from, from + tokens.length);
    };
    const views = moments.map((moment) => {
      const chips = words.map((text) => element('i', { class: 'token seen' }, text));
      const said = element('p', { class: 'quiet' });
      const draw = (head: number): void => {
        const shares = sharesOf(moment, head);
        const most = Math.max(...shares);
        for (const [i, chip] of chips.entries()) {
          chip.style.setProperty('--seen', ((shares[i] as number) / most).toFixed(3));
          chip.title = percent(shares[i] as number);
        }
        const first = [...shares.keys()].sort((a, b) => (shares[b] as number) - (shares[a] as number)).slice(0, SAID);
        write(said, `mostly at ${first.map((i) => `${words[i]} (${percent(shares[i] as number)})`).join(' and ')}`);
      };
      return { draw, parts: [element('p', {}, ...chips, element('i', { class: 'token next' }, word)), said] };
    });
    const title = element('h3');
    const choose = (head: number): void => {
      this.#chosen = head;
      const [layer, own] = [Math.floor(head / heads) + 1, (head % heads) + 1];
      write(title, `As it writes ${word}, head ${own} of layer ${layer} looks at`);
      for (const { draw } of views) draw(head);
    };
    const rows = layers.map((_, layer) =>
      element(
        'div',
        {},
        `layer ${layer + 1}`,
        ...Array.from({ length: heads }, (__, own) => {
          const head = layer * heads + own;
          const name = `layer ${layer + 1}, head ${own + 1}`;
          const input = element('input', {
            ...{ type: 'radio', name: 'head', 'aria-label': name, checked: head === this.#chosen },
          });
          input.addEventListener('change', () => choose(head));
          return element('label', { title: name }, input, strip(sharesOf(moments[1] as Attention, head)));
        }),
      ),
    );
    this.box.replaceChildren(
      title,
      element(
        'fieldset',
        { class: 'heads' },
        element('legend', { class: 'quiet' }, 'Heads, and where each looks now'),
        ...rows,
      ),
      element(
        'div',
        { class: 'moments', 'aria-live': 'polite' },
        ...views.map(({ parts }, i) => element('div', {}, element('h4', {}, MOMENTS[i] as string), ...parts)),
      ),
    );
    choose(this.#chosen);
  }
}

/** The shares from the first token to the last, as a strip. */
function strip(shares: Float32Array): HTMLElement {
  const most = Math.max(...shares);
  const stops = Array.from(shares, (share, i) => {
    const color = `color-mix(in srgb, var(--look) ${Math.round((100 * share) / most)}%, transparent)`;
    return `${color} ${(100 * i) / shares.length}% ${(100 * (i + 1)) / shares.length}%`;
  });
  return element('span', { style: `background-image: linear-gradient(90deg, ${stops.join()})` });
}
