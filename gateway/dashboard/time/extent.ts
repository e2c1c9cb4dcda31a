/** From when to when the log of the main control plane reaches, for users that may know. */
import { computed, signal } from '@preact/signals';
import { moment } from '../state/clock.ts';
import { ApiProblem, askJson } from '../state/http.ts';
import { pageLocation } from '../state/page-location.ts';
import { isServerReadOnly } from '../state/rights.ts';

/** What the log is a copy of: docs/replay.md has the members of a gap. */
interface LogOrigin {
  readonly kind: 'recording' | 'archive' | 'trace';
  readonly of: string;
  readonly gaps?: readonly Gap[];
}

/** Where something may be missing, and what was found of it when the recorder looked again. */
interface Gap {
  /** When it was found, RFC 3339. */
  readonly time: string;
  /** `core/pods`. */
  readonly resource: string;
  readonly reason: string;
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
}

interface Extent {
  /** The first record that is left: the state at the version before it is the first one that can be shown. */
  readonly oldest: number;
  /** Milliseconds since 1970; undefined while the log is empty. */
  readonly oldestTime?: number;
  /** The newest version when it was asked for. */
  readonly newest: number;
  /** undefined: it is the log of the cluster itself. */
  readonly origin?: LogOrigin;
}

interface StatusBody {
  readonly log: Extent;
  readonly readOnly?: true;
  readonly origin?: LogOrigin;
}

/** undefined: not known, or not for this user. */
export const extent = signal<Extent | undefined>(undefined);

/** Whether this user may not know how far back the log reaches. */
export const isExtentHidden = signal(false);

const FORBIDDEN = 403;

/** Asks the server. */
export async function learnExtent(): Promise<void> {
  try {
    extent.value = await extentNow();
    isExtentHidden.value = false;
  } catch (error) {
    extent.value = undefined;
    isExtentHidden.value = error instanceof ApiProblem && error.code === FORBIDDEN;
  }
}

/** Asks again, where it was known: what is old may have been cut from the log meanwhile. */
export async function learnOldest(): Promise<void> {
  const known = extent.peek();
  if (known === undefined) return;
  const now = await extentNow().catch(() => known);
  // The newest stays: by it, it is asked what is marked.
  if (now.oldest !== known.oldest) extent.value = { ...now, newest: known.newest };
}

async function extentNow(): Promise<Extent> {
  const { log, readOnly, origin } = await askJson<StatusBody>('/everwatch/v1/status', {
    prefix: '',
  });
  isServerReadOnly.value = readOnly === true;
  return origin === undefined ? log : { ...log, origin };
}

/** Whether the moment that is shown was cut from the log, as far as is known. Single resources may be kept for less. */
export const isCut = computed(() => {
  const { at, fork } = pageLocation.value;
  if (at === '' || fork !== '' || extent.value === undefined) return false;
  const revision = moment.value?.revision ?? '';
  if (revision !== '') return Number(revision) < oldestShown.value;
  // Nothing that was asked for is there, so the server has not said which version it is.
  const { oldestTime = 0 } = extent.value;
  return /^\d+$/.test(at) ? Number(at) < oldestShown.value : Date.parse(at) < oldestTime;
});

/** The first version that can be shown; 0: not known. */
export const oldestShown = computed(() => (extent.value?.oldest ?? 1) - 1);

/** The gaps that concern what is shown: those of a kind where that is shown, else all. */
export const gapsShown = computed<readonly Gap[]>(() => {
  const { view } = pageLocation.value;
  const gaps = extent.value?.origin?.gaps ?? [];
  if (view.name !== 'resources' && view.name !== 'object') return gaps;
  const { group, resource } = view.of;
  const wanted = `${group === '' ? 'core' : group}/${resource}`;
  return gaps.filter((gap) => gap.resource === wanted);
});
