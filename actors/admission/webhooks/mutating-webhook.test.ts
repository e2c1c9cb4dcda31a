import { expect, test } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { configMap, deployment, pod } from '../../registry/given-registry.fixture.ts';
import { configMaps, givenWebhooks, patchResponse } from './given-webhooks.fixture.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { MutationNotes } from './mutating-webhook.ts';
import type { WebhookHook } from './webhook-hook.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

const adding = (key: string, value: string) => (): JsonObject =>
  patchResponse({ op: 'add', path: `/data/${key}`, value });

test('what a webhook patches is what is written, and the next one sees it', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'b' }, ({ object }) =>
    patchResponse({
      op: 'add',
      path: '/data/saw',
      value: JSON.stringify(Object.keys((object as JsonObject)['data'] as JsonObject)),
    }),
  );
  await plane.hook('mutating', { name: 'a' }, adding('a', '1'));
  const { code, object } = await plane.post(MAPS, configMap('one', { own: 'x' }));
  expect(code).toBe(201);
  expect(object['data']).toEqual({ own: 'x', a: '1', saw: '["a","own"]' });
  expect(plane.names()).toEqual(['a', 'b']);
  expect(plane.meters.told).toEqual(['asked a.example.com 200', 'asked b.example.com 200']);
});

test('a webhook is told what is asked, of whom and by whom', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a', timeoutSeconds: 3 }, () => ({ allowed: true }));
  await plane.post(`${MAPS}?fieldManager=me`, configMap('one', { k: 'v' }));
  const [asked] = plane.asked;
  expect(asked).toMatchObject({ apiVersion: 'admission.k8s.io/v1', timeoutMs: 3_000 });
  expect(asked?.request).toMatchObject({
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    name: 'one',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'jane', groups: ['system:authenticated'] },
    object: { kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } },
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
  });
});

test('an update shows both objects, a deletion the old one, and neither is asked of others', async () => {
  const plane = await givenWebhooks();
  await plane.post(MAPS, configMap('one', { k: '1' }));
  await plane.hook('mutating', { name: 'a' }, () => ({ allowed: true }));
  await plane.put(`${MAPS}/one`, configMap('one', { k: '2' }));
  await plane.del(`${MAPS}/one`);
  await plane.post('/api/v1/namespaces/default/secrets', {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 's' },
  });
  const shown = plane.asked.map(({ request: { operation, object, oldObject } }) => [
    operation,
    (object as JsonObject | null)?.['data'],
    (oldObject as JsonObject | null)?.['data'],
  ]);
  expect(shown).toEqual([
    ['UPDATE', { k: '2' }, { k: '1' }],
    ['DELETE', undefined, { k: '2' }],
  ]);
});

test('a webhook that wants to see what others change is asked again, once', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a', reinvocationPolicy: 'IfNeeded' }, () => ({
    allowed: true,
  }));
  await plane.hook('mutating', { name: 'b' }, adding('b', '1'));
  await plane.post(MAPS, configMap('one', { k: 'v' }));
  expect(plane.names()).toEqual(['a', 'b', 'a']);
});

test('a webhook is asked again where another plug-in changes the object in the second round', async () => {
  const names = async (isMeddling: boolean): Promise<string[]> => {
    const plane = await givenWebhooks(undefined, (attributes) => {
      if (isMeddling && attributes.reinvocation.isSecond && attributes.object !== undefined) {
        attributes.object['data'] = { k: 'other' };
      }
      return undefined;
    });
    const again = { name: 'a', reinvocationPolicy: 'IfNeeded' };
    await plane.hook('mutating', again, adding('a', '1'));
    await plane.hook('mutating', { name: 'b' }, () => ({ allowed: true }));
    expect((await plane.post(MAPS, configMap('one', { k: 'v' }))).code).toBe(201);
    return plane.names();
  };
  expect(await names(false)).toEqual(['a', 'b']);
  expect(await names(true)).toEqual(['a', 'b', 'a']);
});

test('a webhook is told how something is deleted', async () => {
  const plane = await givenWebhooks();
  await plane.post(MAPS, configMap('one'));
  await plane.hook('mutating', { name: 'a' }, () => ({ allowed: true }));
  await plane.del(`${MAPS}/one`, { propagationPolicy: 'Background', gracePeriodSeconds: 5 });
  expect(plane.asked[0]?.request['options']).toEqual({
    ...{ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
    ...{ propagationPolicy: 'Background', gracePeriodSeconds: 5 },
  });
});

test('a webhook that cannot be reached decides by its failure policy', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a', failurePolicy: 'Ignore' }, () => 'connection refused');
  expect((await plane.post(MAPS, configMap('one'))).code).toBe(201);
  await plane.hook('mutating', { name: 'b' }, () => 'connection refused');
  const { code, message } = await plane.post(MAPS, configMap('two'));
  expect([code, message]).toEqual([
    500,
    'Internal error occurred: failed calling webhook "b.example.com": ' +
      'failed to call webhook: connection refused',
  ]);
  expect(plane.meters.told).toContain('failed open a.example.com');
  expect(plane.meters.told).toContain('rejected b.example.com calling_webhook_error 503');
});

