import { expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { CONFIG_MAPS, givenViews } from '../given.fixture.ts';
import { ObjectsAt } from './objects-at.ts';

it('shows each object as it was at each version', async () => {
  const { append, resourceViews, store, stop } = await givenViews();
  await append({ path: 'ns/a', data: '1' });
  await append({ path: 'ns/b', data: '1' });
  await append({ path: 'ns/a', previous: 1, data: '2' });
  await append({ path: 'ns/b', previous: 2, type: 'deleted', data: '1' });
  await store.settled();
  const seen = [0, 1, 2, 3, 4].map((version) => {
    const then = new ObjectsAt((resource) => resourceViews.of(resource), resourceVersion(version));
    return ['ns/a', 'ns/b', 'ns/c'].map((path) => then.get(CONFIG_MAPS, path)?.resourceVersion);
  });
  await stop();

  expect(seen).toEqual([
    [undefined, undefined, undefined],
    [1, undefined, undefined],
    [1, 2, undefined],
    [3, 2, undefined],
    [3, undefined, undefined],
  ]);
});
