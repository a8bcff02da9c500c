/** The page for pretrained models: its panels, drawn when something changed. */
import type { BackendRequest } from 'rlvr-train/web';
import { byId } from '../../../packages/report/page/dom.ts';
import { Curves } from '../curves.ts';
import { isolate } from '../isolation.ts';
import { keepForOffline } from '../offline.ts';
import { ChatPanel } from './chat_panel.ts';
import { GivePanel } from './give_panel.ts';
import { JobPanel } from './job_panel.ts';
import { LibraryPanel } from './library_panel.ts';
import { ModelLab } from './model_lab.ts';
import { TrainingPanel } from './training_panel.ts';

/** Milliseconds between two drawings, at least. */
const DRAW_MS = 200;

async function start(): Promise<void> {
  if (await isolate()) return;
  const query = new URLSearchParams(location.search);
  const names = ['auto', 'webgpu', 'wasm'] as const;
  const backend: BackendRequest = {
    name: names.find((name) => name === query.get('backend')) ?? 'auto',
    ...(query.has('threads') && { threads: Number(query.get('threads')) }),
  };
  let isDue = false;
  let isKept = false;
  const parts: { update(): unknown }[] = [];
  const changed = (): void => {
    // A model that is here is asked about: from then on the page needs no network.
    if (lab.plan !== undefined && !isKept) {
      isKept = true;
      void keepForOffline();
    }
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      for (const part of parts) part.update();
    }, DRAW_MS);
  };
  const lab = new ModelLab(backend, changed);
  const job = new JobPanel(byId('job'), lab);
  const library = new LibraryPanel(byId('library'), (name) => job.use(name));
  parts.push(
    job,
    new TrainingPanel(byId('controls'), lab),
    ...new Curves(byId('curves'), byId('curves'), lab, changed).parts,
    new ChatPanel(byId('chat'), lab),
    new GivePanel(byId('give'), lab),
  );
  changed();
  await library.start();
}

void start();
