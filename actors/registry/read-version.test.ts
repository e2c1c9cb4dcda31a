import { expect, it } from 'vitest';

import { resourceVersion } from '../../streams/resource-version.ts';
import { configMap, givenControlPlane } from './given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

it('is of what is read, where the fold is further than the moment that was asked of the log', async () => {
  const { context, post, get, applied } = await givenControlPlane();
  await post(MAPS, configMap('a'));
  const then = applied.current;
  await post(MAPS, configMap('b'));
  // As on a log with many writers: the marker, and behind it in the same batch what others wrote.
  Object.assign(context, { moment: { newest: (done: (of: number) => void) => done(then) } });
  const { names, list } = await get(MAPS);
  expect([names, list?.resourceVersion]).toEqual([['a', 'b'], applied.current]);
  expect(applied.current).toBe(resourceVersion(then + 1));
});
