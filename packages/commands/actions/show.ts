/** `rlvr-train show NAME`: all that is known of a thing that has a name, whatever kind of thing it is. */
import { readFileSync } from 'node:fs';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson, wrapColumns } from '../../../src/cli/display/output.ts';
import { packagedConfigFile } from '../../../src/cli/runs/packaged_configs.ts';
import { methodFacts } from '../../zoo/catalogue/method_facts.ts';
import { isSpelledAlike, otherNamesOf } from '../../zoo/catalogue/spelled_alike.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import { wrapWords } from '../display/live/text.ts';
import { explanation, type NameFacts, nameFacts, refuseName } from './explain.ts';
import { aboutMethod, aboutReward, aboutTask } from './list.ts';

/**
 * @param names  each a word
 * @throws ConfigError for a name that means nothing, with the nearest one, after the others are shown
 */
export function showCommand(names: readonly string[], { json = false }: { readonly json?: boolean }): void {
  const found = names.flatMap((name) => shown(name) ?? []);
  const columns = wrapColumns(process.stdout);
  if (json) printJson(JSON.stringify(found));
  else if (found.length > 0) print(found.map((one) => textOf(one, columns)).join('\n\n'));
  const unknown = names.find((name) => shown(name) === undefined);
  if (unknown !== undefined) refuseName(unknown);
}

/** The kind of thing that a name is of, and how it is shown. */
interface Shown {
  readonly name: string;
  readonly tasks: ReturnType<typeof catalogue>['tasks'];
  readonly rewards: ReturnType<typeof catalogue>['rewards'];
  readonly methods: ReturnType<typeof catalogue>['methods'];
  /** File of the shipped config. */
  readonly config?: string | undefined;
  /** What else it means. */
  readonly facts?: NameFacts | undefined;
}

function shown(name: string): Shown | undefined {
  const { tasks, rewards, methods } = catalogue();
  const isCalled = (thing: { readonly name: string }): boolean => isSpelledAlike(thing.name, name);
  const exact = methods.filter(isCalled);
  const called = methods.filter((method) => otherNamesOf(method).some((other) => isSpelledAlike(other, name)));
  const own = {
    name,
    tasks: tasks.filter((task) => isCalled(task) || task.names.some((other) => isSpelledAlike(other, name))),
    rewards: rewards.filter(isCalled),
    methods: exact.length > 0 ? exact : called,
    config: packagedConfigFile(name),
  };
  const isShown = own.tasks.length + own.rewards.length + own.methods.length > 0;
  const facts = nameFacts(name);
  if (facts === undefined) return isShown || own.config !== undefined ? own : undefined;
  // What is shown whole need not be pointed to.
  return { ...own, facts: isShown ? { ...facts, things: [] } : facts };
}

function textOf({ tasks, rewards, methods, config, facts }: Shown, columns: number | undefined): string {
  const whole = [
    ...tasks.map(aboutTask),
    ...rewards.map(aboutReward),
    ...methods.map((method) => aboutMethod(method, methodFacts()(method.name))),
  ];
  const told = facts === undefined ? '' : explanation(facts, columns);
  return [
    ...whole.map((text) => wrapWords(text, columns)),
    ...(told === '' ? [] : [told]),
    ...(config === undefined ? [] : [`${colors.bold(config)}\n${readFileSync(config, 'utf8').trimEnd()}`]),
  ].join('\n\n');
}
