import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { processorMs } from '../../../../test/support/processor_time.ts';
import { readJson } from '../../parsing/json_value.ts';

const PERSON = z.strictObject({ name: z.string().min(1), age: z.int().min(0).max(150) });

describe('a person of a name and an age', () => {
  it.each(
    /* biome-ignore format: a list */ [
      ['{"name":"Al","age":3}', true], ['```json\n{"name":"Al","age":3}\n```', true],
      ['```\n{"name":"Al","age":3}\n```', true], ['{"name":"Al","age":3.0}', true], ['{"name":"Al","age":3,}', false],
      ["{'name':'Al','age':3}", false], ['{"name":"Al","age":"3"}', false], ['{"name":"","age":3}', false],
      ['{"name":"Al","age":3,"x":1}', false], ['{"name":"Al","age":1,"age":3}', false],
      ['{"name":"Al","age":1,"\\u0061ge":3}', false], ['Sure: {"name":"Al","age":3}', false],
      ['{"name":"Al","age":3}{"name":"Al","age":3}', false],
      ['```\n{"name":"Al","age":3}\n```\n```\n{"name":"Al","age":3}\n```', false], ['{"name":"Al","age":1e400}', false],
      ['{"name":"Al","age":NaN}', false], ['{"__proto__":{"name":"Al","age":3}}', false], ['', false],
    ],
  )('%j is one: %s', (text, expected) => {
    const reading = readJson(text);
    expect(reading.ok && PERSON.safeParse(reading.value).success).toBe(expected);
  });
});

/** Colours of a triangle, each vertex once. */
const COLOURS = z.strictObject(
  Object.fromEntries(['0', '1', '2'].map((vertex) => [vertex, z.union([z.int(), z.string().regex(/^[0-9]$/)])])),
);

describe('a colouring of a triangle with three colours', () => {
  it.each([
    ['{"0":1,"1":2,"2":3}', true],
    ['{"0":"1","1":"2","2":"3"}', true],
    ['{"0":1,"1":2}', false],
    ['{"0":1,"1":1,"2":2}', false],
    ['{"0":1,"1":2,"2":4}', false],
    ['{"0":1,"1":2,"2":3,"3":1}', false],
    ['{"0":1,"0":2,"1":3,"2":1}', false],
    ['{"0":true,"1":2,"2":3}', false],
    ['{"0":1,"1":2,"2":null}', false],
    ['{}', false],
  ])('%s: %s', (text, expected) => {
    const reading = readJson(text);
    const colours = reading.ok ? COLOURS.safeParse(reading.value) : undefined;
    const used = colours?.success ? Object.values(colours.data).map(Number) : [];
    expect(new Set(used).size === 3 && used.every((colour) => colour >= 1 && colour <= 3)).toBe(expected);
  });
});

it.each([
  ['{"a":"\\ud83d\\ude00","b":"\ud83d\ude00"}', true],
  ['{"\\ud800":1}', false],
  ['["a\\udc00b"]', false],
  ['["\\\\ud800"]', true],
  ['["\ud800"]', false],
  ['{"a":{"\\uDBFF\\u0041":1}}', false],
])('half of a surrogate pair is no text: %j is JSON: %s', (text, isRead) => {
  expect(readJson(text).ok).toBe(isRead);
});

it.each([
  '['.repeat(1000),
  `${'['.repeat(65)}${']'.repeat(65)}`,
  `{"a":${'{"a":'.repeat(64)}1${'}'.repeat(65)}`,
  '"'.repeat(60_001),
])('gives up at once on %.30s…', (text) => {
  const start = processorMs();
  expect(readJson(text).ok).toBe(false);
  expect(processorMs() - start).toBeLessThan(50);
});
