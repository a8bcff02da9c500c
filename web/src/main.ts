/** The page: makes the panels, opens the run of the link, and draws what changed at most once a frame. */
import { byId, element } from '../../packages/report/page/dom.ts';
import { AgreementPanel } from './agreement_panel.ts';
import { AskPanel } from './ask_panel.ts';
import { Controls } from './controls.ts';
import { Curves } from './curves.ts';
import { Cycle } from './cycle.ts';
import { embed, ofExperiment } from './embed.ts';
import { type Experiment, type OwnCode, readWholeLink, wholeLinkOf } from './experiment.ts';
import { GroupPanel } from './group_panel.ts';
import type { HackPanel } from './hack_panel.ts';
import { isolate } from './isolation.ts';
import { KeepPanel } from './keep_panel.ts';
import { Lab } from './lab.ts';
import { LivePay } from './live_pay.ts';
import { keepForOffline } from './offline.ts';
import { OverlayPanel } from './overlay_panel.ts';
import { PresetsPanel } from './presets_panel.ts';
import { Recorded } from './recorded.ts';
import { EXAMPLE, RewardPanel } from './reward_panel.ts';
import { SettingsPanel } from './settings_panel.ts';
import { TASK_EXAMPLE, TaskPanel } from './task_panel.ts';

/** Milliseconds of rest between two drawings of everything: curves need no more. */
const DRAW_MS = 200;
/** Milliseconds of scripts in a frame after which the rest of a drawing waits for the next one. */
const FRAME_MS = 4;

/** A part of the page that shows what is known. */
interface Part {
  /** @returns true where so much is new that laying it out is enough for a frame */
  update(): unknown;
}

const CODE_KEYS = { reward: 'rlvr-train reward', task: 'rlvr-train task' } as const;

async function start(): Promise<void> {
  if (await isolate()) return;
  const query = new URLSearchParams(location.search);
  const backend = {
    name: pick(query.get('backend'), ['auto', 'webgpu', 'wasm'] as const),
    software: query.has('software'),
    ...(query.has('threads') && { threads: Number(query.get('threads')) }),
  };
  const codes = {
    reward: localStorage.getItem(CODE_KEYS.reward) ?? EXAMPLE,
    task: localStorage.getItem(CODE_KEYS.task) ?? TASK_EXAMPLE,
  };
  const parts: Part[] = [];
  const draw = drawing(parts);
  const isEmbedded = query.get('embed') === '1';
  if (isEmbedded) embed(byId('full') as HTMLAnchorElement);
  const link = await readWholeLink(isEmbedded && location.hash === '' ? `#${ofExperiment(query)}` : location.hash);
  let isKept = false;
  let moved: Lab['moved'] | undefined;
  /** What the address said of the experiment that is shown: one that came since is a link's, which nobody has opened. */
  let address = location.hash;
  const lab = new Lab(link.experiment, codes, backend, () => {
    if (lab.run !== undefined && location.hash === address && !isOwnReload()) markOpened();
    if (lab.run !== undefined && !isKept) {
      isKept = true;
      void keepForOffline();
    }
    // What is moved within a run is part of it: a reload has it from the run, and others from the address.
    if (lab.run !== undefined && lab.moved !== moved) {
      moved = lab.moved;
      if (shown !== undefined || moved.length > 0) void show(lab.whole);
    }
    draw.soon();
  });
  for (const code of Object.values(codes)) lab.agreement.learn(code);
  const drawn = drawnStatus(lab);
  parts.push(drawn.first);
  let shown: Experiment | undefined;
  const show = async (experiment: Experiment): Promise<void> => {
    shown = experiment;
    const hash = await wholeLinkOf(experiment, lab.codes);
    if (shown !== experiment) return;
    address = `#${hash}`;
    markOpened(address);
  };
  // What was open before a reload is opened again; of anything else that an address asks for, nothing is before a click.
  const wasOpen = isOwnReload();
  lab.codes = { ...lab.codes, ...link.codes };
  const opened = wasOpen ? lab.open() : lab.offer(link, location.hash.length > 1);
  const choose = (experiment: Experiment): void => {
    void show(experiment);
    void lab.open(experiment).then(() => overlay.look());
  };
  const curves = new Curves(byId('accuracy'), byId('curves'), lab, () => draw.soon());
  const overlay = new OverlayPanel(byId('earlier'), lab, curves);
  const controls = new Controls(lab);
  const cycle = new Cycle(byId('cycle'), lab);
  const pay = new LivePay(lab, () => draw.soon());
  // What the visitor wrote alone: the other code may be a link's, which was not agreed to.
  const own =
    (what: OwnCode['what']) =>
    (experiment: Experiment): void => {
      localStorage.setItem(CODE_KEYS[what], lab.codes[what]);
      choose(experiment);
    };
  const panels: readonly (() => readonly Part[])[] = [
    () => [new AgreementPanel(byId('agreement'), lab)],
    () => [new PresetsPanel(byId('presets'), byId('about'), lab, choose), new Recorded(lab)],
    () => [new SettingsPanel(byId('settings'), lab, choose)],
    // The controls can be used once whatever else can be is there; what takes frames of its own comes after them.
    () => [new AskPanel(byId('ask'), lab), new KeepPanel(byId('keep'), lab, show), controls],
    () => curves.parts,
    () => [cycle, ...new GroupPanel(byId('group'), lab, cycle, pay).parts],
    () => [hackPart(lab, draw.soon)],
  ];
  for (const make of panels) {
    parts.push(...make());
    await nextTask(); // all at once, they would be a task of 50 ms
  }
  parts.push(
    new RewardPanel(byId('reward'), lab, pay, own('reward')),
    new TaskPanel(byId('own-task'), lab, own('task')),
    drawn.last,
  );
  contents();
  addEventListener('hashchange', async () => {
    const { hash } = location;
    const asked = await readWholeLink(hash);
    if (location.hash !== hash) return; // another came meanwhile
    address = hash;
    shown = undefined;
    await lab.offer(asked, true);
  });
  draw.soon();
  await opened;
  const name = query.get('run');
  if (name !== null) (await import('./served_run.ts')).offerServedRun(name, byId('controls'), lab, show);
  await overlay.look();
}

