/** The section of completions: one step at a time, each group's members side by side, the best first. */
import { counted, thousands } from '../../../src/format.ts';
import type { LoggedTurn } from '../../../src/run/logs/provenance.ts';
import type { CompletionsData, Member, Verdict } from '../data.ts';
import { formatValue } from '../format.ts';
import { originWords, type Piece, piecesOf, promptWords, spokenTurns } from '../provenance.ts';
import { nearest } from './charts/scales.ts';
import { countVerdicts, type FoundGroup, type Search, type StepGroups, search } from './completion_search.ts';
import { choices, element, shape, write } from './dom.ts';
import type { Curves } from './track.ts';
import { readStep, writeState } from './url_state.ts';

const MARKS: Readonly<Record<Verdict, string>> = { right: '✓', wrong: '✕', truncated: '…' };

export class CompletionsViewer {
  readonly #root: HTMLElement;
  #curves: Curves;
  readonly #slider = element('input', { type: 'range', min: 0, step: 1, 'aria-label': 'Step' });
  readonly #place = element('output', { class: 'step' });
  readonly #matches = element('p', { class: 'quiet', role: 'status' });
  readonly #kept = element('p', { class: 'quiet' });
  /** By verdict, the words on its button. */
  #labels: ReadonlyMap<string, HTMLElement> = new Map();
  readonly #groups = element('div');
  #search: Search = { verdict: 'all', text: '' };
  #found: readonly StepGroups[] = [];
  #isFilled = false;

  constructor(root: HTMLElement, curves: Curves) {
    this.#root = root;
    this.#curves = curves;
    this.update(curves);
  }

