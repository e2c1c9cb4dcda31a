/** Writes of a log as audit events: what each verb becomes, and that Kubernetes reads them. */
import { expect, it } from 'vitest';

import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import type { LoggedChange } from '../../../streams/event.ts';
import { loggedAt } from '../../../streams/event-codec.ts';
import { proposedEvent } from '../../../streams/proposed-event.fixture.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { auditEventOf, isFirstOfTwo } from './audit-export.ts';

const oracle = await goOracle('audit-events');

interface Written extends Partial<Omit<LoggedChange, 'json'>> {
  readonly object?: object;
}

function change({ object, ...given }: Written): LoggedChange {
  const resource = given.resource ?? 'core/pods';
  const path = given.path ?? 'shop/web';
  const [namespace = '', name = ''] = path.split('/');
  const metadata = { name, ...(namespace === '' ? {} : { namespace }) };
  const json = Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata, ...object }));
  const event = proposedEvent(1, { uid: 'u', ...given, resource, path, json });
  return loggedAt(event, resourceVersion(7)) as LoggedChange; // It is of an object.
}

const ending = { metadata: { name: 'web', deletionTimestamp: '2026-11-20T10:00:00Z' } };
const deployment = { kind: 'Deployment', apiVersion: 'apps/v1' };

it.each<[Written, string, string, number]>([
  [{ type: 'added', verb: 'create' }, 'create', '/api/v1/namespaces/shop/pods', 201],
  [{ type: 'modified', verb: 'patch' }, 'patch', '/api/v1/namespaces/shop/pods/web', 200],
  [{ type: 'added', verb: 'patch' }, 'patch', '/api/v1/namespaces/shop/pods/web', 201],
  [{ type: 'deleted', verb: 'delete' }, 'delete', '/api/v1/namespaces/shop/pods/web', 200],
  [{ type: 'deleted', verb: 'update' }, 'update', '/api/v1/namespaces/shop/pods/web', 200],
  [
    { type: 'deleted', verb: 'deletecollection' },
    'deletecollection',
    '/api/v1/namespaces/shop/pods',
    200,
  ],
  [{ type: 'modified', verb: 'create' }, 'create', '/api/v1/namespaces/shop/pods/web/binding', 200],
  [{ type: 'deleted', verb: 'create' }, 'create', '/api/v1/namespaces/shop/pods/web/eviction', 200],
  [
    { type: 'modified', verb: 'create', object: ending },
    'create',
    '/api/v1/namespaces/shop/pods/web/eviction',
    200,
  ],
  [
    { type: 'modified', verb: 'create', resource: 'core/resourcequotas' },
    'update',
    '/api/v1/namespaces/shop/resourcequotas/web',
    200,
  ],
  [{ type: 'added', verb: 'list' }, 'create', '/api/v1/namespaces/shop/pods', 201],
  [{ type: 'deleted', verb: 'relist' }, 'delete', '/api/v1/namespaces/shop/pods/web', 200],
  [
    { type: 'modified', verb: 'update', resource: 'apps/deployments', object: deployment },
    'update',
    '/apis/apps/v1/namespaces/shop/deployments/web',
    200,
  ],
  [
    { type: 'modified', verb: 'update', resource: 'core/namespaces', path: '/shop' },
    'update',
    '/api/v1/namespaces/shop',
    200,
  ],
])('%j is told as %s of %s', (written, verb, requestURI, code) => {
  const event = auditEventOf(change(written));

  expect(event).toMatchObject({ verb, requestURI, responseStatus: { code } });
});

const atOnce = { ...ending.metadata, deletionGracePeriodSeconds: 0 };

it.each<[Written, boolean]>([
  [{ verb: 'delete', object: { metadata: atOnce } }, true],
  [{ verb: 'deletecollection', object: { metadata: atOnce } }, true],
  [{ verb: 'create', object: { metadata: atOnce } }, true],
  [{ verb: 'delete', type: 'deleted', object: { metadata: atOnce } }, false],
  [{ verb: 'delete', object: { metadata: { ...atOnce, finalizers: ['x.dev/y'] } } }, false],
  [{ verb: 'delete', object: { metadata: { ...atOnce, deletionGracePeriodSeconds: 30 } } }, false],
  [{ verb: 'patch', object: { metadata: atOnce } }, false],
  [{ verb: 'delete', resource: 'core/configmaps', object: { metadata: atOnce } }, false],
])('%j is told with what follows: %s', (written, expected) => {
  expect(isFirstOfTwo(change({ type: 'modified', ...written }))).toBe(expected);
});

it('tells what the log knows, and nothing else', () => {
  expect(auditEventOf(change({ type: 'modified', verb: 'update' }))).toEqual({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: 'audit-1',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/pods/web',
    verb: 'update',
    user: { username: 'jane' },
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web', uid: 'u', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    responseObject: {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'web', namespace: 'shop', resourceVersion: '7' },
    },
    requestReceivedTimestamp: '2023-11-14T22:13:20.001000Z',
    stageTimestamp: '2023-11-14T22:13:20.001000Z',
    annotations: {
      'dev.everwatch/field-manager': 'kubectl',
      'dev.everwatch/resource-version': '7',
    },
  });
});

it('shows no contents of Secrets and ConfigMaps', () => {
  for (const resource of ['core/secrets', 'core/configmaps']) {
    const object = { data: { key: 'aGlkZGVu' } };
    const event = auditEventOf(change({ type: 'added', verb: 'create', resource, object }));

    expect(event['level']).toBe('Metadata');
    expect(JSON.stringify(event)).not.toContain('aGlkZGVu');
  }
});

it('says of what a recorder saw that no request of it is known', () => {
  const event = auditEventOf(change({ type: 'added', verb: 'list', user: '', auditID: '' }));

  expect(event).toMatchObject({
    auditID: 'resourceVersion:7',
    user: {},
    annotations: { 'dev.everwatch/observed': 'list' },
  });
});

it.skipIf(oracle === undefined)('is read by Kubernetes, with every field', () => {
  const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection', 'list'];
  const types = ['added', 'modified', 'deleted'] as const;
  const events = verbs.flatMap((verb) =>
    types.flatMap((type) =>
      ['core/pods', 'core/secrets', 'apps/deployments'].map((resource) =>
        auditEventOf(change({ verb, type, resource })),
      ),
    ),
  );
  const asked = events.map((event) => ({ event: JSON.stringify(event) }));
  const told = oracle?.<{ lines: string[]; wrong: string }>(asked) ?? [];

  expect(told.map(({ wrong }) => wrong)).toEqual(events.map(() => ''));
  expect(told.map(({ lines }): unknown => JSON.parse(lines[0] ?? '{}'))).toEqual(events);
});
