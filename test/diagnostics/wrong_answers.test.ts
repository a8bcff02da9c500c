import { expect, it } from 'vitest';
import { commonestWrong, type WrongAnswer } from '../../src/diagnostics/wrong_answers.ts';

const wrong = (completion: string, prompt = 'Capital of Peru?', answer = 'Lima'): WrongAnswer => ({
  prompt,
  answer,
  completion,
  reason: 'not the right text',
});

it('shows the two commonest answers with what was asked, what is right, and why they are refused', () => {
  const answers = [wrong('a'), wrong('b'), wrong('b', 'Capital of Italy?', 'Rome'), wrong('c'), wrong('b')];
  expect(commonestWrong(answers)).toBe(
    'The commonest answers: "b" to "Capital of Peru?", where "Lima" is right (not the right text), 3 of 5 times; ' +
      '"a" to "Capital of Peru?", where "Lima" is right (not the right text), 1 of 5 times.',
  );
  expect(commonestWrong([])).toBeUndefined();
});

it('shortens a long text, and quotes what does not print', () => {
  const said = commonestWrong([wrong(`\n${'x'.repeat(1000)}`)]) ?? '';
  expect(said).toContain('"\\nxxx');
  expect(said).toContain('x…"');
  expect(said.length).toBeLessThan(300);
});
