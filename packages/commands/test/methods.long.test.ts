/** `methods ls`, `methods show` and the pages of docs/reference/methods: all from the declarations. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { METHOD_POINTS } from '../../../src/methods/stage.ts';
import { METHODS } from '../../../test/support/everything.ts';
import { evidenceOf } from '../../zoo/catalogue/method_evidence.ts';
import { methodFacts } from '../../zoo/catalogue/method_facts.ts';
import { CORE_METHODS } from '../../zoo/catalogue/method_families.ts';
import { methodPage } from '../../zoo/catalogue/method_page.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import { listMethods, showMethods } from '../actions/methods.ts';

const { methods, points } = catalogue();
const facts = methodFacts();

afterEach(() => {
  vi.restoreAllMocks();
});

function printed(work: () => void): string {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  work();
  return text;
}

const listed = (...words: readonly string[]): string => printed(() => listMethods(words, { all: true }));
const shown = (...ids: readonly string[]): string => printed(() => showMethods(ids, {}));

it('an id is that of one method: a page and a checkpoint are named by it', () => {
  const ids = METHOD_POINTS.flatMap((point) => METHODS[point].map(({ id }) => id));
  expect(ids.filter((id, i) => ids.indexOf(id) < i)).toEqual([]);
});

describe('docs/reference/methods', () => {
  it.each(methods)('$name.md says all that is declared', (method) => {
    const does = points.find(({ name }) => name === method.point)?.does ?? '';
    const page = methodPage(method, facts(method.name), does);
    expect(page).toContain(`- formula: \`${method.formula}\``);
    for (const line of method.yaml) expect(page).toContain(`\n${line}\n`);
    expect(page.includes('after the paper')).toBe(method.certainty === 'after the paper');
    for (const { name } of method.options) expect(page).toContain(`| \`${name}\` |`);
    expect(page.includes('#2/…')).toBe(method.isRepeatable);
    expect(page).toMatch(/\n- worth: (measured|published|ours|the baseline)/);
    if (method.when !== undefined) expect(page).toContain(`- when: ${method.when}\n`);
  });
});

describe('methods ls', () => {
  it('has ten to begin with in a line each, with what is known of them, and the names of all others by family', () => {
    const text = printed(() => listMethods([], {}));
    const lines = text.split('\n');
    const core = new Set(CORE_METHODS.flatMap((names) => names.split(' ')));
    for (const { name } of methods) {
      expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(core.has(name) ? 1 : 0);
      expect(text).toMatch(new RegExp(`\\b${name}\\b`));
    }
    const cispo = lines.findIndex((line) => line.startsWith('  cispo '));
    expect(lines[cispo + 1]).toMatch(/^ +measured: mean@16 [+−][\d.]+ points \(.* to .*\) in countdown/);
    expect(text).toContain('Baselines and credit  What a completion is compared with');
    expect(text).toContain('rloo (a form of group), maxrl (a form of group), js-shrinkage');
  });

  it('has each method in a line, under its point', () => {
    const lines = listed().split('\n');
    for (const { name } of methods) {
      expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
    }
    expect(lines.indexOf(lines.find((line) => line.startsWith('  kl-loss')) ?? '')).toBeGreaterThan(
      lines.findIndex((line) => line.startsWith('loss_terms')),
    );
  });

  it('keeps those of a point, and those that have the words: of a paper, a name, an option, a loss_type', () => {
    expect(listed('controllers')).toContain('ref-reset');
    expect(listed('controllers')).not.toContain('cispo');
    expect(listed('gspo')).toContain('  sequence ');
    expect(listed('2506.13585')).toContain('cispo');
    expect(listed('objective', 'epsilon_high')).toContain('ppo-clip');
    expect(listed('bnpo')).toContain('micro-token-mean');
  });

  it('gives as JSON what it shows', () => {
    const found = JSON.parse(printed(() => listMethods(['controllers'], { json: true })));
    expect(found.map(({ point }: { point: string }) => point)).toContain('controllers');
    const shown = methods.filter(({ point }) => point === 'controllers');
    expect(found).toEqual(JSON.parse(JSON.stringify(shown.map((one) => ({ ...one, evidence: evidenceOf(one) })))));
    const everything = JSON.parse(printed(() => listMethods([], { json: true })));
    expect(everything).toHaveLength(methods.length);
  });

  it('refuses words that no method has, with what is near', () => {
    expect(() => listed('cispoo')).toThrow('cispoo — no such method; did you mean "cispo"?');
  });
});

describe('methods show', () => {
  it('has the formula, what it is worth, options, needs, and the YAML to copy', () => {
    const text = shown('ref-reset');
    expect(text).toContain('after arXiv:2505.24864 (written after the paper');
    expect(text).toContain('needs    a reference policy');
    expect(shown('confidence')).toContain('needs    a scoring pass of what was sampled, before it is credited');
    expect(shown('confidence').match(/needs {4}/g)).toHaveLength(1);
    expect(text).toContain(
      'every  Optimizer steps from one reset to the next; 0 counts none. (whole number of 0 or more',
    );
    expect(text).toContain('controllers: [{name: ref-reset, every: 100, reset_at: 20, reset_kl: 0.1');
  });

  it('says what the method says of others, and others of it', () => {
    expect(shown('tis')).toContain('with vespo (refused): vespo takes weights by token into its ratio');
    expect(shown('vespo')).toContain('with tis (refused of tis): vespo takes weights by token');
    expect(shown('ref-reset')).toContain('beside the defaults (warning): no term reads the reference');
    expect(shown('none')).toMatch(/with several steps on a batch.* \(warning\): several steps are taken/);
  });

  it('finds a method by what papers and TRL call it, and several at once', () => {
    expect(shown('GSPO')).toMatch(/^sequence {2}/);
    expect(shown('Dr. GRPO')).toContain('const-norm');
    expect(shown('bnpo', 'cispo')).toContain('\ncispo  ');
  });

  it('refuses an id that there is not, with the nearest', () => {
    expect(() => shown('kl_los')).toThrow('kl_los — no such method; did you mean "kl-loss"?');
    expect(() => shown('gspoo')).toThrow('gspoo — no such method; did you mean "GSPO"?');
    expect(() => shown('xyzzy')).toThrow(/xyzzy — no such method; .* methods ls names them all\./);
  });

  it('gives as JSON what it shows', () => {
    const [one] = JSON.parse(printed(() => showMethods(['tis'], { json: true })));
    expect(one).toMatchObject({ name: 'tis', certainty: 'own', needs: [], evidence: { kind: 'measured' } });
    expect(one.remarks).toContainEqual(expect.objectContaining({ level: 'conflict', by: 'tis', of: ['vespo'] }));
  });
});
