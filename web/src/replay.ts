/** Replays how a run learned, from a recording: its held-out curve, and what it answered to the same few problems. */
import { element, shape, write } from '../../packages/report/page/dom.ts';
import type { RecordedAnswer, RecordedMoment, Recording } from '../../packages/web/recording.ts';
import { counted, duration, percent, thousands } from '../../src/format.ts';
import { linesOf, searchCounts, searchLines } from './search_lines.ts';

/** Milliseconds that all of it takes. */
const REPLAY_MS = 20_000;
/** Share of a moment in which its answers are written; the rest is for reading them. */
const WRITING = 0.6;
const STAGES: Readonly<Record<RecordedMoment['stage'], string>> = { sft: 'supervised', grpo: 'reinforcement' };

class Replay {
  readonly #recording: Recording;
  readonly #momentMs: number;
  readonly #play = element('button', { type: 'button', class: 'main' });
  readonly #slider: HTMLInputElement;
  readonly #said = element('p', { class: 'replay-moment', 'aria-live': 'polite' });
  readonly #counts = element('div');
  readonly #plot: HTMLElement;
  readonly #list = element('ul', { class: 'completions' });
  #at = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Plays at once, unless the visitor's system asks for less motion.
   * @param onClose  called once it is closed @param isFocused  takes the keyboard
   */
  constructor(place: HTMLElement, recording: Recording, onClose: () => void, isFocused: boolean) {
    this.#recording = recording;
    const { moments, prompts, problems, seed, commit, hardware, seconds, parameters } = recording;
    this.#momentMs = REPLAY_MS / moments.length;
    this.#plot = plotOf(recording);
    this.#slider = element('input', {
      ...{ type: 'range', min: 0, max: moments.length - 1, step: 1, value: 0 },
      'aria-label': 'Evaluation of the recorded run',
    });
    this.#slider.addEventListener('input', () => this.#stepTo(Number(this.#slider.value)));
    this.#play.addEventListener('click', () => (this.#timer === undefined ? this.#start() : this.#pause()));
    const stillness = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const step = element('button', { type: 'button' }, 'Step');
    step.addEventListener('click', () => this.#stepTo((this.#at + 1) % moments.length));
    const close = element('button', { type: 'button' }, 'Close');
    close.addEventListener('click', () => {
      this.#pause();
      place.replaceChildren();
      onClose();
    });
    const isSearch = moments.some(({ answers }) => answers.some(({ search }) => search));
    const tries = isSearch ? ' A try that is closed is dim, a hit is lit, the solution follows.' : '';
    const facts = [
      ...(parameters === undefined ? [] : [`${thousands(parameters)} parameters`]),
      `seed ${seed}`,
      `${duration(seconds)} ${hardware === undefined ? 'in this browser' : `on ${hardware}`}`,
      ...(commit === undefined ? [] : [`commit ${commit}`]),
    ];
    place.replaceChildren(
      element(
        'p',
        {},
        element('strong', {}, 'A recording'),
        ` of a run of this task, ${facts.join(', ')}. Nothing is trained now.`,
      ),
      element('div', { class: 'buttons' }, ...(stillness ? [] : [this.#play]), step, this.#slider, close),
      this.#said,
      this.#plot,
      element(
        'p',
        { class: 'quiet' },
        `Greedy answers to ${prompts.length} of its ${problems === undefined ? 'held-out problems' : counted(problems, 'held-out problem')}, picked before it was trained.${tries}`,
      ),
      this.#counts,
      this.#list,
    );
    if (stillness) this.#draw();
    else this.#start();
    if (!isFocused) return;
    (stillness ? step : this.#play).focus({ preventScroll: true });
    place.scrollIntoView();
  }

  #start(): void {
    if (this.#at === this.#recording.moments.length - 1) this.#at = 0;
    this.#draw();
    const next = (): void => {
      this.#at++;
      this.#draw();
      if (this.#at === this.#recording.moments.length - 1) this.#pause();
      else this.#timer = setTimeout(next, this.#momentMs);
    };
    this.#timer = setTimeout(next, this.#momentMs);
    this.#label();
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#label();
  }

  #label(): void {
    write(this.#play, this.#timer === undefined ? 'Play' : 'Pause');
  }

  #stepTo(at: number): void {
    this.#pause();
    this.#at = at;
    this.#draw();
  }

  #draw(): void {
    const { moments, prompts, seconds: all } = this.#recording;
    const { stage, step, seconds, greedy, sampled, answers } = moments[this.#at] as RecordedMoment;
    this.#slider.value = String(this.#at);
    const figures = `solves ${percent(greedy)} greedily, ${percent(sampled)} sampled`;
    const said = `${STAGES[stage]} step ${thousands(step)}, after ${duration(seconds)}: ${figures}`;
    this.#slider.setAttribute('aria-valuetext', said);
    write(this.#said, said);
    this.#plot.style.setProperty('--now', `${(100 * seconds) / all}%`);
    this.#plot.style.setProperty('--moment', `${this.#timer === undefined ? 0 : this.#momentMs}ms`);
    const searches = answers.flatMap(({ search }) => search ?? []);
    const lengths = answers.map(({ length }) => length);
    const label = 'An answer shown, on average';
    this.#counts.replaceChildren(...(searches.length > 0 ? [searchCounts(lengths, searches, label)] : []));
    const most = Math.max(1, ...searches.map(linesOf));
    this.#list.style.setProperty('--turn-time', `${(this.#momentMs * WRITING) / most}ms`);
    this.#list.replaceChildren(...answers.map((answer, i) => answered(prompts[i] as string, answer)));
  }
}

function answered(prompt: string, { text, isRight, search }: RecordedAnswer): HTMLElement {
  const words = text.split(' ');
  const tokens = words.map((word) => element('i', { class: 'token', style: '--p: 1' }, word));
  return element(
    'li',
    { class: `completion ${isRight ? 'solved' : 'unsolved'}`, style: `--turns: ${search ? linesOf(search) : 0}` },
    element('p', { class: 'prompt' }, element('code', {}, prompt)),
    ...(search ? searchLines(tokens, words, text, search) : [element('p', {}, ...tokens)]),
    element(
      'div',
      { class: 'scores' },
      element('span', { class: isRight ? 'right' : 'wrong' }, isRight ? '✓ right' : '✗ wrong'),
    ),
  );
}

/** The held-out curve; what comes after `--now` is hidden. */
function plotOf({ moments, seconds, problems }: Recording): HTMLElement {
  const pointsOf = (key: 'greedy' | 'sampled'): string =>
    moments.map((moment) => `${(100 * moment.seconds) / seconds},${100 * (1 - moment[key])}`).join(' ');
  const svg = (name: string, ...children: SVGElement[]): SVGElement =>
    shape(
      'svg',
      { class: name, viewBox: '0 0 100 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      ...children,
    );
  const supervised = (100 * (moments.findLast(({ stage }) => stage === 'sft')?.seconds ?? 0)) / seconds;
  return element(
    'div',
    {
      class: 'replay-plot',
      role: 'img',
      'aria-label': `Share of ${problems ?? 'the'} held-out problems solved, over time`,
    },
    svg(
      'grid',
      shape('rect', { width: supervised, height: 100 }),
      ...[0, 50, 100].map((y) => shape('line', { x1: 0, x2: 100, y1: y, y2: y })),
    ),
    svg(
      'lines',
      ...(['greedy', 'sampled'] as const).map((key) => shape('polyline', { class: key, points: pointsOf(key) })),
    ),
    ...['100 %', '50 %'].map((text, i) => element('span', { style: `top: ${50 * i}%` }, text)),
    element(
      'p',
      { class: 'quiet' },
      'Held out: ',
      element('b', {}, '— greedy'),
      ` ┄ sampled${supervised > 0 ? '; shaded: supervised' : ''}`,
    ),
  );
}

/** Plays a recording. @param onClose  called once it is closed @param isFocused  it takes the keyboard */
export function openReplay(place: HTMLElement, recording: Recording, onClose: () => void, isFocused: boolean): void {
  new Replay(place, recording, onClose, isFocused);
}
