/** The page for pretrained models: its panels, drawn when something changed. */
import type { BackendRequest } from 'rlvr-train/web';
import { byId } from '../../../packages/report/page/dom.ts';
import { percent } from '../../../src/format.ts';
import { Curves } from '../curves.ts';
import { isolate } from '../isolation.ts';
import { keepForOffline } from '../offline.ts';
import { AnswersPanel } from './answers_panel.ts';
import { ChatPanel } from './chat_panel.ts';
import { GivePanel } from './give_panel.ts';
import { JobPanel } from './job_panel.ts';
import { LibraryPanel } from './library_panel.ts';
import { MemoryPanel } from './memory_panel.ts';
import { ModelLab } from './model_lab.ts';
import { type StepName, Steps } from './steps.ts';
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
  let model = '';
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
  const steps = new Steps(byId('steps'));
  const job = new JobPanel(byId('job-fields'), byId('job-plan'), lab);
  const training = new TrainingPanel(byId('controls'), lab);
  const library = new LibraryPanel(byId('library'), (name) => {
    model = name;
    job.use(name);
  });
  for (const button of document.querySelectorAll<HTMLElement>('[data-to]')) {
    button.addEventListener('click', () => {
      steps.show(button.dataset.to as StepName); // the page's own markup
      if (button.dataset.to === 'training' && lab.isClosed) void lab.train();
    });
  }
  const lines = {
    update(): void {
      const { history, plan, yaml, compared } = lab;
      const last = history.accuracies.at(-1);
      steps.say('model', model);
      const problems = plan?.problems.train;
      steps.say('job', plan === undefined ? '' : problems === null ? 'endless problems' : `${problems} problems`);
      steps.say('training', [training.line(), ...(last ? [`${percent(last.greedy.mean)} right`] : [])].join(' · '));
      steps.say('chat', compared.length === 0 ? 'before and after' : `${compared.length} asked`);
      steps.say('give', 'files for seven uses');
      for (const button of document.querySelectorAll<HTMLButtonElement>('[data-to="job"], [data-to="training"]')) {
        button.disabled = button.dataset.to === 'job' ? model === '' : yaml === '' || lab.problem !== undefined;
      }
    },
  };
  const { parts: curves } = new Curves(byId('accuracy'), byId('curves'), lab, changed);
  parts.push(job, training, lines);
  parts.push(new MemoryPanel(byId('memory'), lab), new AnswersPanel(byId('written'), lab), ...curves);
  parts.push(new ChatPanel(byId('chat-box'), lab), new GivePanel(byId('give-box'), lab));
  changed();
  await library.start(backend);
}

void start();
