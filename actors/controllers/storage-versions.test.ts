/** What servers say of what they store, and what waits for it. */
import { describe, expect, it } from 'vitest';
import type { StorageVersionStatus } from '../../api/generated/kinds/apiserverinternal-v1alpha1.ts';
import { resolveRequestInfo } from '../request/request-info.ts';
import type { RequestInfo, UserInfo } from '../request/request.ts';
import { givenControllers } from './given-controllers.fixture.ts';
import { storedResources, StorageVersions, withServer } from './storage-versions.ts';

const PATH = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
const ALL = { flags: ['--runtime-config=internal.apiserver.k8s.io/v1alpha1=true'] };
const EARLY = Date.parse('2026-11-26T10:00:00Z');
const LATE = Date.parse('2026-11-26T11:00:00Z');

const USER: UserInfo = { name: 'ann', uid: '', groups: ['system:masters'], extra: {} };

/** Of a request with that method, as a client sends it. */
function info(method: string, path: string): RequestInfo {
  return resolveRequestInfo(method, path, '');
}

function says(apiServerID: string, encodingVersion: string) {
  return { apiServerID, encodingVersion, decodableVersions: ['v1', 'v2'], servedVersions: ['v1'] };
}

function after(...servers: readonly [string, string, number][]): StorageVersionStatus {
  return servers.reduce<StorageVersionStatus>(
    (status, [id, version, now]) => withServer({ metadata: {}, status }, says(id, version), now),
    {},
  );
}

describe('what several servers say of one resource', () => {
  it('is the common version where all store the same', () => {
    const status = after(['one', 'v1', EARLY], ['two', 'v1', LATE]);
    expect(status.commonEncodingVersion).toBe('v1');
    expect(status.conditions).toEqual([
      {
        type: 'AllEncodingVersionsEqual',
        status: 'True',
        lastTransitionTime: '2026-11-26T10:00:00Z',
        reason: 'CommonEncodingVersionSet',
        message: 'Common encoding version set',
      },
    ]);
  });

  it('is no common version where they differ, from then on', () => {
    const status = after(['one', 'v1', EARLY], ['two', 'v2', LATE]);
    expect(status).not.toHaveProperty('commonEncodingVersion');
    expect(status.conditions).toMatchObject([
      {
        status: 'False',
        lastTransitionTime: '2026-11-26T11:00:00Z',
        reason: 'CommonEncodingVersionUnset',
      },
    ]);
  });

  it('is another transition where the common version is another one', () => {
    const status = after(['one', 'v1', EARLY], ['one', 'v2', LATE]);
    expect(status.storageVersions).toEqual([says('one', 'v2')]);
    expect(status.conditions).toMatchObject([
      { status: 'True', lastTransitionTime: '2026-11-26T11:00:00Z' },
    ]);
  });
});

describe('a server that says what it stores', () => {
  async function registered() {
    const given = await givenControllers(ALL);
    const versions = new StorageVersions(storedResources(given.served.builtIn()));
    const { loopback, objects, clock } = given.parts;
    return { given, versions, parts: { loopback, objects, clock, identity: 'apiserver-one' } };
  }

  it('writes one object for each resource that it stores', async () => {
    const { given, versions, parts } = await registered();
    await versions.register(parts);
    const events = await given.find(`${PATH}/core.events`);
    expect(events?.['status']).toMatchObject({
      storageVersions: [
        {
          apiServerID: 'apiserver-one',
          encodingVersion: 'v1',
          decodableVersions: ['v1', 'events.k8s.io/v1'],
          servedVersions: ['v1'],
        },
      ],
      commonEncodingVersion: 'v1',
    });
    // The same objects under another name, and what is never stored.
    expect(await given.find(`${PATH}/events.k8s.io.events`)).toBeUndefined();
    expect(await given.find(`${PATH}/authorization.k8s.io.subjectaccessreviews`)).toBeUndefined();
    expect((await given.find(`${PATH}/apps.deployments`))?.['status']).toMatchObject({
      commonEncodingVersion: 'apps/v1',
    });
  });

  it('changes nothing where all is said, and says again what was removed', async () => {
    const { given, versions, parts } = await registered();
    await versions.register(parts);
    const before = await given.find(`${PATH}/core.pods`);
    await given.del(`${PATH}/core.secrets`);
    await versions.register(parts);
    expect(await given.find(`${PATH}/core.pods`)).toEqual(before);
    expect(await given.find(`${PATH}/core.secrets`)).toBeDefined();
  });

  it('keeps what another server says', async () => {
    const { given, versions, parts } = await registered();
    await Promise.all([
      versions.register(parts),
      new StorageVersions(storedResources(given.served.builtIn())).register({
        ...parts,
        identity: 'apiserver-two',
      }),
    ]);
    const status = (await given.find(`${PATH}/core.pods`))?.['status'] as StorageVersionStatus;
    const ids = (status.storageVersions ?? []).map(({ apiServerID }) => apiServerID);
    expect(ids.toSorted()).toEqual(['apiserver-one', 'apiserver-two']);
  });

  it('lets writes wait until it is said, but for what it stands on', async () => {
    const { versions, parts } = await registered();
    const refused = (...of: Parameters<typeof info>) => versions.refusal(info(...of), USER);
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    expect(refused('POST', deployments)).toBe(
      'wait for storage version registration to complete for resource: deployments.apps, last seen error: <nil>',
    );
    const events = '/apis/events.k8s.io/v1/namespaces/default/events';
    expect(refused('POST', events)).toContain('resource: events.events.k8s.io');
    expect(refused('POST', '/api/v1/namespaces')).toContain('resource: namespaces');
    for (const passes of [
      refused('GET', deployments),
      refused('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews'),
      refused('POST', '/apis/example.com/v1/widgets'),
      refused('POST', '/nonesuch'),
      refused('PUT', `${PATH}/core.pods/status`),
      refused('PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/one'),
    ]) {
      expect(passes).toBeUndefined();
    }
    const failing = { ...parts, loopback: () => Promise.resolve(FAILED) };
    await expect(versions.register(failing)).rejects.toThrow('no room');
    expect(refused('POST', deployments)).toContain('last seen error: no room');
    await versions.register(parts);
    expect(refused('POST', deployments)).toBeUndefined();
  });
});

const FAILED = {
  kind: 'Status',
  status: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 500,
    message: 'no room',
  },
} as const;
