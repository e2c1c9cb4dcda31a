/** Moves of the whole page through time, and what its marks are asked of. */
import { batch, signal } from '@preact/signals';
import { moment } from '../state/clock.ts';
import { speed } from '../state/live.ts';
import { go, pageLocation } from '../state/page-location.ts';
import { extent } from './extent.ts';

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
  if (pageLocation.value.at === '') return;
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

/** Whose changes are marked: '' of what is shown, else of a namespace or a user, as `user alice`. */
export const scope = signal('');

/** How many marks are kept, the newest ones. */
export const MARKS_MAX = 2_000;
/** How many versions the marks of more than one object reach back. */
const BACK = 5_000;

/**
 * What the marks are asked of, in the location: a path below `/everwatch/v1`; undefined where the user may
 * not know.
 */
export function marksPath(): string | undefined {
  const { view, query } = pageLocation.value;
  const [whose, name = ''] = scope.value.split(' ', 2);
  if (view.name === 'object' && whose === '') {
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
  if (whose !== '' && whose !== undefined) {
    search.set(whose, name);
    return `/everwatch/v1/changes?${search.toString()}`;
  }
  if (view.name === 'resources') {
    const { group, resource } = view.of;
    search.set('resource', `${group === '' ? 'core' : group}/${resource}`);
  }
  const namespace = query['namespace'] ?? '';
  if (namespace !== '') search.set('namespace', namespace);
  return `/everwatch/v1/changes?${search.toString()}`;
}