const refused = 'admission webhook "a.example.com" denied the request';

test.each([
  [{ allowed: false, status: { message: 'no' } }, 400, `${refused}: no`],
  [{ allowed: false, status: { code: 418, reason: 'Odd' } }, 418, `${refused}: Odd`],
  [{ allowed: false }, 400, `${refused} without explanation`],
])('a refusal %j is told in the words of the webhook', async (answer, code, message) => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a' }, () => answer);
  expect(await plane.post(MAPS, configMap('one'))).toMatchObject({ code, message });
});

const invalid =
  'Internal error occurred: failed calling webhook "a.example.com": received invalid webhook response: ';

test.each([
  [{ allowed: true, uid: 'other' }, /expected response\.uid="[^"]+", got "other"$/],
  [
    { allowed: true, patch: 'W10=' },
    /webhook returned response\.patch but not response\.patchType$/,
  ],
  [{ allowed: true, patchType: 'JSONPatch' }, /response\.patchType but not response\.patch$/],
])('a response %j does not do', async (answer, message) => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a' }, () => answer);
  const told = await plane.post(MAPS, configMap('one'));
  expect(told.code).toBe(500);
  expect(told.message).toMatch(message);
  expect(told.message.startsWith(invalid)).toBe(true);
});

test.each([
  [Buffer.from('<html>'), /failed to call webhook: couldn't get version\/kind; json parse error: /],
  [Buffer.from('{"kind":"Pod","apiVersion":"v1"}'), /failed to call webhook: no kind "Pod"/],
  [
    Buffer.from('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'),
    /received invalid webhook response: webhook response was absent$/,
  ],
])('an answer that is no review does not do', async (body, message) => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a' }, () => body);
  expect((await plane.post(MAPS, configMap('one'))).message).toMatch(message);
});

test('a patch that cannot be applied is an error whatever the failure policy', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a', failurePolicy: 'Ignore' }, () =>
    patchResponse({ op: 'remove', path: '/data/none' }),
  );
  const { code, message } = await plane.post(MAPS, configMap('one'));
  expect(code).toBe(500);
  expect(message).toMatch(/^Internal error occurred: /);
});

test('a dry run asks only webhooks that do nothing else then', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a', sideEffects: 'NoneOnDryRun' }, adding('a', '1'));
  const { object } = await plane.post(`${MAPS}?dryRun=All`, configMap('one', { k: 'v' }));
  expect(object['data']).toEqual({ k: 'v', a: '1' });
  expect(plane.asked[0]?.request['dryRun']).toBe(true);
});

test('another version is shown where only that one is asked for', async () => {
  const plane = await givenWebhooks();
  const rules = [
    configMaps({
      apiGroups: ['autoscaling'],
      apiVersions: ['v1'],
      resources: ['horizontalpodautoscalers'],
    }),
  ];
  await plane.hook('mutating', { name: 'a', rules }, ({ object }) => {
    const spec = (object as JsonObject)['spec'] as JsonObject;
    return patchResponse({
      op: 'replace',
      path: '/spec/maxReplicas',
      value: Number(spec['maxReplicas']) + 1,
    });
  });
  await plane.hook('mutating', { name: 'exact', rules, matchPolicy: 'Exact' }, () => 'never asked');
  const { code, object } = await plane.post(
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v2',
      metadata: { name: 'h' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      },
    },
  );
  expect(code).toBe(201);
  expect(object).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { maxReplicas: 4 } });
  expect(plane.asked.map(({ request }) => [request['kind'], request['requestKind']])).toEqual([
    [
      { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
      { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
    ],
  ]);
});

