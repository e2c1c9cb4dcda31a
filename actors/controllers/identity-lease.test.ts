import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { asKubeObject, type KubeObject } from '../../api/meta/object-meta.ts';
import { givenControllers } from './given-controllers.fixture.ts';
import { collectIdentityLeases, identityOf, IdentityLease } from './identity-lease.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
/** As kube-apiserver 1.36 names a server on a host of this name. */
const IDENTITY = 'apiserver-mfpluukhqslpfneulwfarngz3q';
const URL = `${LEASES}/${IDENTITY}`;

let given: Awaited<ReturnType<typeof givenControllers>>;
beforeEach(async () => {
  given = await givenControllers();
  const metadata = { name: 'kube-system' };
  await given.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
});

function leaseOf(more: { readonly peerAddress?: string } = {}): IdentityLease {
  const { loopback, objects, clock } = given.parts;
  const random = { uuid: () => 'a-uuid', integer: () => 0 };
  const failed = (error: unknown): void => void given.problems.push(error);
  return new IdentityLease({
    ...{ loopback, objects, clock, random, failed, hostname: 'web-1', ...more },
  });
}

const renewals = async (): Promise<string> => {
  const lease = await given.find(URL);
  return JSON.stringify(lease?.['spec'] ?? {});
};

describe('the identity of a server', () => {
  it('has the name that kube-apiserver has on that host', () => {
    expect(identityOf('web-1')).toBe(IDENTITY);
  });

  it('is a Lease that says where the server runs, until when, and how it is reached', async () => {
    await leaseOf({ peerAddress: '192.0.2.1:6443' }).start();
    await given.until('there is a lease', async () => (await given.find(URL)) !== undefined);
    expect(await given.find(URL)).toMatchObject({
      metadata: {
        labels: {
          'apiserver.kubernetes.io/identity': 'kube-apiserver',
          'kubernetes.io/hostname': 'web-1',
        },
        annotations: { 'kubernetes.io/peer-advertise-address': '192.0.2.1:6443' },
      },
      spec: {
        holderIdentity: `${IDENTITY}_a-uuid`,
        leaseDurationSeconds: 3600,
        renewTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/) as unknown,
      },
    });
  });

  it('is renewed every ten seconds, and made again where it was deleted', async () => {
    await leaseOf().start();
    await given.until('there is a lease', async () => (await given.find(URL)) !== undefined);
    const first = await renewals();
    given.clock.advance(9_000);
    expect(await renewals()).toBe(first);
    await given.until('it is renewed', async () => (await renewals()) !== first);
    await given.del(URL);
    await given.until('it is there again', async () => (await given.find(URL)) !== undefined);
    expect(given.problems).toEqual([]);
  });

  it('is not that of the server that ran here before', async () => {
    await given.post(LEASES, stored(IDENTITY, { holderIdentity: 'an-older-one' }));
    await leaseOf().start();
    const isOurs = async () => (await renewals()).includes('a-uuid');
    await given.until('it is ours', isOurs);
  });

  it('is gone when the server has ended, and not renewed any more', async () => {
    const lease = leaseOf();
    await lease.start();
    await given.until('there is a lease', async () => (await given.find(URL)) !== undefined);
    await lease.stop();
    expect(await given.find(URL)).toBeUndefined();
    given.clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await given.find(URL)).toBeUndefined();
  });
});

describe('identities of servers that have ended', () => {
  const LABELS = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };

  it('are removed when they have not been renewed for an hour, looked for every hour', async () => {
    const long = { leaseDurationSeconds: 3600, renewTime: timeIn(-3_601_000) };
    const short = { leaseDurationSeconds: 3600, renewTime: timeIn(-3_500_000) };
    await given.post(LEASES, stored('ended', long, LABELS));
    await given.post(LEASES, stored('says-nothing', {}, LABELS));
    await given.post(LEASES, stored('runs', short, LABELS));
    await given.post(LEASES, stored('of-another-kind', long));
    const until = new AbortController();
    const { loopback, objects, clock } = given.parts;
    const failed = (error: unknown): void => void given.problems.push(error);
    await collectIdentityLeases({ loopback, objects, clock, failed }, until.signal);
    expect(await names()).toEqual(['of-another-kind', 'runs']);
    given.clock.advance(3_600_000);
    await given.until('the last is gone', async () => (await names()).length === 1);
    until.abort();
    await given.post(LEASES, stored('later', {}, LABELS));
    given.clock.advance(7_200_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await names()).toEqual(['later', 'of-another-kind']);
    expect(given.problems).toEqual([]);
  });
});

async function names(): Promise<(string | undefined)[]> {
  return (await given.get(LEASES)).items.map(({ metadata }) => metadata.name);
}

function timeIn(ms: number): string {
  return new Date(given.clock.now() + ms).toISOString().replace('Z', '000Z');
}

function stored(name: string, spec: JsonObject, labels = {}): KubeObject {
  const head = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  return asKubeObject({ ...head, metadata: { name, labels }, spec }); // As a client sends it.
}
