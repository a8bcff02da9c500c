/** Python's `strftime` in the C locale, for the dates that chat templates write. */
import { TemplateError } from './lexer.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const two = (number: number): string => String(number).padStart(2, '0');

const FIELDS: Readonly<Record<string, (date: Date) => string>> = {
  '%': () => '%',
  Y: (date) => String(date.getFullYear()).padStart(4, '0'),
  y: (date) => two(date.getFullYear() % 100),
  m: (date) => two(date.getMonth() + 1),
  d: (date) => two(date.getDate()),
  e: (date) => String(date.getDate()).padStart(2),
  B: (date) => MONTHS[date.getMonth()],
  b: (date) => MONTHS[date.getMonth()].slice(0, 3),
  A: (date) => DAYS[date.getDay()],
  a: (date) => DAYS[date.getDay()].slice(0, 3),
  H: (date) => two(date.getHours()),
  I: (date) => two(date.getHours() % 12 || 12),
  M: (date) => two(date.getMinutes()),
  S: (date) => two(date.getSeconds()),
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  F: (date) => `${FIELDS.Y(date)}-${FIELDS.m(date)}-${FIELDS.d(date)}`,
  T: (date) => `${FIELDS.H(date)}:${FIELDS.M(date)}:${FIELDS.S(date)}`,
};

/** @throws TemplateError where a field is not read */
export function strftime(format: string, date: Date): string {
  return format.replace(/%(-?)(.?)/gsu, (whole, minus: string, field: string) => {
    if (!Object.hasOwn(FIELDS, field)) throw new TemplateError(`strftime_now: ${whole} is not supported`);
    const text = FIELDS[field](date);
    return minus === '' ? text : text.replace(/^[0 ](?=.)/, '');
  });
}
