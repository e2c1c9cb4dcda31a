import { expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { CONFIG_MAPS, givenViews, selection } from '../given.fixture.ts';
import type { Watcher } from './watch-view.ts';

/** Takes what it is offered, as long as it has room. */
function givenWatcher() {
  const state = { hasSpace: true };
  const shape = { key: '', selection: selection(), render: () => Buffer.from('chunk') };
  const ignore = (): void => undefined;
  const offer = () => state.hasSpace;
  const watcher: Watcher = { shape, offer, caughtUp: ignore, progressed: ignore, fail: ignore };
  return { state, watcher };
}

it('counts what watches begin with apart from what they are shown, and from what they catch up with', async () => {
  const { resourceViews, append, stop } = await givenViews();
  const { watch } = resourceViews.of(CONFIG_MAPS);
  await append({}, { previous: 1 });
  expect(watch.counts).toEqual({ received: 2, dispatched: 0, initial: 0 });
  const { state, watcher } = givenWatcher();
  watch.start(watcher, resourceVersion(0));
  expect(watch.counts).toEqual({ received: 2, dispatched: 0, initial: 2 });
  state.hasSpace = false;
  await append({ previous: 2 });
  await append({ previous: 3 });
  expect(watch.counts).toEqual({ received: 4, dispatched: 1, initial: 2 });
  state.hasSpace = true;
  watch.resume(watcher);
  expect(watch.isLive(watcher)).toBe(true);
  await stop();
  expect(watch.counts).toEqual({ received: 4, dispatched: 1, initial: 2 });
});
