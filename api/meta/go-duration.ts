/**
 * Durations as Go writes them: `300ms`, `1h30m`, `1.5s`, `-2m`, `0`.
 *
 * In Kubernetes: time.ParseDuration and Duration.String of Go's standard library.
 */

export type ParsedDuration =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly problem: string };

/** A unit is so many, times ten to this power, of a millisecond. */
const UNITS: ReadonlyMap<string, { readonly count: number; readonly power: number }> = new Map([
  ['ns', { count: 1, power: -6 }],
  ['us', { count: 1, power: -3 }],
  ['µs', { count: 1, power: -3 }], // U+00B5, the micro sign.
  ['μs', { count: 1, power: -3 }], // U+03BC, the Greek letter.
  ['ms', { count: 1, power: 0 }],
  ['s', { count: 1, power: 3 }],
  ['m', { count: 60, power: 3 }],
  ['h', { count: 3_600, power: 3 }],
]);

/** More than Go's 64 bits of nanoseconds can hold is refused. */
const MS_MAX = 9_223_372_036_854;

/** More is no number for Go, whatever its unit. */
const WHOLE_MAX = 2 ** 63;

const PART = /(\d*)(\.\d*)?([^\d.]*)/y;

/** Milliseconds, fractions included. The problem is worded as Go words it. */
export function parseGoDuration(text: string): ParsedDuration {
  const invalid = failed(`time: invalid duration ${quoted(text)}`);
  const negative = text.startsWith('-');
  const unsigned = negative || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return { ok: true, ms: 0 };
  if (unsigned === '') return invalid;

  let ms = 0;
  for (PART.lastIndex = 0; PART.lastIndex < unsigned.length;) {
    const [, whole = '', fraction = '', unit = ''] = PART.exec(unsigned) ?? [];
    if (whole === '' && (fraction === '' || fraction === '.')) return invalid;
    if (Number(whole) > WHOLE_MAX) return invalid;
    if (unit === '') return failed(`time: missing unit in duration ${quoted(text)}`);
    const size = UNITS.get(unit);
    if (size === undefined) {
      return failed(`time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`);
    }
    // As one decimal number, since 1.005 times 1000 is not 1005.
    const digits = `${whole === '' ? '0' : whole}${fraction === '.' ? '' : fraction}`;
    ms += Number(`${digits}e${String(size.power)}`) * size.count;
    if (ms > MS_MAX) return invalid;
  }
  return { ok: true, ms: negative ? -ms : ms };
}

function failed(problem: string): ParsedDuration {
  return { ok: false, problem };
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** `90000` gives `1m30s`, `0` gives `0s`, `1.5` gives `1.5ms`. */
export function formatGoDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const size = Math.abs(ms);
  if (size < 1_000) return `${sign}${String(size)}ms`;
  const hours = Math.floor(size / 3_600_000);
  const minutes = Math.floor((size % 3_600_000) / 60_000);
  const seconds = `${String((size % 60_000) / 1_000)}s`;
  if (hours > 0) return `${sign}${String(hours)}h${String(minutes)}m${seconds}`;
  return minutes > 0 ? `${sign}${String(minutes)}m${seconds}` : `${sign}${seconds}`;
}
