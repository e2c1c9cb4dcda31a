import { describe, expect, it } from 'vitest';

import { givenAuthenticated, testFaults } from '../../../actors/request/given.fixture.ts';
import type { AuthenticatedRequest } from '../../../actors/request/request.ts';
import { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { forkWay } from './fork-way.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const NEWEST = resourceVersion(7);

const served = new ServedResources(builtInResources(new ManualClock()));

/** @param given whether it takes long to put together what the fork has. */
async function sent(url: string, given: { readonly takesLong: boolean; readonly method?: string }) {
  const prepared: string[] = [];
  const dispatched: AuthenticatedRequest[] = [];
  const clock = new ManualClock();
  const { request } = givenAuthenticated({ url, ...(given.method && { method: given.method }) });
  const way = forkWay({
    fork: {
      prepare: (resource) => {
        prepared.push(resource);
        return Promise.resolve();
      },
      takesLong: () => given.takesLong,
    },
    context: {
      moment: { newest: () => Promise.resolve(NEWEST) },
      history: { settled: () => Promise.resolve() },
      clock,
    },
    dispatch: { send: (one) => void dispatched.push(one) },
    faults: testFaults(),
    served,
  });
  way.send(request);
  await new Promise(setImmediate);
  expect(dispatched).toEqual([request]);
  return { prepared, moment: request.moment, time: request.momentTime, now: clock.now() };
}

describe('in a fork whose objects take long to put together', () => {
  it.each([
    ['a get', `${MAPS}/a`],
    ['a list of a namespace', MAPS],
    ['the same from whatever is there', `${MAPS}?resourceVersion=0`],
    ['a page', '/api/v1/configmaps?limit=500'],
    ['a page behind another', '/api/v1/configmaps?limit=500&continue=abc'],
  ])('%s is as of the newest version, and puts none together', async (_what, url) => {
    const { prepared, moment, time, now } = await sent(url, { takesLong: true });
    expect(prepared).toEqual([]);
    expect([moment, time]).toEqual([NEWEST, now]);
  });

  it.each([
    ['a list of all', '/api/v1/configmaps', 'GET'],
    ['a watch', `${MAPS}?watch=1`, 'GET'],
    ['a get of at least a version', `${MAPS}/a?resourceVersion=9`, 'GET'],
    ['a get of a subresource', '/api/v1/namespaces/default/pods/a/status', 'GET'],
    ['a create', MAPS, 'POST'],
    ['a delete', `${MAPS}/a`, 'DELETE'],
  ])('%s waits for them', async (_what, url, method) => {
    const { prepared, moment } = await sent(url, { takesLong: true, method });
    expect(prepared).toHaveLength(1);
    expect(moment).toBeUndefined();
  });

  it('what stands behind a moment keeps it', async () => {
    const { prepared, moment } = await sent(`/at/3${MAPS}/a`, { takesLong: true });
    expect(prepared).toEqual([]);
    expect(moment).toBeUndefined();
  });
});

it('what is put together at once is, for a get as well', async () => {
  const { prepared, moment } = await sent(`${MAPS}/a`, { takesLong: false });
  expect(prepared).toEqual(['core/configmaps']);
  expect(moment).toBeUndefined();
});
