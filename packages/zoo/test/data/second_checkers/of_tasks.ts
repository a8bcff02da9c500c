/** The tasks that are made of countdown, decided from their prompts by calculating. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare } from './notation.ts';

const TOKENS = [...Array.from({ length: 100 }, (_, i) => String(i)), ...'+-*/=,?'];

/** Whether steps use the numbers, each once, and end at the target. */
function isRight(problem: string, steps: readonly string[]): boolean {
  const [given = '', target = ''] = asked(problem, /^([0-9 ]+) = ([0-9]+) \?$/);
  const pool = given.split(' ').map(Number);
  let last = Number.NaN;
  for (const step of steps.join(' ').split(' , ')) {
    const match = /^([0-9]+) ([-+*/]) ([0-9]+) = ([0-9]+)$/.exec(step);
    if (match === null) return false;
    const [left, right, result] = [Number(match[1]), Number(match[3]), Number(match[4])];
    for (const operand of [left, right]) {
      const place = pool.indexOf(operand);
      if (place < 0) return false;
      pool.splice(place, 1);
    }
    const results: Record<string, boolean> = {
      '+': left + right === result,
      '-': left - right === result,
      '*': left * right === result,
      '/': right !== 0 && left === right * result,
    };
    if (!results[match[2] ?? '']) return false;
    pool.push(result);
    last = result;
  }
  return pool.length === 1 && last === Number(target);
}

/** Whether a step is true and its operands are there; they are taken out of the pool, and its result put into it, in any case. */
function playsAlone(pool: number[], step: string): boolean {
  const match = /^([0-9]+) ([-+*/]) ([0-9]+) = ([0-9]+)$/.exec(step);
  if (match === null) return false;
  const [left, right, result] = [Number(match[1]), Number(match[3]), Number(match[4])];
  const places = [left, right].map((operand) => {
    const place = pool.indexOf(operand);
    if (place >= 0) pool.splice(place, 1);
    return place;
  });
  pool.push(result);
  const results: Record<string, boolean> = {
    '+': left + right === result,
    '-': left - right === result,
    '*': left * right === result,
    '/': right !== 0 && left === right * result,
  };
  return places.every((place) => place >= 0) && results[match[2] ?? ''] === true;
}

/** Problem, and what stands between the marks. */
function partsOf(prompt: string): string[] {
  const parts = prompt.split(' |');
  if (parts.pop() !== '') throw new RangeError(`${prompt} has no end`);
  return parts.map(bare);
}

const piecesOf = (text: string): string[] => (text === '' ? [] : text.split(' '));

/** The answer as pieces that there are; undefined for others. */
function given(answer: string): string[] | undefined {
  const pieces = bare(answer).split(' ');
  return pieces.every((piece) => TOKENS.includes(piece)) ? pieces : undefined;
}

const mendsAt = (problem: string, shown: readonly string[], place: number): boolean =>
  TOKENS.some((token) => token !== shown[place] && isRight(problem, shown.toSpliced(place, 1, token)));

function placeOf(text: string, most: number): number | undefined {
  return /^[1-9][0-9]?$/.test(text) && Number(text) <= most ? Number(text) - 1 : undefined;
}

function fills(problem: string, shown: string, answer: string): boolean {
  const pieces = given(answer);
  const masked = piecesOf(shown);
  if (pieces === undefined || pieces.length !== masked.filter((piece) => piece === '_').length) return false;
  return isRight(
    problem,
    masked.map((piece) => (piece === '_' ? (pieces.shift() ?? '') : piece)),
  );
}

function orders(problem: string, shown: string, answer: string): boolean {
  const pieces = bare(answer).split(' ');
  return pieces.toSorted().join() === piecesOf(shown).sort().join() && isRight(problem, pieces);
}

function chooses(problem: string, gapped: string, offered: string, answer: string): boolean {
  const text = new RegExp(`(?:^| )${bare(answer).replace(/[^A-Z]/g, '!')} ([^A-Z]+?)(?: [A-Z] |$)`).exec(offered);
  return (
    /^[A-Z]$/.test(bare(answer)) && text !== null && isRight(problem, gapped.replace('_', text[1] ?? '').split(' '))
  );
}

function finds(problem: string, shown: string, answer: string): boolean {
  const pieces = piecesOf(shown);
  const place = placeOf(bare(answer), pieces.length);
  return place !== undefined && mendsAt(problem, pieces, place);
}

function prefers(problem: string, first: string, second: string, answer: string): boolean {
  const chosen = { A: first, B: second }[bare(answer)];
  return chosen !== undefined && isRight(problem, chosen.split(' '));
}

