/** docs/reference/methods/<id>.md: all that is known of a method, from its declaration and by asking it. */
import type { CatalogueMethod } from './catalogue.ts';
import {
  certaintyText,
  companionText,
  optionTable,
  remarkText,
  repeatsText,
  sameText,
  sourceText,
} from './catalogue_words.ts';
import { rowText } from './measured_row.ts';
import { evidenceOf, evidenceText } from './method_evidence.ts';
import type { MethodFacts } from './method_facts.ts';

/** What a page has that is not in the declaration. */
export interface BesideDeclaration {
  /** The first comment of its file, as Markdown. */
  readonly reasoning: string;
  /** Rows of the arena that it is in, a line each. */
  readonly arena: readonly string[];
}

/** The page as Markdown, ending in a newline. @param does  of its point */
export function methodPage(
  method: CatalogueMethod,
  { needs, remarks }: MethodFacts,
  does: string,
  { reasoning, arena }: BesideDeclaration = { reasoning: '', arena: [] },
): string {
  const {
    name,
    names = [],
    source,
    against,
    companions,
    sameAs,
    when,
    point,
    stage,
    isDefault,
    formula,
    options,
    optionsAreStageKeys,
    isRepeatable,
    yaml,
  } = method;
  const evidence = evidenceOf(method);
  const elsewhere = evidence.rows.filter((row) => row.in !== 'bench/arena');
  const text = sourceText(method);
  const link = source === 'own' ? text : `[${text}](https://arxiv.org/abs/${source})`;
  const facts = [
    `- point: [${point}](../catalogue.md#${point}), ${lower(does)}${isDefault ? ' The default.' : ''}`,
    ...(names.length === 0 ? [] : [`- also called: ${names.join(', ')}`]),
    ...(sameAs === undefined ? [] : [`- the same as: ${sameText(sameAs)}`]),
    `- worth: ${evidenceText(evidence)}`,
    ...(when === undefined ? [] : [`- when: ${when}`]),
    `- formula: \`${formula}\``,
    `- source: ${link}, ${certaintyText(method)}`,
    ...(against.length === 0
      ? []
      : [`- against: ${against.map((code) => `[${code}](../../diagnostics.md#${code})`).join(', ')}`]),
    ...companions.map((companion) => `- meant beside: ${companionText(companion)}`),
    ...needs.map((need) => `- needs ${need}`),
    ...(isRepeatable ? [`- several: ${repeatsText(name)}`] : []),
  ];
  const shared = optionsAreStageKeys ? ['They may also be written among the keys of the stage.'] : [];
  const beside = remarks.map((remark) => `- ${remarkText(remark, name)}.`);
  const parts = [
    `# ${name}`,
    method.does,
    facts.join('\n'),
    ...(reasoning === '' ? [] : ['## Why', reasoning]),
    ...(arena.length === 0
      ? []
      : ['## In the arena', 'Beside the baseline of its block, in points, with 95 % intervals:', arena.join('\n')]),
    ...(elsewhere.length === 0
      ? []
      : ['## In other benchmarks', elsewhere.map((row) => `- \`${row.in}\`, ${rowText(row)}`).join('\n')]),
    ...(options.length === 0 ? [] : ['## Options', ...shared, optionTable(options)]),
    ...(beside.length === 0 ? [] : ['## Beside others', beside.join('\n')]),
    '## In a config',
    `In ${stage === 'grpo' ? 'a `grpo`' : 'an `sft`'} stage${yaml.length === 1 ? '' : ', one of'}:`,
    ['```yaml', ...yaml, '```'].join('\n'),
    '[All methods](../catalogue.md#methods). Written by `npm run docs` from the declaration; `rlvr-train methods show` prints the same.',
  ];
  return `${parts.join('\n\n')}\n`;
}

function lower(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
