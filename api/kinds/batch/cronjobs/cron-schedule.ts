/**
 * Whether a schedule can be read: five fields of numbers, names, ranges and steps, or a word like
 * `@daily`. What is wrong is said in the words of the library that kube-apiserver asks.
 *
 * In Kubernetes: ParseStandard of robfig/cron.
 */
import { parseGoDuration } from '../../../meta/go-duration.ts';
import { goQuote } from '../../../json/go-format.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Of months and days, the first one being `min`. */
  readonly names: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const WORDS = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);
const EVERY = '@every ';
const ZONE = /^(?:CRON_)?TZ=/;

type Parsed = number | { readonly problem: string };

/** The first thing that is wrong, or undefined. `zoneProblem` tells what is wrong with a time zone. */
export function scheduleProblem(
  schedule: string,
  zoneProblem: (zone: string) => string | undefined,
): string | undefined {
  const zoned = ZONE.exec(schedule)?.[0];
  if (zoned === undefined) return untimedProblem(schedule);
  const space = schedule.indexOf(' ');
  const equals = zoned.length - 1;
  // The library falls over this, and kube-apiserver tells how.
  if (space < 0) {
    return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
  }
  const zone = schedule.slice(equals + 1, space);
  const problem = zoneProblem(zone);
  if (problem !== undefined) return `provided bad location ${zone}: ${problem}`;
  return untimedProblem(schedule.slice(space).trim());
}

function untimedProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return wordProblem(schedule);
  const fields = schedule.split(/\s+/u).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) {
    const shown = `[${fields.join(' ')}]`;
    return `expected exactly 5 fields, found ${String(fields.length)}: ${shown}`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    const problem = fieldProblem(fields[index] ?? '', bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function wordProblem(word: string): string | undefined {
  if (WORDS.has(word)) return undefined;
  if (!word.startsWith(EVERY)) return `unrecognized descriptor: ${word}`;
  const parsed = parseGoDuration(word.slice(EVERY.length));
  return parsed.ok ? undefined : `failed to parse duration ${word}: ${parsed.problem}`;
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const range of field.split(',').filter((one) => one !== '')) {
    const problem = rangeProblem(range, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** `*`, `5`, `1-5`, and each with a step: `1-5/2`. */
function rangeProblem(range: string, bounds: Bounds): string | undefined {
  const [limits = '', stepText, ...moreSteps] = range.split('/');
  const [low = '', high, ...moreLimits] = limits.split('-');
  const isAll = low === '*' || low === '?';
  const start = isAll ? bounds.min : parseValue(low, bounds);
  if (typeof start !== 'number') return start.problem;
  if (!isAll && moreLimits.length > 0) return `too many hyphens: ${range}`;
  const isStepped = stepText !== undefined && high === undefined;
  const own = isAll ? bounds.max : high === undefined ? start : parseValue(high, bounds);
  if (typeof own !== 'number') return own.problem;
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (typeof step !== 'number') return step.problem;
  const end = isStepped && moreLimits.length === 0 ? bounds.max : own;
  return boundsProblem(range, bounds, { start, end, step });
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

function boundsProblem(text: string, { min, max }: Bounds, range: Range): string | undefined {
  const { start, end, step } = range;
  const begin = `beginning of range (${String(start)})`;
  const stop = `end of range (${String(end)})`;
  if (start < min) return `${begin} below minimum (${String(min)}): ${text}`;
  if (end > max) return `${stop} above maximum (${String(max)}): ${text}`;
  if (start > end) return `${begin} beyond ${stop}: ${text}`;
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function parseValue(text: string, { min, names }: Bounds): Parsed {
  const index = names.indexOf(text.toLowerCase());
  return index >= 0 ? min + index : parseNumber(text);
}

function parseNumber(text: string): Parsed {
  const failed = `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}`;
  if (!/^[-+]?[0-9]+$/.test(text)) return { problem: `${failed}: invalid syntax` };
  const number = Number(text);
  if (Math.abs(number) >= 2 ** 63) return { problem: `${failed}: value out of range` };
  return number < 0
    ? { problem: `negative number (${String(number)}) not allowed: ${text}` }
    : number;
}