/** Comes with the first step of a reward that can be hacked: where it is the verdict itself, there is nothing between them. */
function hackPart(lab: Lab, draw: () => void): Part {
  const section = byId('hack');
  let panel: HackPanel | undefined;
  let isAsked = false;
  return {
    update() {
      section.hidden = lab.experiment.reward === 'accuracy' || lab.history.step === 0;
      if (section.hidden) return false;
      if (!isAsked) {
        isAsked = true;
        void import('./hack_panel.ts').then((module) => {
          panel = new module.HackPanel(byId('hack-body'), lab);
          draw();
        });
      }
      return panel?.update() ?? false;
    },
  };
}

/** Links within the page move to their place alone: what an address has after # is the experiment. */
function contents(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.skip, #contents [href^="#"]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const place = byId(link.hash.slice(1));
      place.tabIndex = -1;
      place.focus();
    });
  }
  // `rlvr-train ui` serves the page below a token.
  const isServed = /^\/[\w-]{24}\/train\/$/.test(location.pathname);
  for (const id of ['all-runs', 'docs']) byId(id).hidden = !isServed;
}

/**
 * Says for others, in `data-status` of the body, what the whole page shows: after every other part, since each may move
 * what is below it, and a click that comes meanwhile would miss. While another state is being drawn it says none.
 */
function drawnStatus(lab: Lab): { readonly first: Part; readonly last: Part } {
  let { status } = lab;
  return {
    first: {
      update: () => {
        status = lab.status; // it may change between two frames of a drawing
        if (document.body.dataset.status !== status) delete document.body.dataset.status;
      },
    },
    last: {
      update: () => {
        if (document.body.dataset.status !== status) document.body.dataset.status = status;
      },
    },
  };
}

/** Marks the address, and what it says from now on, as opened by the visitor: a reload opens it again. */
function markOpened(hash = location.hash): void {
  history.replaceState({ opened: true }, '', hash === '' ? location.href : hash);
}

/** Whether the visitor opened this very entry of the tab's history. No link can make one. */
function isOwnReload(): boolean {
  return (history.state as { readonly opened?: unknown } | null)?.opened === true;
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * Draws in animation frames, so never while the tab is hidden, and not too often; part by part, so that no frame takes
 * longer than a little more than `FRAME_MS`. Between two drawings it asks for no frame: each costs style and layout.
 */
function drawing(parts: readonly Part[]): { readonly soon: () => void } {
  let isDue = false;
  let ended = -DRAW_MS;
  let next = 0;
  const frame = (): void => {
    if (next === 0) isDue = false;
    const start = performance.now();
    try {
      let isEnough = false;
      while (next < parts.length && !isEnough && performance.now() - start < FRAME_MS) {
        isEnough = parts[next++]?.update() === true;
      }
    } finally {
      if (next < parts.length) requestAnimationFrame(frame);
      else {
        next = 0;
        ended = performance.now();
        if (isDue) begin();
      }
    }
  };
  const begin = (): void => {
    const wait = ended + DRAW_MS - performance.now();
    if (wait <= 0) requestAnimationFrame(frame);
    else setTimeout(() => requestAnimationFrame(frame), wait);
  };
  return {
    soon: () => {
      const isDrawing = isDue || next > 0;
      isDue = true;
      if (!isDrawing) begin();
    },
  };
}

function pick<const T extends string>(value: string | null, known: readonly T[]): T {
  return known.find((one) => one === value) ?? (known[0] as T);
}

start().catch((error: unknown) => {
  byId('notes').append(element('p', { class: 'note stop' }, `The page could not start: ${String(error)}`));
});
