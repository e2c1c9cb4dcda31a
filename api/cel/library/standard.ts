/**
 * What every expression may use: sizes, strings, time, and the operators and conversions.
 *
 * In Kubernetes: common/stdlib/standard.go of cel-go.
 */
import {
  BOOL,
  BYTES,
  DURATION,
  INT,
  listOf,
  mapOf,
  parameter,
  STRING,
  TIMESTAMP,
} from '../cel-type.ts';
import {
  declare,
  declareSingle,
  method,
  overload,
  type FunctionDeclaration,
  type Implementation,
  type Library,
} from '../declarations.ts';
import { matches } from '../regular-expressions.ts';
import { calendarParts, type CalendarParts } from '../timestamps.ts';
import {
  CelBytes,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  characterCount,
  intOf,
  NO_SUCH_OVERLOAD,
} from '../value.ts';
import { ARITHMETIC } from './arithmetic.ts';
import { COMPARISON } from './comparison.ts';
import { CONVERSION } from './conversion.ts';

const size: Implementation = (value) => {
  if (typeof value === 'string') return characterCount(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  return value instanceof CelBytes ? value.bytes.length : new CelError('no such overload: size');
};

function onStrings(test: (text: string, other: string) => boolean): Implementation {
  return (text, other) =>
    typeof text === 'string' && typeof other === 'string' ? test(text, other) : NO_SUCH_OVERLOAD;
}

function stringTest(name: string, id: string, run: Implementation): FunctionDeclaration {
  const declared = declare(name, method(id, [STRING, STRING], BOOL, run));
  return { ...declared, isUnguarded: true };
}

function calendar(
  name: string,
  id: string,
  part: (parts: CalendarParts, timestamp: CelTimestamp) => number,
): FunctionDeclaration {
  const run: Implementation = (timestamp, zone) => {
    if (!(timestamp instanceof CelTimestamp)) return NO_SUCH_OVERLOAD;
    const parts = calendarParts(timestamp, typeof zone === 'string' ? zone : 'UTC');
    return parts instanceof CelError ? parts : part(parts, timestamp);
  };
  const zoned = id === 'timestamp_to_seconds' ? `${id}_tz` : `${id}_with_tz`;
  return declare(
    name,
    method(id, [TIMESTAMP], INT, run),
    method(zoned, [TIMESTAMP, STRING], INT, run),
  );
}

/** `calendar`, and how many there are in a duration. */
function clock(
  unit: string,
  nanos: bigint,
  part: (parts: CalendarParts, timestamp: CelTimestamp) => number,
): FunctionDeclaration {
  const name = `get${unit.charAt(0).toUpperCase()}${unit.slice(1)}`;
  const ofTimestamps = calendar(name, `timestamp_to_${unit}`, part);
  const ofDuration: Implementation = (duration) =>
    duration instanceof CelDuration ? intOf(duration.nanos / nanos) : NO_SUCH_OVERLOAD;
  const ofDurations = method(`duration_to_${unit}`, [DURATION], INT, ofDuration);
  return { ...ofTimestamps, overloads: [...ofTimestamps.overloads, ofDurations] };
}

const LIST_OF_A = listOf(parameter('A'));
const MAP_OF_A_B = mapOf(parameter('A'), parameter('B'));

export const STANDARD: Library = [
  ...COMPARISON,
  ...ARITHMETIC,
  declareSingle(
    'size',
    size,
    overload('size_bytes', [BYTES], INT),
    method('bytes_size', [BYTES], INT),
    overload('size_list', [LIST_OF_A], INT),
    method('list_size', [LIST_OF_A], INT),
    overload('size_map', [MAP_OF_A_B], INT),
    method('map_size', [MAP_OF_A_B], INT),
    overload('size_string', [STRING], INT),
    method('string_size', [STRING], INT),
  ),
  ...CONVERSION,
  stringTest(
    'contains',
    'contains_string',
    onStrings((text, other) => text.includes(other)),
  ),
  stringTest(
    'endsWith',
    'ends_with_string',
    onStrings((text, other) => text.endsWith(other)),
  ),
  stringTest(
    'startsWith',
    'starts_with_string',
    onStrings((text, other) => text.startsWith(other)),
  ),
  declareSingle(
    'matches',
    matches,
    overload('matches', [STRING, STRING], BOOL),
    method('matches_string', [STRING, STRING], BOOL),
  ),
  calendar('getFullYear', 'timestamp_to_year', ({ year }) => year),
  calendar('getMonth', 'timestamp_to_month', ({ month }) => month),
  calendar('getDayOfYear', 'timestamp_to_day_of_year', ({ dayOfYear }) => dayOfYear),
  calendar('getDayOfMonth', 'timestamp_to_day_of_month', ({ dayOfMonth }) => dayOfMonth),
  calendar('getDate', 'timestamp_to_day_of_month_1_based', ({ dayOfMonth }) => dayOfMonth + 1),
  calendar('getDayOfWeek', 'timestamp_to_day_of_week', ({ dayOfWeek }) => dayOfWeek),
  clock('hours', 3_600_000_000_000n, ({ hours }) => hours),
  clock('minutes', 60_000_000_000n, ({ minutes }) => minutes),
  clock('seconds', 1_000_000_000n, ({ seconds }) => seconds),
  clock('milliseconds', 1_000_000n, (_parts, { nanos }) => Math.trunc(nanos / 1_000_000)),
];
