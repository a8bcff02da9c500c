/** The page of a link like `lend.html#wss://visitor:password@host:4223`: asks a visitor to lend the tab, and says what it gives. */
import { type Lending, type LendingNews, lendTab } from 'rlvr-train/web';
import { byId, element } from '../../packages/report/page/dom.ts';
import { isolate } from './isolation.ts';

/** Sentences of the fleet that are shown. */
const MOST_LINES = 5;

const STATES: Readonly<Record<NonNullable<LendingNews['state']>, string>> = {
  connected: 'Connected. It computes where there is something to do.',
  away: 'The server does not answer; it is tried again.',
  refused: 'The server refuses this link.',
  failed: 'It has stopped.',
};

const [lend, stop] = ['lend', 'stop'].map((id) => byId(id) as HTMLButtonElement);
const threads = byId('threads') as HTMLSelectElement;
const said: string[] = [];
let lending: Lending | undefined;

function show({ state, line, groups, tokens }: LendingNews): void {
  if (state !== undefined) say(STATES[state], state);
  if (groups !== undefined) byId('groups').textContent = groups.toLocaleString('en');
  if (tokens !== undefined) byId('tokens').textContent = tokens.toLocaleString('en');
  if (line !== undefined) {
    said.push(line);
    byId('lines').replaceChildren(...said.slice(-MOST_LINES).map((text) => element('li', {}, text)));
  }
  if (state === 'refused' || state === 'failed') end();
}

function say(text: string, status: string): void {
  byId('status').textContent = text;
  document.body.dataset.status = status; // for others: what the page shows
}

function end(): void {
  lending?.stop();
  lending = undefined;
  lend.disabled = false;
  stop.disabled = true;
  threads.disabled = false;
}

function begin(server: string): void {
  lend.disabled = true;
  stop.disabled = false;
  threads.disabled = true;
  say('Connecting …', 'connecting');
  lending = lendTab({ server, threads: Number(threads.value) }, show);
}

async function start(): Promise<void> {
  const server = location.hash.slice(1);
  const host = URL.canParse(server) ? new URL(server).host : '';
  byId('host').textContent = host === '' ? 'nobody' : host;
  if (host === '') return say('The link has no address of a fleet.', 'refused');
  if (await isolate()) return;
  const cores = globalThis.crossOriginIsolated ? navigator.hardwareConcurrency : 1;
  threads.replaceChildren(
    ...Array.from({ length: cores }, (_, i) => element('option', { value: i + 1 }, String(i + 1))),
  );
  byId('most').textContent = cores === 1 ? 'This page can use one.' : `of ${cores}`;
  lend.addEventListener('click', () => begin(server));
  stop.addEventListener('click', () => {
    end();
    say('Stopped. Thank you.', 'stopped');
  });
  lend.disabled = false;
  say('Nothing yet: it waits for your click.', 'waiting');
}

addEventListener('hashchange', () => location.reload()); // another link is another question
void start();