test('a subresource is shown in its own kind, to webhooks that ask for it', async () => {
  const plane = await givenWebhooks();
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  await plane.post(deployments, deployment('d', 1));
  const rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] };
  await plane.hook('mutating', { name: 'a', rules: [configMaps(rule)] }, () =>
    patchResponse({ op: 'replace', path: '/spec/replicas', value: 5 }),
  );
  const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'd' } };
  await plane.put(`${deployments}/d/scale`, { ...scale, spec: { replicas: 3 } });
  expect(plane.asked[0]?.request).toMatchObject({
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    resource: { group: 'apps', version: 'v1', resource: 'deployments' },
    subResource: 'scale',
  });
  const { object } = await plane.get(`${deployments}/d`);
  expect(object['spec']).toMatchObject({ replicas: 5 });
});

test('managers that cannot be read are put back, with a warning', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a' }, () =>
    patchResponse({
      op: 'replace',
      path: '/metadata/managedFields',
      value: [{ operation: 'Odd' }],
    }),
  );
  const { object, warnings } = await plane.post(MAPS, configMap('one', { k: 'v' }));
  expect(object.metadata['managedFields']).toMatchObject([{ manager: 'tests' }]);
  expect(warnings).toEqual([
    expect.stringMatching(/^\.metadata\.managedFields was in an invalid state after admission; /),
  ]);
});

test('what configures webhooks and policies is shown to none', async () => {
  const plane = await givenWebhooks();
  const everything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
  await plane.hook('mutating', { name: 'a', rules: [configMaps(everything)] }, () => 'gone');
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/a';
  expect((await plane.del(path)).code).toBe(200);
  expect(plane.names()).toEqual([]);
});

test('a patch that makes another kind of an object is a failure of its webhook', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'a' }, () =>
    patchResponse({ op: 'replace', path: '/kind', value: 'Secret' }),
  );
  const { code, message } = await plane.post(MAPS, configMap('one'));
  const why = 'cannot convert v1, Kind=Secret to v1, Kind=ConfigMap';
  expect([code, message]).toEqual([500, `Internal error occurred: ${why}`]);
  expect((await plane.get(MAPS)).names).toEqual([]);
});

const PATCH = [{ op: 'add', path: '/data/password', value: 'hunter2' }];

/** Keys and values of what was left for the record of audit. */
function notesWhere(
  keepsRequests: boolean | undefined,
  patch: readonly JsonObject[] = PATCH,
): Map<string, string> {
  const left = new Map<string, string>();
  const request = {
    record: keepsRequests === undefined ? undefined : { keepsRequests },
    annotate: (key: string, value: string) => left.set(key, value),
  };
  // The notes look at no more than this.
  const attributes = { request, reinvocation: { isSecond: false } } as unknown;
  const hook = { configuration: 'c', name: 'w.example.com', index: 2 } as WebhookHook;
  const notes = new MutationNotes(attributes as AdmissionAttributes, hook);
  notes.mutated(true);
  notes.patched(patch);
  return left;
}

test.each([undefined, false])('contents stay out of a record of metadata (%s)', (keeps) => {
  const left = notesWhere(keeps);
  expect([...left.keys()]).toEqual(['mutation.webhook.admission.k8s.io/round_0_index_2']);
  expect([...left.values()].join('')).not.toContain('hunter2');
});

test('a record that shows requests shows what became of them', () => {
  expect(notesWhere(true).get('patch.webhook.admission.k8s.io/round_0_index_2')).toBe(
    '{"configuration":"c","webhook":"w.example.com",' +
      '"patch":[{"op":"add","path":"/data/password","value":"hunter2"}],"patchType":"JSONPatch"}',
  );
});

test('a record names the parts of a patch in one order, however the webhook wrote them', () => {
  const patch = [{ value: 1, path: '/a', op: 'add' }];
  expect(notesWhere(true, patch).get('patch.webhook.admission.k8s.io/round_0_index_2')).toContain(
    '[{"op":"add","path":"/a","value":1}]',
  );
});

test('what a webhook patches into a subresource is read by the type of that subresource', async () => {
  const plane = await givenWebhooks();
  const pods = '/api/v1/namespaces/default/pods';
  await plane.post(pods, pod('a', { nodeName: 'n1' }));
  const rules = [configMaps({ resources: ['pods/eviction'] })];
  await plane.hook('mutating', { name: 'a', rules }, () =>
    // No field of a Binding, which is what the first subresource of pods takes.
    patchResponse({ op: 'add', path: '/deleteOptions', value: { gracePeriodSeconds: 7 } }),
  );
  const eviction = { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'a' } };
  const told = await plane.post(`${pods}/a/eviction`, eviction);
  expect([told.code, told.message, plane.names()]).toEqual([201, '', ['a']]);
  const left = await plane.get(`${pods}/a`);
  expect(left.object.metadata).toMatchObject({ deletionGracePeriodSeconds: 7 });
});
