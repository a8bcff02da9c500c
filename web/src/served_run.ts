/** A run of the command line, on the page that `rlvr-train ui` serves: read from that server, and opened here at a click. */
import { element } from '../../packages/report/page/dom.ts';
import { type Experiment, ofPreset, PRESETS } from './experiment.ts';
import type { Lab } from './lab.ts';
import { messageOf } from './notes.ts';

/** What the server says of a run: where its files lie, and its config with every default. */
interface ServedFiles {
  readonly files: readonly string[];
  readonly config: unknown;
}

/** Offers the run that the address names. @param opened  called with its experiment */
export function offerServedRun(
  name: string,
  place: HTMLElement,
  lab: Lab,
  opened: (experiment: Experiment) => void,
): void {
  const button = element('button', { type: 'button', id: 'open-served', class: 'main' }, 'Open it here');
  const said = element('p', { class: 'quiet', role: 'status' });
  const offer = element(
    'section',
    { class: 'agreement', 'aria-label': 'A run of the command line' },
    element(
      'p',
      {},
      'The run ',
      element('strong', {}, name),
      ' of the command line can be continued in this page, with the same weights. Its directory stays as it is.',
    ),
    button,
    said,
  );
  button.addEventListener('click', async () => {
    button.disabled = true;
    said.textContent = 'Its files are read.';
    try {
      const experiment = await open(name, lab);
      offer.remove();
      opened(experiment);
    } catch (error) {
      said.textContent = `It cannot be opened here: ${messageOf(error)}`;
      button.disabled = false;
    }
  });
  place.prepend(offer);
}

/** @throws Error in words, where the server or the page refuses it */
async function open(name: string, lab: Lab): Promise<Experiment> {
  const run = `run=${encodeURIComponent(name)}`;
  const { files: paths, config } = (await (await asked(`../files.json?${run}`)).json()) as ServedFiles; // our server sends it
  const experiment = experimentOf(config);
  const files = new Map<string, Uint8Array>();
  for (const path of paths) {
    const response = await asked(`../file?${run}&path=${encodeURIComponent(path)}`);
    files.set(path, new Uint8Array(await response.arrayBuffer()));
  }
  if (!(await lab.load({ experiment, codes: {}, files }, name))) throw new Error('nothing was opened');
  return experiment;
}

async function asked(address: string): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(await response.text());
  return response;
}

type Tree = Readonly<Record<string, unknown>>;

/**
 * The experiment whose job is this config, as far as the page has its settings; whether it is the same in every key, the
 * run's own hash says when it is opened.
 *
 * @throws Error in words, for a job that the page has no settings for
 */
export function experimentOf(config: unknown): Experiment {
  const { task, model, stages, seed } = config as {
    task?: Tree;
    model?: Tree;
    stages?: readonly Tree[];
    seed?: number;
  };
  const preset = Object.keys(PRESETS).find((name) => ofPreset(name).task === task?.name);
  const [warmStart, grpo] = stages?.length === 2 ? stages : [undefined, stages?.[0]];
  const isKnown = grpo?.stage === 'grpo' && (warmStart === undefined || warmStart.stage === 'sft');
  if (preset === undefined || model === undefined || seed === undefined || grpo === undefined || !isKnown) {
    throw new Error('the page has no settings for its task or its stages; the command line can continue it');
  }
  const { name, ...knobs } = task as Tree;
  const [reward] = grpo.reward_funcs as readonly (string | { readonly name: string })[];
  return {
    preset,
    task: name as Experiment['task'], // one of a preset
    knobs: knobs as Experiment['knobs'], // values of knobs are plain
    width: Number(model.hidden_size),
    layers: Number(model.num_hidden_layers),
    heads: Number(model.num_attention_heads),
    warmStart: Number(warmStart?.max_steps ?? 0),
    steps: Number(grpo.max_steps),
    group: Number(grpo.num_generations),
    batch: Number(grpo.generation_batch_size),
    rate: Number(grpo.learning_rate),
    temperature: Number(grpo.temperature),
    entropy: Number(grpo.entropy_coef),
    clip: Number(grpo.epsilon),
    reward: typeof reward === 'string' ? reward : (reward?.name ?? ''),
    beta: Number(grpo.beta),
    evalEvery: Number(grpo.eval_steps),
    seed,
  };
}
