/**
 * At which version a new fork begins: at the one it names, at that of the time it names, or now.
 * What it is told is settled before the fork is made, so that to find it takes no waiting.
 */
import type { ForkSpec } from '../../api/generated/kinds/everwatch-v1alpha1.ts';
import { type FieldError, invalidValue } from '../../api/field/field-errors.ts';
import { parseTime } from '../../api/scheme/typed-json-scalars.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

export type FoundBase =
  | { readonly ok: true; readonly base: ResourceVersion }
  | { readonly ok: false; readonly error: FieldError };

/** The past of the control plane that is to be forked. */
export interface Past {
  /** Everything up to here is applied. */
  readonly newest: ResourceVersion;
  /** When that was so: milliseconds since 1970. */
  readonly newestAt: number;
  /** The oldest version as of which everything can be read. */
  readonly oldest: ResourceVersion;
  /** Milliseconds since 1970 → the version then; undefined: before everything that can be read. */
  readonly versionAtTime: (timeMs: number) => ResourceVersion | undefined;
}

const REVISION = /^[1-9][0-9]{0,15}$/;
const MS = 1_000;
const NS_PER_MS = 1_000_000;

/** Reads `spec.revision` or `spec.time`; an error names the field and says what it must be. */
export function findBase({ revision = '', time = '' }: ForkSpec, past: Past): FoundBase {
  if (revision !== '') return baseAtRevision(revision, past);
  if (time !== '') return baseAtTime(time, past);
  return { ok: true, base: past.newest };
}

function baseAtRevision(revision: string, { newest, oldest }: Past): FoundBase {
  const refused = (detail: string): FoundBase => refusal('spec.revision', revision, detail);
  const version = Number(revision);
  if (!REVISION.test(revision) || !Number.isSafeInteger(version)) {
    return refused('must be a resourceVersion, as in "1234"');
  }
  if (version > newest) return refused(`must not be later than the newest, ${String(newest)}`);
  if (version < oldest) return refused(`is gone: the oldest that is kept is ${String(oldest)}`);
  return { ok: true, base: resourceVersion(version) };
}

function baseAtTime(time: string, { newest, newestAt, oldest, versionAtTime }: Past): FoundBase {
  const refused = (detail: string): FoundBase => refusal('spec.time', time, detail);
  const parsed = parseTime(time, 'seconds');
  if (!parsed.ok) return refused('must be a time, as in "2026-11-20T10:00:00Z"');
  const timeMs = parsed.unixSeconds * MS + Math.floor(parsed.nanoseconds / NS_PER_MS);
  if (timeMs >= newestAt) return { ok: true, base: newest };
  const version = versionAtTime(timeMs);
  if (version === undefined || version < Math.max(1, oldest)) {
    return refused('is before everything that is kept');
  }
  return { ok: true, base: version };
}

function refusal(field: string, value: string, detail: string): FoundBase {
  return { ok: false, error: invalidValue(field, value, detail) };
}
