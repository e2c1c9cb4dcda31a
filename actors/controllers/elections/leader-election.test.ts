import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { objectAt } from '../../../api/json/json.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { startLeaderElection } from './leader-election.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const CANDIDATES = '/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates';
const LEASE = `${LEASES}/scheduler`;
const flags = [
  '--feature-gates=CoordinatedLeaderElection=true',
  '--runtime-config=coordination.k8s.io/v1beta1=true',
];

let given: Awaited<ReturnType<typeof givenControllers>>;
beforeEach(async () => {
  given = await givenControllers({ flags });
  const metadata = { name: 'kube-system' };
  await given.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
});

const timeNow = (agoMs = 0): string =>
  new Date(given.clock.now() - agoMs).toISOString().replace('Z', '000Z');

function candidate(name: string, emulationVersion: string, more: JsonObject = {}): JsonObject {
  return {
    ...{ apiVersion: 'coordination.k8s.io/v1beta1', kind: 'LeaseCandidate', metadata: { name } },
    spec: {
      ...{ leaseName: 'scheduler', binaryVersion: '1.36.0', emulationVersion },
      ...{ strategy: 'OldestEmulationVersion', renewTime: timeNow(), ...more },
    },
  };
}

async function stand(name: string, emulationVersion: string, more: JsonObject = {}): Promise<void> {
  const { code, message } = await given.post(CANDIDATES, candidate(name, emulationVersion, more));
  if (code !== 201) throw new Error(message);
}

const specOf = async (url: string): Promise<JsonObject> =>
  objectAt((await given.find(url)) ?? {}, 'spec') ?? {};
const holder = async (): Promise<unknown> => (await specOf(LEASE))['holderIdentity'];
const renew = (url: string, more: JsonObject = {}) =>
  given.patch(url, 'merge', { spec: { renewTime: timeNow(), ...more } });

describe('a leader among candidates', () => {
  it('is the one that emulates the oldest version, for as long as its Lease holds', async () => {
    await stand('new', '1.36.0');
    await stand('old', '1.35.0');
    await stand('elsewhere', '1.34.0', { leaseName: 'another' });
    const elections = startLeaderElection(given.parts);
    await given.until('there is a leader', async () => (await holder()) === 'old');
    expect(await specOf(LEASE)).toMatchObject({
      strategy: 'OldestEmulationVersion',
      leaseDurationSeconds: 5,
    });
    expect(await specOf(LEASE)).not.toHaveProperty('acquireTime');
    await elections.stop();
    expect(given.problems).toEqual([]);
  });

  it('is told of a better candidate, when those that are there have said so', async () => {
    await stand('new', '1.36.0');
    const elections = startLeaderElection(given.parts);
    await given.until('there is a leader', async () => (await holder()) === 'new');
    await renew(LEASE, { leaseDurationSeconds: 3600 });
    given.clock.advance(6_000);
    await stand('old', '1.35.0');
    const asked = async (): Promise<boolean> => 'pingTime' in (await specOf(`${CANDIDATES}/new`));
    await given.until('the leader is asked whether it is there', asked);
    expect(await specOf(LEASE)).not.toHaveProperty('preferredHolder');
    await renew(`${CANDIDATES}/new`);
    const told = async (): Promise<boolean> => (await specOf(LEASE))['preferredHolder'] === 'old';
    await given.until('it is told', told);
    expect(await holder()).toBe('new');
    await elections.stop();
  });

  it('is another one where it lets its Lease run out, and not one that says nothing', async () => {
    await stand('silent', '1.34.0', { renewTime: timeNow(60_000) });
    await stand('new', '1.36.0');
    await given.post(LEASES, {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'scheduler' } },
      spec: { holderIdentity: 'gone', leaseDurationSeconds: 1, renewTime: timeNow(5_000) },
    });
    const elections = startLeaderElection(given.parts);
    const led = async (): Promise<boolean> => {
      await renew(`${CANDIDATES}/new`);
      return (await holder()) === 'new';
    };
    await given.until('the one that answers leads', led);
    await elections.stop();
  });

  it('is left to others where candidates want another strategy', async () => {
    await stand('a', '1.36.0', { strategy: 'example.com/mine' });
    const elections = startLeaderElection(given.parts);
    const made = async (): Promise<boolean> =>
      (await specOf(LEASE))['strategy'] === 'example.com/mine';
    await given.until('there is a Lease', made);
    expect(await holder()).toBeUndefined();
    await elections.stop();
  });

  it('is not chosen while candidates of one version want different strategies', async () => {
    await stand('a', '1.36.0');
    await stand('b', '1.36.0', { strategy: 'example.com/mine' });
    const elections = startLeaderElection(given.parts);
    await given.until('it is told', () => given.problems.length > 0);
    expect(String(given.problems[0])).toContain('received differing strategies');
    expect(await given.find(LEASE)).toBeUndefined();
    await elections.stop();
  });

  it('is no candidate that was not heard of for half an hour: it is removed', async () => {
    await stand('gone', '1.36.0', { renewTime: timeNow(31 * 60_000) });
    const elections = startLeaderElection(given.parts);
    const isGone = async (): Promise<boolean> =>
      (await given.find(`${CANDIDATES}/gone`)) === undefined;
    await given.until('it is gone', isGone);
    expect(await given.find(LEASE)).toBeUndefined();
    await elections.stop();
  });
});

describe('a Lease', () => {
  const post = async (plane: typeof given): Promise<JsonObject> => {
    const spec = { strategy: 'OldestEmulationVersion', preferredHolder: 'a' };
    const head = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } };
    const { object } = await plane.post(LEASES, { ...head, spec });
    return objectAt(object, 'spec') ?? {};
  };

  it('says how its leader is chosen where the server chooses leaders, and nowhere else', async () => {
    expect(await post(given)).toMatchObject({ preferredHolder: 'a' });
    const other = await givenControllers();
    const metadata = { name: 'kube-system' };
    await other.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
    expect(await post(other)).toEqual({});
  });
});
