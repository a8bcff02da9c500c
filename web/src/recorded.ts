/** What was learned in an experiment, to be watched in twenty seconds: in the run that is kept here, or in a recorded one. */
import { keptRuns } from 'rlvr-train/web';
import { byId, element } from '../../packages/report/page/dom.ts';
import type { Recording } from '../../packages/web/recording.ts';
import { type Experiment, linkOf, PRESETS } from './experiment.ts';
import type { Lab, LabStatus } from './lab.ts';

const SETTLED: readonly LabStatus[] = ['waiting', 'resting', 'finished'];

interface Source {
  /** Text of the button, and the words beside it. */
  readonly label: string;
  readonly about: string;
  readonly load: () => Promise<Recording>;
}

export class Recorded {
  readonly #lab: Lab;
  readonly #section = byId('recorded');
  readonly #offer = byId('watch-offer');
  readonly #place = byId('replay');
  #shown: Experiment | undefined;
  /** Whether what is offered was looked for while nothing was being written. */
  #isSettled = false;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /** Looks for each experiment, and again when its run rests; what a live run writes takes the place of a replay. */
  update(): void {
    const { experiment, status } = this.#lab;
    if (status === 'training') this.#place.replaceChildren();
    const isSettled = this.#rests;
    const isOther = experiment !== this.#shown;
    const isDue = isOther || (isSettled && !this.#isSettled);
    this.#shown = experiment;
    this.#isSettled = isSettled;
    if (isOther) this.#place.replaceChildren();
    if (isDue) void this.#find(experiment);
  }

  /** Nothing is written, and there may be something to replay. */
  get #rests(): boolean {
    const { status, history } = this.#lab;
    return SETTLED.includes(status) && (status === 'waiting' || history.step > 0);
  }

  async #find(experiment: Experiment): Promise<void> {
    const source = (await this.#kept(experiment)) ?? shipped(experiment);
    if (experiment !== this.#shown || this.#place.firstChild !== null) return;
    const isLinked = this.#lab.linked === experiment;
    this.#section.hidden = source === undefined && !isLinked;
    this.#offer.hidden = false;
    if (source === undefined) {
      const time = isPlain(experiment) ? `, in ${PRESETS[experiment.preset]?.time}` : '';
      this.#offer.replaceChildren(`Nobody has recorded this experiment: Train learns it again${time}.`);
      return;
    }
    const watch = element('button', { id: 'watch', type: 'button' }, source.label);
    watch.addEventListener('click', () => void this.#watch(source));
    this.#offer.replaceChildren(watch, ' ', element('span', { class: 'quiet' }, source.about));
    // Who opens a link sees at once what was learned; it opens no engine.
    if (isLinked && this.#lab.status === 'waiting') await this.#watch(source, false);
  }

  async #kept(experiment: Experiment): Promise<Source | undefined> {
    const name = await this.#lab.name();
    if (!(await keptRuns().catch((): string[] => [])).includes(name)) return undefined;
    if (!this.#rests) return undefined; // it is written now, and looked for again once it rests
    const recording = await import('./kept_recording.ts')
      .then(({ keptRecording }) => keptRecording(name, experiment))
      .catch(() => undefined);
    return (
      recording && {
        label: 'Watch what it learned',
        about: 'in the run that this browser keeps, in twenty seconds, without training',
        load: async () => recording,
      }
    );
  }

  async #watch({ load }: Source, isFocused = true): Promise<void> {
    this.#offer.hidden = true;
    const close = (): void => {
      this.#offer.hidden = false;
      byId('watch').focus();
    };
    try {
      const { openReplay } = await import('./replay.ts');
      openReplay(this.#place, await load(), close, isFocused);
    } catch {
      const problem = 'The recording cannot be loaded. Is there a network?';
      this.#place.replaceChildren(element('p', { class: 'problem' }, problem));
      close();
    }
  }
}

function isPlain(experiment: Experiment): boolean {
  return linkOf(experiment) === `preset=${experiment.preset}`;
}

/** The recording of a preset, for the very experiment that it is of. */
function shipped(experiment: Experiment): Source | undefined {
  const url = isPlain(experiment) ? PRESETS[experiment.preset]?.recording : undefined;
  return (
    url && {
      label: 'Watch a recorded run',
      about: 'how a policy learned this, in twenty seconds, without training',
      load: async () => {
        const response = await fetch(url);
        if (!response.ok) throw new TypeError(`${url}: ${response.status}`);
        return (await response.json()) as Recording; // written by tools/record_run.mjs
      },
    }
  );
}
