import { expect, it } from 'vitest';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { CommittedEvent } from '../../../streams/event.ts';
import { givenControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

it('selectors are shown the labels that stand in the bytes, whichever verb has written them', async () => {
  const plane = await givenControlPlane();
  const events: CommittedEvent[] = [];
  plane.listen((event) => {
    events.push(event);
  });
  const finalizers = ['example.com/held'];
  const map = (labels: JsonObject) => ({ metadata: { name: 'a', finalizers, labels } });
  await plane.post(MAPS, map({ app: 'web', tier: '' }));
  await plane.put(`${MAPS}/a`, map({ app: 'db' }));
  await plane.patch(`${MAPS}/a`, 'merge', { metadata: { labels: { app: null, tier: 'back' } } });
  await plane.patch(`${MAPS}/a`, 'merge', { metadata: { labels: null } });
  await plane.del(`${MAPS}/a`);
  await plane.patch(`${MAPS}/a`, 'merge', {
    metadata: { finalizers: null, labels: { last: 'one' } },
  });
  await plane.post('/api/v1/namespaces/default/services', {
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: { ports: [{ port: 80 }] },
  });

  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['added', 'deleted']));
  expect(events.some(({ resource }) => resource.endsWith('/ipaddresses'))).toBe(true);
  const told = events.map(({ object }) => object.labels ?? {});
  expect(told).toEqual(events.map(({ object }) => parsedObject(object).metadata.labels ?? {}));
  expect(told).toContainEqual({ app: 'web', tier: '' });
});