  /** Shows the completions of these curves; a viewer of the newest step moves on to the one that is the newest now. */
  update(curves: Curves): void {
    const isNewest = Number(this.#slider.value) >= this.#found.length - 1;
    const before = this.#found[Number(this.#slider.value)];
    this.#curves = curves;
    const { completions } = curves.data;
    if (completions.groups.length === 0) {
      const reason =
        completions.stepsRecorded > 0
          ? 'They are too large for a page; read'
          : 'Supervised stages sample none; a grpo step records them in';
      if (!this.#isFilled) this.#root.replaceChildren(element('p', { class: 'quiet' }, `${reason} completions.jsonl.`));
      return;
    }
    if (!this.#isFilled) {
      this.#root.replaceChildren(this.#controls(), this.#matches, this.#navigation(), this.#groups);
    }
    this.#isFilled = true;
    this.#count();
    this.#find();
    const linked = before === undefined ? readStep() : undefined;
    if (linked !== undefined) this.goTo(this.#curves.position(linked.stage, linked.step));
    else if (isNewest || before === undefined) this.#show(this.#found.length - 1);
    else this.goTo(this.#curves.position(before.stage, before.step));
  }

  readonly goTo = (position: number): void => {
    this.#show(
      nearest(
        this.#found.map(({ stage, step }) => this.#curves.position(stage, step)),
        position,
      ),
    );
  };

  #controls(): HTMLElement {
    const verdicts = (['all', 'right', 'wrong', 'truncated'] as const).map((verdict) => [verdict, verdict] as const);
    const text = element('input', { type: 'search', placeholder: 'prompt, completion or reason' });
    text.addEventListener('input', () => this.#change({ text: text.value }));
    const choice = choices('Verdict', verdicts, 'all', (verdict) => this.#change({ verdict }));
    this.#labels = new Map([...choice.querySelectorAll('span')].map((label, i) => [verdicts[i]?.[0] ?? '', label]));
    return element(
      'div',
      { class: 'controls' },
      choice,
      element('label', { class: 'search' }, 'Search', text),
      this.#kept,
    );
  }

  /** How many completions of each verdict there are, and which steps of the run. */
  #count(): void {
    const { groups, stepsRecorded, stepsKept, isEnd } = this.#curves.data.completions;
    const counts = countVerdicts(groups);
    const all = { ...counts, all: counts.right + counts.wrong + counts.truncated };
    for (const [verdict, label] of this.#labels) {
      write(label, `${verdict} ${thousands(all[verdict as keyof typeof all])}`);
    }
    const recorded = `${isEnd ? 'the newest ' : ''}${counted(stepsRecorded, 'step')}`;
    const shown = stepsKept < stepsRecorded ? `${thousands(stepsKept)} of ${recorded}` : recorded;
    const others = isEnd || stepsKept < stepsRecorded ? ` Shown are ${shown}; completions.jsonl has all.` : '';
    write(this.#kept, `The run records some groups of each step, and after 1,000 steps of some.${others}`);
  }

  #navigation(): HTMLElement {
    const move = (by: number): void => this.#show(Number(this.#slider.value) + by);
    const button = (label: string, text: string, by: number): HTMLElement => {
      const made = element('button', { type: 'button', 'aria-label': label }, text);
      made.addEventListener('click', () => move(by));
      return made;
    };
    this.#slider.addEventListener('input', () => move(0));
    const [back, on] = [button('Previous step', '‹', -1), button('Next step', '›', 1)];
    return element('div', { class: 'navigation' }, back, this.#slider, on, this.#place);
  }

  /** A new search stays as near as it can to the step that is shown. */
  #change(changes: Partial<Search>): void {
    const before = this.#found[Number(this.#slider.value)];
    this.#search = { ...this.#search, ...changes };
    this.#find();
    if (before === undefined) this.#show(this.#found.length - 1);
    else this.goTo(this.#curves.position(before.stage, before.step));
  }

  #find(): void {
    this.#found = search(this.#curves.data.completions, this.#search);
    this.#slider.max = String(Math.max(0, this.#found.length - 1));
    const matching = this.#found.flatMap(({ groups }) => groups.map((group) => group.matching.size));
    const total = matching.reduce((sum, size) => sum + size, 0);
    const isAll = this.#search.verdict === 'all' && this.#search.text.trim() === '';
    this.#matches.textContent = isAll
      ? ''
      : `${counted(total, 'completion matches', 'completions match')}, in ${counted(this.#found.length, 'step')}.`;
  }

  #show(index: number): void {
    const at = Math.min(this.#found.length - 1, Math.max(0, index));
    const found = this.#found[at];
    this.#slider.value = String(at);
    const { stages } = this.#curves.data;
    const place = found ? `${stages.length > 1 ? `${stages[found.stage]?.stage} ` : ''}step ${found.step}` : 'no step';
    this.#place.textContent = place;
    this.#slider.setAttribute('aria-valuetext', place);
    // The address does not name the newest step: a page shows it by itself.
    writeState({ step: found && at < this.#found.length - 1 ? `${found.stage}-${found.step}` : undefined });
    this.#groups.replaceChildren(
      ...(found?.groups ?? []).map((group) => groupView(group, this.#curves.data.completions)),
    );
  }
}

function groupView({ group, matching }: FoundGroup, data: CompletionsData): HTMLElement {
  const { members, prompt } = group;
  const right = members.filter(([, verdict]) => verdict === 'right').length;
  const isDead = members.every(([, , , reward]) => reward === members[0]?.[3]);
  const facts = `group ${group.group + 1} · ${right} of ${members.length} right${isDead ? ' · dead: all rewards are equal' : ''}`;
  const largest = Math.max(...members.map(([, , , , advantage]) => Math.abs(advantage)), 1e-9);
  const sorted = [...members].sort((a, b) => b[4] - a[4]);
  const views = (shown: readonly Member[]): HTMLElement[] =>
    alike(shown).map((same) => memberView(same, data, largest));
  const list = element('ol', { class: 'members' }, ...views(sorted.filter((member) => matching.has(member))));
  const more = element('button', { type: 'button', class: 'more' }, `Show all ${members.length} of the group`);
  more.addEventListener('click', () => {
    list.replaceChildren(...views(sorted));
    more.remove();
  });
  return element(
    'article',
    { class: 'group' },
    element('header', {}, element('code', { class: 'prompt' }, prompt), element('span', { class: 'quiet' }, facts)),
    list,
    ...(matching.size < members.length ? [more] : []),
  );
}

/** Members that say the same, together, in the order of their first. */
function alike(members: readonly Member[]): Member[][] {
  const byText = new Map<string, Member[]>();
  for (const member of members) {
    const key = JSON.stringify(member);
    byText.set(key, [...(byText.get(key) ?? []), member]);
  }
  return [...byText.values()];
}

function memberView([member, ...others]: readonly Member[], data: CompletionsData, largest: number): HTMLElement {
  const { reasons, rewardNames } = data;
  const [text, verdict, reason, reward, advantage, parts, given, extra] = member as Member; // groups of `alike` are never empty
  const provenance = given ?? {};
  const sign = advantage > 0 ? '+' : '';
  const nothing = element('span', { class: 'quiet' }, 'nothing but the end');
  const pieces = text === '' ? [nothing] : piecesOf(text, provenance.marks).map(pieceView);
  const origin = originWords(provenance);
  const rewards = parts?.map((part, i) => `${rewardNames[i]} ${part === null ? 'none' : formatValue(part, 'number')}`);
  return element(
    'li',
    { class: `member ${verdict}` },
    element(
      'p',
      { class: 'verdict' },
      ...(others.length > 0 ? [element('b', { class: 'times' }, `× ${others.length + 1}`)] : []),
      element('b', {}, `${MARKS[verdict]} ${verdict}`),
      ` ${reasons[reason]}`,
    ),
    ...(origin === undefined ? [] : [element('p', { class: 'origin' }, origin)]),
    provenance.turns === undefined
      ? element('code', { class: 'completion' }, ...pieces)
      : conversation(provenance.turns),
    ...promptWords(provenance).map((words) => element('p', { class: 'prompts' }, words)),
    element(
      'p',
      { class: 'credit' },
      element('span', {}, 'reward ', element('b', {}, reward === null ? 'none' : formatValue(reward, 'number'))),
      element('span', {}, 'advantage ', element('b', {}, `${sign}${formatValue(advantage, 'number')}`)),
    ),
    advantageBar(advantage / largest),
    ...(rewards ? [element('p', { class: 'parts' }, rewards.join(' · '))] : []),
    ...(extra ? [element('p', { class: 'parts' }, extra.map((cell) => cell.join(' ')).join(' · '))] : []),
  );
}

/** An episode, turn by turn: who said what, and what an action was paid. */
function conversation(turns: readonly LoggedTurn[]): HTMLElement {
  const items = spokenTurns(turns).map(({ label, text, tokens, reward, potential, isPolicy }) => {
    const facts = [
      label,
      `${tokens} ${tokens === 1 ? 'token' : 'tokens'}`,
      ...(reward === undefined ? [] : [`reward ${formatValue(reward, 'number')}`]),
      ...(potential === undefined ? [] : [`potential ${formatValue(potential, 'number')}`]),
    ];
    return element(
      'li',
      { class: isPolicy ? 'turn' : 'turn others' },
      element('span', { class: 'who' }, facts.join(' · ')),
      text === '' ? element('span', { class: 'quiet' }, 'nothing') : element('code', {}, text),
    );
  });
  return element('ol', { class: 'completion turns', 'aria-label': 'Turns' }, ...items);
}

const PUT_IN = {
  given: 'Put in: the policy did not write it, and it has no loss',
  reference: 'Put in, and trained on: the policy did not write it',
};

function pieceView({ text, kind }: Piece): HTMLElement | string {
  return kind === undefined ? text : element('mark', { class: kind, title: PUT_IN[kind] }, text);
}

/** From the middle to the right or left. @param share  from −1 to 1 */
function advantageBar(share: number): SVGElement {
  const width = 50 * Math.abs(share);
  const bar = shape('rect', {
    class: share < 0 ? 'less' : 'more',
    x: share < 0 ? 50 - width : 50,
    y: 0,
    width,
    height: 4,
  });
  const middle = shape('rect', { class: 'middle', x: 49.75, y: 0, width: 0.5, height: 4 });
  return shape(
    'svg',
    { class: 'bar', viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    bar,
    middle,
  );
}