/** Every way to reach the target with the larger operand first, by whole numbers from 1 to 99. */
function* solutions(pool: readonly number[], target: number): Generator<string[]> {
  for (const [i, left] of pool.entries()) {
    for (const [j, right] of pool.entries()) {
      if (i === j || left < right) continue;
      const rest = pool.filter((_, k) => k !== i && k !== j);
      for (const [operator, result] of [
        ['+', left + right],
        ['-', left - right],
        ['*', left * right],
        ['/', left / right],
      ] as const) {
        if (!Number.isInteger(result) || result < 1 || result > 99) continue;
        const step = [String(left), operator, String(right), '=', String(result)];
        if (rest.length === 0) {
          if (result === target) yield step;
        } else {
          for (const further of solutions([...rest, result], target)) yield [...step, ',', ...further];
        }
      }
    }
  }
}

export const OF_TASKS: Readonly<Record<string, SecondChecker>> = {
  mask_fill({ prompt }, answer) {
    const [problem = '', shown = ''] = partsOf(prompt);
    return fills(problem, shown, answer);
  },

  reorder({ prompt }, answer) {
    const [problem = '', shown = ''] = partsOf(prompt);
    return orders(problem, shown, answer);
  },

  corrupt_span({ prompt }, answer) {
    const [problem = '', shown = ''] = partsOf(prompt);
    return finds(problem, shown, answer);
  },

  mcq_fim({ prompt }, answer) {
    const [problem = '', gapped = '', offered = ''] = partsOf(prompt);
    return chooses(problem, gapped, offered, answer);
  },

  vmr({ prompt }, answer) {
    const [problem = '', first = '', second = ''] = partsOf(prompt);
    return prefers(problem, first, second, answer);
  },

  next_segment({ prompt, knobs }, answer) {
    const [problem = '', shown = ''] = partsOf(prompt);
    const pieces = bare(answer).split(' ');
    if (pieces.length !== knobs.segment) return false;
    const begun = [...piecesOf(shown), ...pieces].join(' ');
    const [numbers = '', target = ''] = asked(problem, /^([0-9 ]+) = ([0-9]+) \?$/);
    for (const right of solutions(numbers.split(' ').map(Number), Number(target))) {
      if (right.slice(0, begun.split(' ').length).join(' ') === begun) return true;
    }
    return false;
  },

  verify_tasks({ prompt }, answer) {
    const [problem = '', shown = ''] = partsOf(prompt);
    return bare(answer) === (isRight(problem, shown.split(' ')) ? 'A' : 'B');
  },

  verify_steps({ prompt }, answer) {
    const [problem = '', shown = ''] = partsOf(prompt);
    const pool = (asked(problem, /^([0-9 ]+) = [0-9]+ \?$/)[0] as string).split(' ').map(Number);
    const due = shown
      .split(',')
      .map(bare)
      .flatMap((step) => (step === '' ? [] : [playsAlone(pool, step) ? 'A' : 'B']));
    return bare(answer) === due.join(' ');
  },

  in_form({ prompt, knobs }, answer) {
    const text = bare(answer);
    const isAnswer = (steps: string): boolean => given(steps) !== undefined && isRight(prompt, bare(steps).split(' '));
    const parts = text.split('|').map(bare);
    const last = parts.at(-1) as string;
    if (knobs.form === 'reasoned') return isAnswer(last);
    if (knobs.form === 'scored') return isAnswer(parts.length === 1 ? text : parts.slice(0, -1).join('|'));
    if (knobs.form === 'candidates') return isAnswer(parts[0] as string);
    const tags = knobs.restates === true ? ['problem', 'plan', 'answer'] : ['plan', 'answer'];
    let rest = ` ${text} `;
    let body = '';
    for (const tag of tags) {
      const [open, close] = [` <${tag}> `, ` </${tag}> `];
      const end = rest.indexOf(close);
      if (!rest.startsWith(open) || end <= open.length - 1) return false;
      body = rest.slice(open.length, end);
      if (body.includes('<')) return false;
      rest = rest.slice(end + close.length - 1);
    }
    return rest === ' ' && !/^\s|\s$/.test(body) && isAnswer(body);
  },

  critique_tasks({ prompt }, answer) {
    const [problem = '', shown = ''] = partsOf(prompt);
    const pieces = piecesOf(shown);
    const [kind = '', ...rest] = bare(answer).split(' ');
    if (kind === 'C') return rest.length === 0 && isRight(problem, pieces);
    const place = rest.length === 1 ? placeOf(rest[0] ?? '', pieces.length) : undefined;
    if (place === undefined) return false;
    if (kind === 'A') return mendsAt(problem, pieces, place);
    const [one, other] = [pieces[place], pieces[place + 1]];
    return (
      kind === 'B' &&
      one !== undefined &&
      other !== undefined &&
      isRight(problem, pieces.toSpliced(place, 2, other, one))
    );
  },

  ssl_tasks({ prompt }, answer) {
    const [problem = '', kind = '', ...shown] = partsOf(prompt);
    const [first = '', second = ''] = shown;
    if (kind === 'A') return fills(problem, first, answer);
    if (kind === 'B') return orders(problem, first, answer);
    if (kind === 'C') return chooses(problem, first, second, answer);
    return kind === 'D' ? finds(problem, first, answer) : prefers(problem, first, second, answer);
  },
};
