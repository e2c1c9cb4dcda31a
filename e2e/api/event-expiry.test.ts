/** Events expire, for clients of either group; the past still shows them. */
import { expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { created, expectFailure, expectObject, versionOf } from './objects.ts';

const server = serverForThisFile({ args: ['--event-ttl=2s'] });
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';

it('removes an event after --event-ttl, and shows it in the past', async () => {
  const client = adminClient(server());
  const event = await created(client, EVENTS, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'short', namespace: 'default' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    regarding: { kind: 'Pod', namespace: 'default', name: 'web' },
    ...{ type: 'Normal', reason: 'Pulled', action: 'Pulling' },
    ...{ reportingController: 'example.com/test', reportingInstance: 'test-1' },
  });
  await eventually('the end of the event', async () => {
    const { status } = await client.get(`${EVENTS}/short`);
    return status === 404 ? status : undefined;
  });
  const core = '/api/v1/namespaces/default/events/short';
  expectFailure(await client.get(core), { code: 404, reason: 'NotFound' });
  const then = expectObject(await client.get(`/at/${versionOf(event)}${core}`));
  expect(then).toMatchObject({ kind: 'Event', reason: 'Pulled' });
});
