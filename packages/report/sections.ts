/** The parts of the page that need no script: how it went, what was noticed, the machine, the config. */
import { commandName } from '../../src/command_name.ts';
import { counted } from '../../src/format.ts';
import { settingText } from './by_task.ts';
import { duration, formatValue } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { RunRecords } from './read_run.ts';
import { placeText, renderSaid } from './said.ts';

/**
 * Everything inside `<body>` but data and script; the script fills `#charts` and `#completions`, and on a page that a
 * server makes it replaces `#said` and `#details` when they say something else.
 *
 * @param ways  on a page that a server makes: where else to go, and what to ask of the run
 */
export function renderBody(name: string, run: RunRecords & { readonly isRunning?: boolean }, ways?: Markup): Markup {
  return html`
<header class="top">
  <div>
    <h1>${name}</h1>
    <p class="about">${taskText(run)}${startText(run)} ${status(run, run.isRunning === true)}</p>
  </div>
  <button type="button" id="theme" title="Switch between light and dark">Theme</button>
</header>
<main>
  ${ways}
  <div id="said">
  ${renderSaid(run)}
  </div>
  <section aria-labelledby="curves-title"><h2 id="curves-title">Curves</h2><div id="charts"></div></section>
  <section aria-labelledby="completions-title"><h2 id="completions-title">Completions</h2><div id="completions"></div></section>
  <div id="details">
  ${timeSplit(run)}
  ${repeat(run)}
  ${machine(run)}
  ${config(run)}
  </div>
</main>
<noscript><p class="notice">Curves and completions need JavaScript; nothing is loaded from anywhere.</p></noscript>
<footer>Made by rlvr-train ${run.fingerprint?.packageVersion} from the run directory${ways === undefined ? '; the page is complete in itself' : ', as it is'}.</footer>
`;
}

function taskText({ outline: { task, tasks = [] } }: RunRecords): string {
  return [...(task === undefined ? [] : [task]), ...tasks].map(settingText).join(' + ');
}

/** The model or the run that its weights began as. */
function startText({ fingerprint }: RunRecords): string {
  return fingerprint?.start === undefined ? '' : `, from ${fingerprint.start}`;
}

function status(run: RunRecords, isRunning: boolean): Markup {
  if (run.summary !== undefined) return html`<span class="status finished">finished</span>`;
  if (isRunning) return html`<span class="status unfinished">under way, ${placeText(run)}</span>`;
  if (run.failure !== undefined) return html`<span class="status failed">stopped by an error</span>`;
  return html`<span class="status unfinished">unfinished, ${placeText(run)}</span>`;
}

function timeSplit({ summary }: RunRecords): Markup | undefined {
  if (summary === undefined) return undefined;
  const named = Object.entries(summary.split).filter(([, seconds]) => seconds > 0);
  const rest = summary.wallSeconds - named.reduce((sum, [, seconds]) => sum + seconds, 0);
  const parts = [...named, ['other: checkpoints, logs', Math.max(0, rest)] as const];
  const total = parts.reduce((sum, [, seconds]) => sum + seconds, 0) || 1;
  const colour = (i: number): string => (i === parts.length - 1 ? 'rest' : `t${i}`);
  let at = 0;
  const bars = parts.map(([, seconds], i) => {
    const width = (1000 * seconds) / total;
    at += width;
    return html`<rect class="${colour(i)}" x="${(at - width).toFixed(1)}" y="0" width="${width.toFixed(1)}" height="10"/>`;
  });
  const rows = parts.map(
    ([name, seconds], i) =>
      html`<div><dt><span class="key ${colour(i)}"></span>${name}</dt><dd>${duration(seconds)}</dd><dd class="note">${formatValue(seconds / total, 'share')}</dd></div>`,
  );
  return html`
  <section aria-labelledby="time-title"><h2 id="time-title">Where the time went</h2>
  <svg class="split" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>
  <dl class="splits">${rows}</dl>
  </section>`;
}

/** What gives the same weights again: the config below, with this version; and the code of the user's that it names. */
function repeat({ fingerprint }: RunRecords): Markup | undefined {
  if (fingerprint === undefined) return undefined;
  const { packageVersion, configHash, modules = {} } = fingerprint;
  const moduleFiles = Object.keys(modules);
  const code = moduleFiles.length === 0 ? '' : ` and code of its own (${moduleFiles.join(', ')})`;
  return html`
  <section aria-labelledby="repeat-title"><h2 id="repeat-title">How to repeat this</h2>
  <p class="quiet">With rlvr-train ${packageVersion}, the config below as config.yaml${code}; its hash is <code>${configHash.slice(0, 16)}</code>. On the same backend the weights have the same hash.</p>
  <pre class="command" tabindex="0">${commandName()} --config config.yaml --output runs/again</pre>
  </section>`;
}

function machine({ fingerprint, summary }: RunRecords): Markup | undefined {
  if (fingerprint === undefined) return undefined;
  const { backend, backendFeatures, threads, runtime, engine, platform, arch, cpuModel } = fingerprint;
  const features = Object.entries(backendFeatures).map(([feature, value]) => `${feature} ${value}`);
  const rows: [string, string | undefined][] = [
    ['Processor', `${cpuModel} (${platform} ${arch})`],
    ['Backend', [backend, `${threads} ${threads === 1 ? 'thread' : 'threads'}`, ...features].join(', ')],
    ['Runtime', `${runtime}, ${engine}`],
    ['rlvr-train', fingerprint.packageVersion],
    ['Git commit', fingerprint.gitCommit ?? undefined],
    ['Seed', String(fingerprint.seed)],
    ['Weights, SHA-256', summary?.weightsSha256],
    ['Config, SHA-256', fingerprint.configHash],
  ];
  const knownRows = rows.filter(([, value]) => value !== undefined);
  return html`
  <section aria-labelledby="machine-title"><h2 id="machine-title">Machine and versions</h2>
  <dl class="facts">${knownRows.map(([key, value]) => html`<div><dt>${key}</dt><dd>${value}</dd></div>`)}</dl>
  </section>`;
}

/** The config with every default, its keys set apart from their values. */
function config({ configYaml }: RunRecords): Markup {
  const lines = configYaml.trimEnd().split('\n');
  const marked = lines.map((line) => {
    const [, before, key, rest] = /^([\s-]*)([\w./@][\w./@-]*:)(.*)$/.exec(line) ?? [];
    return key === undefined ? html`${line}\n` : html`${before}<span class="yaml">${key}</span>${rest}\n`;
  });
  return html`
  <section aria-labelledby="config-title"><h2 id="config-title">Config</h2>
  <p class="quiet">config.yaml of the run: every key, defaults written out.</p>
  <details open><summary>${counted(lines.length, 'line')}</summary><pre class="config" tabindex="0">${marked}</pre></details>
  </section>`;
}
