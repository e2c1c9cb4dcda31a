/** What admission decided by holds when the write takes effect, whatever the verb is. */
import { describe, expect, it } from 'vitest';
import { forbidden } from '../../../api/meta/status.ts';
import { stringAt } from '../../../api/json/json.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import type { AdmissionPlugin, AdmissionStep } from '../../admission/admission-plugin.ts';
import type { AdmissionWorld } from '../../admission/admission-world.ts';
import { configMap, givenControlPlane, type Sent } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const GUARD = '/api/v1/namespaces/default/secrets';

/** Lets ConfigMaps be written while the guard says `open`, and requires it to be as it was read. */
function guardedMaps({ objects }: AdmissionWorld): AdmissionPlugin {
  const step: AdmissionStep = ({ requires, name }) => {
    const guard = objects.get('core/secrets', 'default/guard');
    if (guard === undefined) return undefined;
    if (stringAt(parsedObject(guard), 'type') === 'closed') {
      return forbidden({ group: '', resource: 'configmaps' }, name, 'the guard has closed');
    }
    requires.push({
      resource: 'core/secrets',
      path: 'default/guard',
      resourceVersion: resourceVersion(guard.resourceVersion),
    });
    return undefined;
  };
  return {
    name: 'GuardedMaps',
    validatesAt: ({ served }) =>
      served.definition.storage === 'core/configmaps' ? step : undefined,
  };
}

const APPLIED = { ...configMap('a', { k: 'applied' }), apiVersion: 'v1', kind: 'ConfigMap' };

const WRITES: Readonly<Record<string, Sent>> = {
  create: { method: 'POST', url: MAPS, body: configMap('b') },
  update: { method: 'PUT', url: `${MAPS}/a`, body: configMap('a', { k: 'put' }) },
  'merge patch': {
    method: 'PATCH',
    url: `${MAPS}/a`,
    contentType: 'application/merge-patch+json',
    body: { data: { k: 'patched' } },
  },
  'strategic merge patch': {
    method: 'PATCH',
    url: `${MAPS}/a`,
    contentType: 'application/strategic-merge-patch+json',
    body: { data: { k: 'patched' } },
  },
  'JSON patch': {
    method: 'PATCH',
    url: `${MAPS}/a`,
    contentType: 'application/json-patch+json',
    body: [{ op: 'replace', path: '/data/k', value: 'patched' }],
  },
  apply: {
    method: 'PATCH',
    url: `${MAPS}/a?fieldManager=m&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: APPLIED,
  },
  'create by apply': {
    method: 'PATCH',
    url: `${MAPS}/b?fieldManager=m`,
    contentType: 'application/apply-patch+yaml',
    body: { ...APPLIED, metadata: { name: 'b' } },
  },
  delete: { method: 'DELETE', url: `${MAPS}/a` },
  deletecollection: { method: 'DELETE', url: MAPS },
};

async function given() {
  const plane = await givenControlPlane({ plugins: (world) => [guardedMaps(world)] });
  await plane.post(MAPS, configMap('a', { k: 'first' }));
  const guard = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'guard' }, type: 'open' };
  expect((await plane.post(GUARD, guard)).code).toBe(201);
  return plane;
}

describe.each(Object.entries(WRITES))('%s', (_verb, write) => {
  it('takes effect where what it was admitted under still holds', async () => {
    const { send } = await given();
    const { code, message } = await send(write);
    expect([200, 201], message).toContain(code);
  });

  it('does not take effect where another server has changed that before it', async () => {
    const { send, get, elsewhere } = await given();
    const before = await get(MAPS);
    // Admitted while the guard is open; in the log it stands behind the change of the guard.
    const mine = send(write);
    await elsewhere('core/secrets', 'default/guard', (secret) => {
      Object.assign(secret, { type: 'closed' });
      return undefined;
    });

    const { code, message } = await mine;
    expect([code, message.includes('the guard has closed')]).toEqual([403, true]);
    expect((await get(MAPS)).items).toEqual(before.items);
  });
});
