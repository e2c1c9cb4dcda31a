import { describe, expect, it } from 'vitest';

import { isJsonObject } from '../../../api/json/json.ts';
import {
  STORAGE,
  TABS,
  TABS2,
  definition,
  given,
  stored,
  tab,
  version,
} from './given-tabs.fixture.ts';
import { shownObjects } from './shown-objects.ts';

describe('what is shown of a stored object', () => {
  it('is the object itself where it lies as it is shown', async () => {
    const plane = await given();
    await plane.post(TABS, tab('a', {}));
    const lying = plane.objects.get(STORAGE, 'default/a');
    const served = plane.served.lookup({
      ...{ apiGroup: 'example.com', apiVersion: 'v1', resource: 'tabs' },
    });
    if (lying === undefined || served === undefined) throw new Error('nothing is there');
    const shown = shownObjects(served, [lying]);
    if (shown instanceof Promise || !shown.ok) throw new Error('it cannot be shown');
    expect(shown.objects[0]).toBe(lying);
  });

  it('has its version where a reader looks for it, whatever else has a uid', async () => {
    const plane = await given(
      definition([
        version('v1', { uid: { type: 'string' } }, { storage: true }),
        version('v2', { uid: { type: 'string' } }),
      ]),
    );
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'not-mine' };
    const sent = tab('a', { uid: 'nor-mine' });
    const { code } = await plane.post(TABS, {
      ...sent,
      metadata: { name: 'a', ownerReferences: [owner], annotations: { uid: 'neither' } },
    });
    expect(code).toBe(201);
    for (const url of [`${TABS}/a`, `${TABS2}/a`]) {
      const { object } = await plane.get(url);
      expect(object.metadata.resourceVersion).toMatch(/^\d+$/);
      expect(object.metadata.ownerReferences).toEqual([owner]);
      expect(object['spec']).toEqual({ uid: 'nor-mine' });
      const keys = Object.keys(object.metadata);
      expect(keys.indexOf('resourceVersion')).toBe(keys.indexOf('uid') + 1);
    }
    expect(isJsonObject(stored(plane, 'a'))).toBe(true);
  });
});
