/** `rlvr-train completion SHELL`: a script that completes commands, flags and names, made of the commands' tables. */
import { print } from '../../../src/cli/display/output.ts';
import type { Command } from '../../../src/cli/flags/command.ts';
import { spelled } from '../../../src/cli/flags/flag.ts';
import { packagedNames } from '../../../src/cli/runs/packaged_configs.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';

type Shell = 'bash' | 'zsh' | 'fish';

export function printCompletion(shell: Shell, commands: readonly Command[]): void {
  print(shell === 'fish' ? fishScript(commands) : bashScript(commands, shell === 'zsh'));
}

/** Words that may follow those typed so far; '' are those that may come first. */
function wordsAfter(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const listed = commands.filter(({ isAlias }) => !isAlias);
  const flagsOf = ({ flags = {} }: Command): string[] => [
    ...Object.entries(flags).flatMap(([name, { isAlias }]) => (isAlias ? [] : [spelled(name)])),
    '--help',
  ];
  const after = listed.flatMap((one): [string, readonly string[]][] => {
    const { name, inner = [] } = one;
    const main = inner.find(({ isDefault }) => isDefault);
    return [
      [name, [...inner.map((below) => below.name), ...namesAfter(name), ...flagsOf(main ?? one)]],
      ...inner.map((below): [string, readonly string[]] => [
        `${name} ${below.name}`,
        [...namesAfter(`${name} ${below.name}`), ...flagsOf(below)],
      ]),
    ];
  });
  const flags = listed.filter(({ isDefault }) => isDefault).flatMap(flagsOf);
  return new Map([['', [...listed.map(({ name }) => name), ...packagedNames(), ...flags]], ...after]);
}

/** Names of things that a command takes as a word. */
function namesAfter(typed: string): readonly string[] {
  const { tasks, rewards, methods } = catalogue();
  const named = (things: readonly { readonly name: string }[]): string[] => things.map(({ name }) => name);
  switch (typed) {
    case 'train':
    case 'configs cp':
      return packagedNames();
    case 'show':
    case 'explain':
      return [...new Set([tasks, rewards, methods].flatMap(named))];
    case 'methods show':
      return named(methods);
    case 'rewards check':
      return named(rewards);
    case 'completion':
      return ['bash', 'zsh', 'fish'];
    default:
      return typed.startsWith('tasks ') && typed !== 'tasks ls' ? named(tasks) : [];
  }
}

/** Files are completed wherever no word fits. */
function bashScript(commands: readonly Command[], isZsh: boolean): string {
  const cases = [...wordsAfter(commands)].map(([typed, words]) => `    '${typed}') words='${words.join(' ')}' ;;`);
  return [
    '# completion of rlvr-train; source this file',
    ...(isZsh ? ['autoload -U +X compinit && compinit', 'autoload -U +X bashcompinit && bashcompinit'] : []),
    '_rlvr_train() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" typed= words=`,
    `  [ "$COMP_CWORD" -gt 1 ] && typed="\${COMP_WORDS[1]}"`,
    `  if [ "$COMP_CWORD" -gt 2 ]; then case "$typed \${COMP_WORDS[2]}" in`,
    `    ${[...wordsAfter(commands).keys()]
      .filter((typed) => typed.includes(' '))
      .map((typed) => `'${typed}'`)
      .join('|')}) typed="$typed \${COMP_WORDS[2]}" ;;`,
    '  esac; fi',
    '  case "$typed" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _rlvr_train rlvr-train',
  ].join('\n');
}

function fishScript(commands: readonly Command[]): string {
  const lines = [...wordsAfter(commands)].map(([typed, words]) => {
    const [first, second] = typed.split(' ');
    const inner = commands.find(({ name }) => name === first)?.inner ?? [];
    const others = inner.map(({ name }) => name).join(' ');
    const seen = (word: string): string => `__fish_seen_subcommand_from ${word}`;
    const when =
      typed === ''
        ? '__fish_use_subcommand'
        : second === undefined
          ? `${seen(first)}${others === '' ? '' : `; and not ${seen(others)}`}`
          : `${seen(first)}; and ${seen(second)}`;
    return `complete -c rlvr-train -n '${when}' -a '${words.join(' ')}'`;
  });
  return ['# completion of rlvr-train; belongs in ~/.config/fish/completions', ...lines].join('\n');
}
