/** Moves of the whole page through time, and the place as text for others. */
import { batch } from '@preact/signals';
import { moment } from '../state/clock.ts';
import { speed } from '../state/live.ts';
import { go, place } from '../state/place.ts';
import { extent } from './extent.ts';
import { said } from '../parts/dialog-state.ts';

/** How many seconds of then pass in one of now while time runs. */
export const PLAY_SPEEDS: readonly number[] = [1, 10, 60, 600];

/** To the present. */
export function backToNow(): void {
  batch(() => {
    speed.value = 0;
    go({ at: '' });
  });
}

/** Lets time run from the moment that is shown, or stops it there. */
export function togglePlay(): void {
  if (place.value.at === '') return;
  if (speed.value === 0) speed.value = PLAY_SPEEDS[1] ?? 1;
  else stop();
}

/** Stops where time has come to. */
export function stop(): void {
  batch(() => {
    speed.value = 0;
    const at = moment.value?.revision ?? '';
    if (at !== '') go({ at }, 'replace');
  });
}

/** The address of what is shown; of now with the moment of now, so that it shows the same later. */
export async function copyAddress(): Promise<void> {
  await copy(globalThis.location.href, 'The address is copied.');
}

/** The command that shows the same in a terminal. */
export async function copyCommand(): Promise<void> {
  await copy(kubectlCommand(globalThis.location.origin), 'The command is copied.');
}

async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    said.value = done;
  } catch {
    said.value = text;
  }
}

/** `kubectl --server https://…/at/1234 get pods -n shop`. */
export function kubectlCommand(origin: string): string {
  const { fork, at, view, query } = place.value;
  const server = `${origin}${fork === '' ? '' : `/forks/${fork}`}${at === '' ? '' : `/at/${at}`}`;
  const before = `kubectl --server ${server}`;
  if (view.name === 'forks') return `${before} get forks`;
  if (view.name === 'overview') return `${before} get all --all-namespaces`;
  const { group, resource } = view.of;
  const kind = group === '' ? resource : `${resource}.${group}`;
  if (view.name === 'object') {
    const { namespace, name } = view.of;
    return `${before} get ${kind} ${name}${namespace === '' ? '' : ` -n ${namespace}`} -o yaml`;
  }
  const { namespace = '', labels = '' } = query;
  const where = namespace === '' ? ' -A' : ` -n ${namespace}`;
  return `${before} get ${kind}${where}${labels === '' ? '' : ` -l '${labels}'`}`;
}

/** How many marks are kept, the newest ones. */
export const MARKS_MAX = 2_000;
/** How many versions the marks of more than one object reach back. */
const BACK = 5_000;

/**
 * What the marks are asked of, in the place: a path below `/everwatch/v1`; undefined where the user may
 * not know.
 */
export function marksPath(): string | undefined {
  const { view, query } = place.value;
  if (view.name === 'object') {
    const { group, resource, namespace, name } = view.of;
    const search = new URLSearchParams({
      resource: `${group === '' ? 'core' : group}/${resource}`,
      path: `${namespace}/${name}`,
      effectiveOnly: 'true',
    });
    return `/everwatch/v1/log?${search.toString()}`;
  }
  if (extent.value === undefined) return undefined;
  const from = Math.max(0, extent.value.newest - BACK);
  const search = new URLSearchParams({ from: String(from), follow: 'true' });
  if (view.name === 'resources') {
    const { group, resource } = view.of;
    search.set('resource', `${group === '' ? 'core' : group}/${resource}`);
  }
  const namespace = query['namespace'] ?? '';
  if (namespace !== '') search.set('namespace', namespace);
  return `/everwatch/v1/changes?${search.toString()}`;
}
