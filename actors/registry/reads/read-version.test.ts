import { expect, it } from 'vitest';

import { resourceVersion } from '../../../streams/resource-version.ts';
import { configMap, givenControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

it('is of what is read, where the fold is further than the moment that was asked of the log', async () => {
  const { context, post, get, applied } = await givenControlPlane();
  await post(MAPS, configMap('a'));
  const then = applied.current;
  await post(MAPS, configMap('b'));
  // As on a log with many writers: the marker, and behind it in the same batch what others wrote.
  Object.assign(context, { moment: { newest: () => then } });
  const { names, list } = await get(MAPS);
  expect([names, list?.resourceVersion]).toEqual([['a', 'b'], applied.current]);
  expect(applied.current).toBe(resourceVersion(then + 1));
});

it('is of what is read, whenever the fold goes on beside the read', async () => {
  const { context, post, get, applied } = await givenControlPlane();
  for (let turns = 0; turns < 24; turns += 1) {
    const newest = async () => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      return applied.current;
    };
    Object.assign(context, { moment: { newest } });
    const [{ names, list }] = await Promise.all([
      get(MAPS),
      post(MAPS, configMap(`a${String(turns)}`)),
    ]);
    // Nothing but ConfigMaps is written behind the namespace, so the version counts them.
    expect(Number(list?.resourceVersion) - names.length, `${String(turns)} turns`).toBe(
      applied.current - (turns + 1),
    );
  }
});

it('is not known where the log cannot say how far it is', async () => {
  const { context, get } = await givenControlPlane();
  Object.assign(context, { moment: { newest: () => undefined } });
  expect(await get(MAPS)).toMatchObject({ code: 503, reason: 'ServiceUnavailable' });
});

it('is waited for, and it is told of what and how long', async () => {
  const told: unknown[] = [];
  const nothing = (): undefined => undefined;
  const storage = {
    ...{ listed: nothing, readNow: nothing, written: nothing },
    waited: (resource: string, ms: number) => void told.push([resource, ms]),
  };
  const { get, post, clock } = await givenControlPlane({ storage });
  await post(MAPS, configMap('a'));
  clock.advance(60_000);
  expect((await get(MAPS)).names).toEqual(['a']);
  expect(told).toEqual([['core/configmaps', 0]]);
});
