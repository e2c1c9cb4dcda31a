/** What differs between the rows of a table at two moments. */
import type { LiveCell } from '../../../../api/live/live-messages.ts';

/** One object that is not as it was. */
export interface RowChange {
  /** `NAMESPACE/NAME`. */
  readonly key: string;
  /** `replaced`: deleted, and made again under its name. */
  readonly kind: 'added' | 'removed' | 'changed' | 'replaced';
  /** undefined: it was not there. */
  readonly before: readonly LiveCell[] | undefined;
  /** undefined: it is not there. */
  readonly after: readonly LiveCell[] | undefined;
}

interface GivenRow {
  readonly key: string;
  readonly cells: readonly LiveCell[];
}

/** In order of keys. The last two cells of a row are its uid and its version. */
export function rowChanges(before: readonly GivenRow[], after: readonly GivenRow[]): RowChange[] {
  const old = new Map(before.map(({ key, cells }) => [key, cells]));
  const young = new Map(after.map(({ key, cells }) => [key, cells]));
  const keys = [...new Set([...old.keys(), ...young.keys()])].sort();
  return keys.flatMap((key): RowChange[] => {
    const [was, is] = [old.get(key), young.get(key)];
    const kind = kindOf(was, is);
    return kind === undefined ? [] : [{ key, kind, before: was, after: is }];
  });
}

function kindOf(
  was: readonly LiveCell[] | undefined,
  is: readonly LiveCell[] | undefined,
): RowChange['kind'] | undefined {
  if (was === undefined) return 'added';
  if (is === undefined) return 'removed';
  if (was.at(-2) !== is.at(-2)) return 'replaced';
  return was.at(-1) === is.at(-1) ? undefined : 'changed';
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/**
 * The moment that a user has written: a version, a time, or how long ago, as `10m` and `2h`. undefined for any
 * other text.
 */
export function momentIn(text: string, nowMs: number): string | undefined {
  const given = text.trim();
  if (/^\d{1,15}$/.test(given)) return given;
  const [, count = '', unit = ''] = /^(\d{1,6}) ?([smhdw])$/.exec(given) ?? [];
  const seconds = UNITS[unit];
  if (seconds !== undefined) return new Date(nowMs - Number(count) * seconds * 1_000).toISOString();
  if (!/^\d{4}-\d\d-\d\d/.test(given)) return undefined;
  const ms = Date.parse(given);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
