import { describe, expect, it } from 'vitest';

import { resourceVersion, type ResourceVersion } from '../streams/resource-version.ts';
import { CONFIG_MAPS, givenViews, selection } from './given.fixture.ts';
import type { Watcher, WatchFailure } from './watch/watch-view.ts';

/** Notes what it is offered, as `ADDED 1`. */
function watcher() {
  const offered: string[] = [];
  const failures: WatchFailure[] = [];
  const one: Watcher = {
    shape: {
      key: 'all',
      selection: selection(),
      render: (events) =>
        Buffer.from(events.map(({ type, resourceVersion: at }) => `${type} ${String(at)}`).join()),
    },
    offer(chunk) {
      offered.push(...chunk.toString().split(','));
      return true;
    },
    caughtUp: () => undefined,
    progressed: (_version: ResourceVersion) => undefined,
    fail: (failure) => failures.push(failure),
  };
  return { one, offered, failures };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the views of a resource', () => {
  it('opens each resource once', async () => {
    const { resourceViews } = await givenViews();
    expect(resourceViews.of(CONFIG_MAPS)).toBe(resourceViews.of(CONFIG_MAPS));
    expect([...resourceViews.all()].map(({ resource }) => resource)).toEqual([CONFIG_MAPS]);
    expect(resourceViews.of('__proto__').resource).toBe('__proto__');
  });

  it('shows watchers what happens to their resource, in order', async () => {
    const { resourceViews, append } = await givenViews();
    const { one, offered } = watcher();
    resourceViews.of(CONFIG_MAPS).watch.start(one, resourceVersion(0));
    await append({}, { resource: 'core/secrets' }, { previous: 1 });
    await append({ previous: 3, type: 'deleted' });
    expect(offered).toEqual(['ADDED 1', 'MODIFIED 3', 'DELETED 4']);
  });

  it('shows nothing of what was to be forgotten that another watcher was shown', async () => {
    const { resourceViews, append } = await givenViews();
    await append({}, { previous: 1 });
    const { watch } = resourceViews.of(CONFIG_MAPS);
    const [first, second] = [watcher(), watcher()];
    let rendered = 0;
    const full = ({ one }: ReturnType<typeof watcher>): Watcher => {
      const render: Watcher['shape']['render'] = (events) => {
        rendered += 1;
        return one.shape.render(events);
      };
      return { ...one, shape: { ...one.shape, render }, offer: (chunk) => !one.offer(chunk) };
    };
    resourceViews.forgetRecent(CONFIG_MAPS);
    for (const one of [full(first), full(second)]) watch.start(one, resourceVersion(0));
    await turn();
    expect([first.offered, second.offered, rendered]).toEqual([first.offered, first.offered, 1]);
    const third = watcher();
    resourceViews.forgetRecent(CONFIG_MAPS);
    watch.start(full(third), resourceVersion(0));
    await turn();
    expect([third.offered, rendered]).toEqual([['ADDED 1', 'MODIFIED 2'], 2]);
  });

  it('shows the past of a resource that was never asked for', async () => {
    const { resourceViews, append } = await givenViews();
    await append({}, { previous: 1 }, { resource: 'core/secrets' });
    const { one, offered } = watcher();
    resourceViews.of(CONFIG_MAPS).watch.start(one, resourceVersion(0));
    await turn();
    expect(offered).toEqual(['ADDED 1', 'MODIFIED 2']);
    await append({ previous: 2, type: 'deleted' });
    expect(offered.at(-1)).toBe('DELETED 4');
  });

  it('shows the past that memory no longer holds, with what was replaced in it', async () => {
    const { resourceViews, append } = await givenViews();
    const data = 'x'.repeat(1024 * 1024);
    await append({ data, labels: { a: '1' } }, { data, previous: 1 }, { data, previous: 2 });
    await append({ data, previous: 3 }, { data, previous: 4, labels: { a: '1' } });
    const resource = resourceViews.of(CONFIG_MAPS);
    expect(resource.window.reachesBackTo(resourceVersion(0))).toBe(false);
    const { one, offered } = watcher();
    const labelled: Watcher = {
      ...one,
      shape: { ...one.shape, key: 'labelled', selection: selection({ labels: 'a=1' }) },
    };
    resource.watch.start(labelled, resourceVersion(0));
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(offered).toEqual(['ADDED 1', 'DELETED 2', 'ADDED 5']);
  });

  it('says so when the past cannot be read', async () => {
    const { resourceViews, append, log } = await givenViews();
    const data = 'x'.repeat(5 * 1024 * 1024);
    await append({ data });
    await append({ data, previous: 1 });
    log.at = () => {
      throw new Error('unreadable');
    };
    const { one, failures } = watcher();
    resourceViews.of(CONFIG_MAPS).watch.start(one, resourceVersion(0));
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(failures.map(({ kind }) => kind)).toEqual(['unreadable']);
    expect(resourceViews.of(CONFIG_MAPS).watch.watcherCount).toBe(0);
  });
});
