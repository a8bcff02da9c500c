/** What `explain` prints of a published system: what it proposes, what of it is here, and lines of a config to paste. */

import { colors } from '../../../src/cli/display/colors.ts';
import { commandName } from '../../../src/command_name.ts';
import type { SystemFacts } from '../../zoo/catalogue/systems/system_facts.ts';
import { wrapWords } from '../display/live/text.ts';

/** The lines of the config are never broken. @param columns  of the terminal; undefined: however long */
export function systemText(facts: SystemFacts, columns: number | undefined): string {
  const { name, arxiv, does, status, here, remarks, keys, config } = facts;
  const source = arxiv === undefined ? '' : `, https://arxiv.org/abs/${arxiv}`;
  const words = [
    `${colors.bold(name)}${colors.dim(`  a published system${source}`)}`,
    `  ${does}`,
    `  ${colors.bold(status)}${here.length === 0 ? '' : `: ${here.join('. ')}.`}`,
    ...remarks.map((remark) => `  ${remark}`),
  ];
  const pasted = keys.length === 0 ? [] : ['', ...keys.map((line) => `    ${line}`), ''];
  const next = config === undefined ? [] : [colors.dim(`  Train it: ${commandName()} --config ${config}`)];
  return [wrapWords(words.join('\n'), columns), ...pasted, ...next].join('\n');
}
