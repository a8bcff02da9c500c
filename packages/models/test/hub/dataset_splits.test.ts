/** Splits of data sets of the hub, as the library `datasets` finds them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HubError } from '../../../../src/errors.ts';
import { datasetConfigs, matching } from '../../hub/dataset_splits.ts';

interface Case {
  readonly files: readonly string[];
  readonly card: string | null;
  readonly configs: Readonly<Record<string, { readonly default: boolean; readonly splits: Record<string, string[]> }>>;
}

const golden = JSON.parse(readFileSync(new URL('dataset_splits.json', import.meta.url), 'utf8')) as {
  readonly cases: Readonly<Record<string, Case>>;
};

describe('splits and configs are those of `datasets`', () => {
  it.each(Object.entries(golden.cases))('%s', (_, { files, card, configs }) => {
    const found = datasetConfigs(card === null ? files : [...files, 'README.md'], card ?? undefined);
    const shown = found.map(({ name, isDefault, splits }) => [
      name,
      { default: isDefault, splits: Object.fromEntries(splits) },
    ]);
    expect(Object.fromEntries(shown)).toEqual(configs);
    for (const { name, splits } of found) expect([...splits.keys()]).toEqual(Object.keys(configs[name].splits));
  });
});

it('a pattern names files of a data set', () => {
  const paths = ['data/b.parquet', 'data/a.parquet', 'data/deep/c.parquet', '.data/a.parquet'];
  expect(matching(paths, 'data/*.parquet')).toEqual(['data/a.parquet', 'data/b.parquet']);
  expect(matching(paths, '**/*.parquet')).toEqual(['data/a.parquet', 'data/b.parquet', 'data/deep/c.parquet']);
  expect(matching(paths, '.data/?.parquet')).toEqual(['.data/a.parquet']);
});

it('a card whose head is no YAML is refused', () => {
  expect(() => datasetConfigs(['a.csv'], '---\nconfigs: [\n---\n')).toThrow(HubError);
});
