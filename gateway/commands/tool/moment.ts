/** Moments as people say them: a version, a time, or how long ago. */
import type { Clock } from '../../../api/meta/clock.ts';
import { parseGoDuration } from '../../../api/meta/go-duration.ts';
import type { LogSource, ObjectOfLog } from '../../../projections/past/log-source.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { StartupError } from '../../process/startup-error.ts';

type Moment =
  | { readonly kind: 'version'; readonly version: ResourceVersion }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'now' };

const DAY_MS = 24 * 3_600_000;

/** @throws StartupError */
export function parseMoment(text: string, flag: string, now: number): Moment {
  if (text === 'now') return { kind: 'now' };
  if (/^\d{1,15}$/.test(text)) return { kind: 'version', version: resourceVersion(Number(text)) };
  const ago = agoMs(text.endsWith('ago') ? text.slice(0, -'ago'.length).trimEnd() : text);
  if (ago !== undefined) return { kind: 'time', ms: now - ago };
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return { kind: 'time', ms };
  throw new StartupError(
    `${flag}: must be a version, a time like 2026-11-21T09:00:00Z, or how long ago like 1h30m, ` +
      `not ${JSON.stringify(text)}`,
  );
}

/** Milliseconds of `90s`, `1h30m`, `2d` or `1d12h`. */
function agoMs(text: string): number | undefined {
  const [, days, rest = ''] = /^(?:(\d{1,6})d)?(.*)$/.exec(text) ?? [];
  const daysMs = Number(days ?? 0) * DAY_MS;
  if (rest === '') return days === undefined ? undefined : daysMs;
  const parsed = parseGoDuration(rest);
  return parsed.ok && parsed.ms >= 0 ? daysMs + parsed.ms : undefined;
}

/** `of`: where the moment is one in the life of a single object. */
export interface MomentReader {
  /** The version as of which everything had happened until that moment. @throws StartupError */
  versionAt(text: string, flag: string, of?: ObjectOfLog): Promise<ResourceVersion>;
  /** The first version after that moment; of a version, itself. @throws StartupError */
  firstFrom(text: string, flag: string, of?: ObjectOfLog): Promise<ResourceVersion>;
}

/**
 * @param clock by which `5m` is so long ago. A moment that the log does not know is a StartupError.
 */
export function momentReader(source: LogSource, clock: Clock): MomentReader {
  const resolve = async (text: string, flag: string, of?: ObjectOfLog) => {
    const moment = parseMoment(text, flag, clock.now());
    if (moment.kind === 'version') return { version: moment.version, isExact: true };
    const version =
      moment.kind === 'now'
        ? (await source.bounds(of)).newest
        : await source.versionAtTime(moment.ms, of);
    return { version, isExact: false };
  };
  return {
    versionAt: async (...asked) => (await resolve(...asked)).version,
    async firstFrom(...asked) {
      const { version, isExact } = await resolve(...asked);
      return isExact ? version : resourceVersion(version + 1);
    },
  };
}
