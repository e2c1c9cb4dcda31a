/**
 * Plug-ins beside those of kube-apiserver, run in Go: the same objects are there, the same requests
 * are made, and what comes out is the same object or the same refusal.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { objectAt, type JsonObject, type JsonValue } from '../../../api/meta/json.ts';
import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import type { AdmissionOperation } from '../admission-attributes.ts';
import { givenPlugin } from '../given-plugin.fixture.ts';
import { pluginsOf } from '../plugin-order.ts';

const oracle = await goOracle('admission');
const WORLDS = 6;
const REQUESTS = 40;
/** The same worlds each time: not every object that could be made up is valid. */
const SEED = 36;
const TIMEOUT_MS = 300_000;

interface Stored {
  readonly url: string;
  readonly object: JsonObject;
}

interface Request {
  readonly operation?: AdmissionOperation;
  readonly subresource?: string;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
}

interface Case {
  readonly plugin: string;
  /** `/api/v1/namespaces/ns/pods` */
  readonly url: string;
  readonly configuration?: JsonObject;
  readonly objects: fc.Arbitrary<Stored[]>;
  readonly request: fc.Arbitrary<Request>;
}

interface Answer {
  readonly object?: JsonObject;
  readonly status?: { readonly code: number; readonly message: string };
  readonly warnings?: string[];
}

const NAMESPACE = 'ns';
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const object = (apiVersion: string, kind: string, name: string, rest: JsonObject = {}) => {
  const { metadata, ...more } = rest;
  const own = typeof metadata === 'object' ? (metadata as JsonObject) : {};
  return { apiVersion, kind, metadata: { name, ...own }, ...more };
};
const inNamespace = (apiVersion: string, kind: string, name: string, rest: JsonObject = {}) => {
  const made = object(apiVersion, kind, name, rest);
  return { ...made, metadata: { ...made.metadata, namespace: NAMESPACE } };
};

/** As it comes out of JSON: without what is undefined. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function partsOf(url: string) {
  const parts = url.split('/');
  const at = parts.indexOf('namespaces');
  return at < 0 || at === parts.length - 1
    ? { namespace: '', resource: parts.at(-1) ?? '' }
    : { namespace: parts[at + 1] ?? '', resource: parts[at + 2] ?? '' };
}

function nameOf(one: JsonObject): string {
  const name = objectAt(one, 'metadata')?.['name'];
  return typeof name === 'string' ? name : '';
}

/** What a plug-in can change. Names that are made by chance are not compared. */
function seen({ object: one, status, warnings = [] }: Answer): JsonValue {
  const refused = status && { code: status.code, message: status.message };
  const metadata = objectAt(one, 'metadata');
  const { labels, annotations, finalizers } = metadata ?? {};
  const left = refused ?? { spec: one?.['spec'] ?? null, labels, annotations, finalizers };
  const text = JSON.stringify({ left, warnings });
  return JSON.parse(
    text.replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-x'),
  ) as JsonValue;
}

async function compare({ plugin, url, configuration, objects, request }: Case): Promise<number> {
  const { namespace, resource } = partsOf(url);
  const worlds = fc.sample(objects, { numRuns: WORLDS, seed: SEED }).map((there, at) => {
    return {
      there: plain(there),
      requests: fc.sample(request, { numRuns: REQUESTS, seed: SEED + at }).map(plain),
    };
  });
  const asked = worlds.map(({ there, requests }) => ({
    ...{ plugin, configuration, objects: there.map((one) => one.object) },
    requests: requests.map((one) => ({
      ...{ operation: 'CREATE', subresource: '', namespace, resource, name: nameOf(one.object) },
      ...one,
    })),
  }));
  const theirs = oracle?.<{ answers: Answer[] }>(asked) ?? [];
  let count = 0;
  for (const [index, { there, requests }] of worlds.entries()) {
    const given = await givenPlugin(
      (world) => {
        const configurations = new Map(
          configuration === undefined ? [] : [[plugin, { content: configuration, file: 'f' }]],
        );
        const [found] = pluginsOf(world, { isOn: (name) => name === plugin, configurations });
        if (found === undefined) throw new Error(`no plug-in ${plugin}`);
        return found;
      },
      there.map((one) => [one.url, one.object]),
    );
    for (const [at, one] of requests.entries()) {
      const { operation = 'CREATE', subresource = '' } = one;
      const below = operation === 'CREATE' && subresource === '' ? '' : `/${nameOf(one.object)}`;
      const where = `${url}${below}${subresource === '' ? '' : `/${subresource}`}`;
      const result = await given.admit({ ...one, url: where });
      const { status, warnings } = result;
      const ours = seen({
        ...{ object: result.object, warnings: [...warnings] },
        ...(status && { status: { code: status.code, message: status.message ?? '' } }),
      });
      const wanted = seen(theirs[index]?.answers[at] ?? {});
      expect(ours, JSON.stringify({ there, one })).toEqual(wanted);
      count += 1;
    }
  }
  return count;
}

const NAMESPACES = '/api/v1/namespaces';
const PODS = `${NAMESPACES}/${NAMESPACE}/pods`;
const CLAIMS = `${NAMESPACES}/${NAMESPACE}/persistentvolumeclaims`;

const namespaceOf = (annotations: JsonObject = {}): Stored => ({
  url: NAMESPACES,
  object: object('v1', 'Namespace', NAMESPACE, { metadata: { annotations } }),
});

const amount = fc.constantFrom('0', '1', '2', '3', '100m', '1500m', '1Gi', '512Mi', '7');
const amounts = fc.dictionary(fc.constantFrom('cpu', 'memory', 'example.com/gpu'), amount, {
  maxKeys: 3,
});
/** Of what can be divided. */
const nodeAmounts = fc.dictionary(fc.constantFrom('cpu', 'memory'), amount, { maxKeys: 2 });
const resources = some(fc.record({ requests: some(amounts), limits: some(amounts) }));
const secret = fc.constantFrom('s1', 's2');
const container = fc.record({
  name: fc.constantFrom('a', 'b'),
  image: fc.constantFrom('nginx', 'busybox'),
  resources,
  imagePullPolicy: some(fc.constantFrom('Always', 'Never')),
  env: some(
    fc.array(
      fc.record({
        name: fc.constant('E'),
        valueFrom: fc.record({
          secretKeyRef: some(fc.record({ name: secret, key: fc.constant('k') })),
        }),
      }),
      { maxLength: 1 },
    ),
  ),
  envFrom: some(fc.array(fc.record({ secretRef: fc.record({ name: secret }) }), { maxLength: 1 })),
  volumeMounts: some(
    fc.array(
      fc.record({
        name: fc.constant('v'),
        mountPath: fc.constantFrom('/x', '/var/run/secrets/kubernetes.io/serviceaccount'),
      }),
      { maxLength: 1 },
    ),
  ),
});

const toleration = fc.record({
  key: fc.constantFrom('node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'k', ''),
  operator: fc.constantFrom('Exists', 'Equal'),
  value: some(fc.constantFrom('v', 'w')),
  effect: some(fc.constantFrom('NoExecute', 'NoSchedule')),
  tolerationSeconds: some(fc.constantFrom(10, 400)),
});
/** That are valid. */
const TOLERATIONS = [
  { key: 'k', operator: 'Exists' },
  { key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' },
  { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 },
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
];
const selector = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), {
  maxKeys: 2,
});

function podOf(spec: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}) {
  return fc
    .record({
      containers: fc.array(container, { minLength: 1, maxLength: 2 }),
      initContainers: some(
        fc.array(
          fc
            .tuple(container, some(fc.constant('Always')))
            .map(([one, restartPolicy]) => ({ ...one, restartPolicy })),
          { maxLength: 2 },
        ),
      ),
      ...spec,
    })
    .map((made) => inNamespace('v1', 'Pod', 'p', { spec: made as JsonObject }));
}

const created = (pod: fc.Arbitrary<JsonObject>): fc.Arbitrary<Request> =>
  pod.map((one) => ({ object: one }));
const updated = (pod: fc.Arbitrary<JsonObject>): fc.Arbitrary<Request> =>
  fc
    .tuple(pod, pod)
    .map(([one, old]) => ({ operation: 'UPDATE' as const, object: one, oldObject: old }));
const written = (pod: fc.Arbitrary<JsonObject>) => fc.oneof(created(pod), updated(pod));

const limit = fc
  .tuple(
    fc.constantFrom('Container', 'Pod'),
    fc.constantFrom('min', 'max', 'maxLimitRequestRatio'),
    fc.constantFrom('cpu', 'memory'),
    fc.constantFrom('1', '2', '1500m', '1Gi'),
  )
  .map(([type, rule, resource, value]) => ({ type, [rule]: { [resource]: value } }));
const defaults = fc
  .tuple(fc.constantFrom('default', 'defaultRequest'), nodeAmounts)
  .map(([rule, values]) => ({ type: 'Container', [rule]: values }));

const CASES: readonly Case[] = [
  {
    plugin: 'DefaultTolerationSeconds',
    url: PODS,
    objects: fc.constant([]),
    request: written(podOf({ tolerations: some(fc.array(toleration, { maxLength: 3 })) })),
  },
  {
    plugin: 'AlwaysPullImages',
    url: PODS,
    objects: fc.constant([]),
    request: written(
      podOf({
        volumes: some(
          fc.array(
            fc.record({
              name: fc.constant('v'),
              image: fc.record({ reference: fc.constant('x'), pullPolicy: fc.constant('Never') }),
            }),
            { maxLength: 1 },
          ),
        ),
      }),
    ),
  },
  {
    plugin: 'ExtendedResourceToleration',
    url: PODS,
    objects: fc.constant([]),
    request: written(
      podOf({
        tolerations: some(
          fc.array(
            fc.record({
              key: fc.constantFrom('example.com/gpu', 'k'),
              operator: fc.constant('Exists'),
              effect: fc.constant('NoSchedule'),
              tolerationSeconds: some(fc.constant(1)),
            }),
            { maxLength: 2 },
          ),
        ),
      }),
    ),
  },
  {
    plugin: 'LimitPodHardAntiAffinityTopology',
    url: PODS,
    objects: fc.constant([]),
    request: created(
      podOf({
        affinity: some(
          fc
            .array(fc.constantFrom('kubernetes.io/hostname', 'zone'), { maxLength: 2 })
            .map((keys) => ({
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: keys.map((topologyKey) => ({
                  topologyKey,
                })),
              },
            })),
        ),
      }),
    ),
  },
  {
    plugin: 'Priority',
    url: PODS,
    objects: fc
      .uniqueArray(
        fc.record({
          name: fc.constantFrom('low', 'high', 'top'),
          value: fc.constantFrom(1, 10, 100),
          preemptionPolicy: some(fc.constantFrom('Never', 'PreemptLowerPriority')),
          globalDefault: fc.boolean(),
        }),
        { maxLength: 3, selector: ({ name, value }) => name + String(value) },
      )
      .map((classes) =>
        [...new Map(classes.map((one) => [one.name, one])).values()].map(({ name, ...rest }) => ({
          url: '/apis/scheduling.k8s.io/v1/priorityclasses',
          object: object('scheduling.k8s.io/v1', 'PriorityClass', name, rest as JsonObject),
        })),
      ),
    request: written(
      podOf({
        priorityClassName: some(fc.constantFrom('low', 'high', 'top')),
        priority: some(fc.constantFrom(1, 10)),
        preemptionPolicy: some(fc.constantFrom('Never', 'PreemptLowerPriority')),
      }),
    ),
  },
  {
    plugin: 'RuntimeClass',
    url: PODS,
    objects: fc
      .record({
        overhead: some(fc.record({ podFixed: some(nodeAmounts) })),
        scheduling: some(
          fc.record({
            nodeSelector: some(fc.constantFrom({ a: '1' }, { c: '2' }, {})),
            tolerations: some(fc.subarray(TOLERATIONS)),
          }),
        ),
      })
      .map((rest) => [
        {
          url: '/apis/node.k8s.io/v1/runtimeclasses',
          object: object('node.k8s.io/v1', 'RuntimeClass', 'r', {
            handler: 'h',
            ...(plain(rest) as JsonObject),
          }),
        },
      ]),
    request: created(
      podOf({
        runtimeClassName: some(fc.constantFrom('r', 'r', 'none')),
        overhead: some(amounts.filter((one) => Object.keys(one).length > 0)),
        nodeSelector: some(selector),
        tolerations: some(fc.array(toleration, { maxLength: 2 })),
      }),
    ),
  },
  {
    plugin: 'LimitRanger',
    url: PODS,
    objects: fc.array(fc.oneof(limit, defaults), { maxLength: 1 }).map((limits) => [
      {
        url: `${NAMESPACES}/default/limitranges`,
        object: object('v1', 'LimitRange', 'other', { spec: { limits: [] } }),
      },
      {
        url: `${NAMESPACES}/${NAMESPACE}/limitranges`,
        object: inNamespace('v1', 'LimitRange', 'l', { spec: { limits: limits as JsonValue } }),
      },
    ]),
    request: fc.oneof(
      written(podOf({ resources })),
      updated(podOf()).map((one) => ({ ...one, subresource: 'resize' })),
    ),
  },
  {
    plugin: 'LimitRanger',
    url: CLAIMS,
    objects: fc
      .constantFrom<JsonObject[]>(
        { min: { storage: '2' } },
        { max: { storage: '2' } },
        { min: { storage: '1' }, max: { storage: '1Gi' } },
      )
      .map((rules) => [
        {
          url: `${NAMESPACES}/${NAMESPACE}/limitranges`,
          object: inNamespace('v1', 'LimitRange', 'l', {
            spec: {
              limits: [
                {
                  type: 'PersistentVolumeClaim',
                  ...rules,
                },
              ] as JsonValue,
            },
          }),
        },
      ]),
    request: created(
      amount.map((storage) =>
        inNamespace('v1', 'PersistentVolumeClaim', 'c', {
          spec: { resources: { requests: { storage } } },
        }),
      ),
    ),
  },
  {
    plugin: 'ServiceAccount',
    url: PODS,
    objects: fc
      .record({
        automountServiceAccountToken: some(fc.boolean()),
        secrets: some(fc.array(fc.record({ name: secret }), { maxLength: 2 })),
        imagePullSecrets: some(fc.array(fc.record({ name: secret }), { maxLength: 2 })),
        enforced: some(fc.constantFrom('true', 'false', 'T', 'yes')),
      })
      .map(({ enforced, ...rest }) =>
        ['default', 'other'].map((name) => ({
          url: `${NAMESPACES}/${NAMESPACE}/serviceaccounts`,
          object: inNamespace('v1', 'ServiceAccount', name, {
            ...(plain(rest) as JsonObject),
            metadata: {
              annotations: enforced ? { 'kubernetes.io/enforce-mountable-secrets': enforced } : {},
            },
          }),
        })),
      ),
    request: fc
      .tuple(
        podOf({
          serviceAccountName: some(fc.constantFrom('default', 'other', 'none')),
          automountServiceAccountToken: some(fc.boolean()),
          imagePullSecrets: some(fc.array(fc.record({ name: secret }), { maxLength: 1 })),
          ephemeralContainers: some(fc.array(container, { maxLength: 1 })),
          volumes: some(
            fc.array(
              fc.oneof(
                fc.record({ name: fc.constant('v'), secret: fc.record({ secretName: secret }) }),
                fc.constant({ name: 'kube-api-access-abcde', emptyDir: {} }),
                fc.constant({
                  name: 't',
                  projected: { sources: [{ serviceAccountToken: { path: 't' } }] },
                }),
              ),
              { maxLength: 2 },
            ),
          ),
        }),
        fc.nat(5),
      )
      .map(([pod, kind]): Request => {
        if (kind === 0) {
          const annotations = { 'kubernetes.io/config.mirror': 'x' };
          return { object: { ...pod, metadata: { ...pod.metadata, annotations } } };
        }
        if (kind > 1) return { object: pod };
        const subresource = 'ephemeralcontainers';
        return { operation: 'UPDATE', subresource, object: pod, oldObject: pod };
      }),
  },
  {
    plugin: 'PodNodeSelector',
    url: PODS,
    configuration: {
      podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'a=1', ns: 'a=1,b=1,c=1' },
    },
    objects: some(fc.constantFrom('', 'b=1', 'a=2', 'b=1,c=2', 'a', 'a=b=c', 'a b=1', 'a=/')).map(
      (said) => [
        namespaceOf(
          said === undefined ? {} : { 'scheduler.alpha.kubernetes.io/node-selector': said },
        ),
      ],
    ),
    request: created(podOf({ nodeSelector: some(selector) })),
  },
  {
    plugin: 'PodTolerationRestriction',
    url: PODS,
    configuration: {
      kind: 'Configuration',
      apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
      default: [{ key: 'k', operator: 'Equal', value: 'v' }],
      whitelist: [
        { key: 'k', operator: 'Exists' },
        { operator: 'Exists', effect: 'NoSchedule' },
      ],
    },
    objects: fc
      .record({
        defaultTolerations: some(fc.array(toleration, { maxLength: 2 })),
        tolerationsWhitelist: some(fc.array(toleration, { maxLength: 2 })),
      })
      .map((said) => [
        namespaceOf(
          Object.fromEntries(
            Object.entries(plain(said)).map(([key, value = []]) => [
              `scheduler.alpha.kubernetes.io/${key}`,
              value.length === 0 ? '' : JSON.stringify(value),
            ]),
          ),
        ),
      ]),
    request: written(podOf({ tolerations: some(fc.array(toleration, { maxLength: 2 })) })),
  },
  {
    plugin: 'PodTopologyLabels',
    url: PODS,
    objects: fc.constant([
      {
        url: '/api/v1/nodes',
        object: object('v1', 'Node', 'n', {
          metadata: {
            labels: {
              'topology.kubernetes.io/zone': 'z',
              'topology.kubernetes.io/region': 'r',
              other: 'o',
            },
          },
        }),
      },
    ]),
    request: fc.oneof(
      created(podOf({ nodeName: some(fc.constantFrom('n', 'none')) })),
      fc.constantFrom('n', 'none').map((name) => ({
        subresource: 'binding',
        object: inNamespace('v1', 'Binding', 'p', { target: { kind: 'Node', name } }),
      })),
    ),
  },
  {
    plugin: 'DefaultStorageClass',
    url: CLAIMS,
    objects: fc.subarray(['a', 'b', 'c']).map((names) =>
      names.map((name) => ({
        url: '/apis/storage.k8s.io/v1/storageclasses',
        object: object('storage.k8s.io/v1', 'StorageClass', name, {
          provisioner: 'p',
          metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        }),
      })),
    ),
    request: created(
      fc
        .record({ storageClassName: some(fc.constantFrom('', 'x')), annotated: fc.boolean() })
        .map(({ storageClassName, annotated }) =>
          inNamespace('v1', 'PersistentVolumeClaim', 'c', {
            spec: plain({ storageClassName }) as JsonObject,
            metadata: {
              annotations: annotated ? { 'volume.beta.kubernetes.io/storage-class': 'y' } : {},
            },
          }),
        ),
    ),
  },
  {
    plugin: 'PersistentVolumeClaimResize',
    url: CLAIMS,
    objects: fc.constantFrom(true, false).map((allowVolumeExpansion) => [
      {
        url: '/apis/storage.k8s.io/v1/storageclasses',
        object: object('storage.k8s.io/v1', 'StorageClass', 'a', {
          provisioner: 'p',
          allowVolumeExpansion,
        }),
      },
    ]),
    request: updated(
      fc
        .tuple(amount, some(fc.constantFrom('a', 'b')), fc.constantFrom('Bound', 'Pending'))
        .map(([storage, storageClassName, phase]) =>
          inNamespace('v1', 'PersistentVolumeClaim', 'c', {
            spec: plain({ storageClassName, resources: { requests: { storage } } }) as JsonObject,
            status: { phase },
          }),
        ),
    ),
  },
  {
    plugin: 'StorageObjectInUseProtection',
    url: CLAIMS,
    objects: fc.constant([]),
    request: created(
      fc
        .subarray(['kubernetes.io/pvc-protection', 'example.com/x'])
        .map((finalizers) =>
          inNamespace('v1', 'PersistentVolumeClaim', 'c', { spec: {}, metadata: { finalizers } }),
        ),
    ),
  },
  {
    plugin: 'DefaultIngressClass',
    url: `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/ingresses`,
    objects: fc.subarray(['a', 'b']).map((names) =>
      names.map((name) => ({
        url: '/apis/networking.k8s.io/v1/ingressclasses',
        object: object('networking.k8s.io/v1', 'IngressClass', name, {
          spec: { controller: 'x.io/y' },
          metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        }),
      })),
    ),
    request: created(
      fc
        .record({ ingressClassName: some(fc.constant('x')), annotated: fc.boolean() })
        .map(({ ingressClassName, annotated }) =>
          inNamespace('networking.k8s.io/v1', 'Ingress', 'i', {
            spec: plain({ ingressClassName }) as JsonObject,
            metadata: { annotations: annotated ? { 'kubernetes.io/ingress.class': 'y' } : {} },
          }),
        ),
    ),
  },
  {
    plugin: 'DenyServiceExternalIPs',
    url: `${NAMESPACES}/${NAMESPACE}/services`,
    objects: fc.constant([]),
    request: written(
      fc
        .subarray(['1.2.3.4', '1.2.3.5'])
        .map((externalIPs) => inNamespace('v1', 'Service', 's', { spec: { externalIPs } })),
    ),
  },
  {
    plugin: 'TaintNodesByCondition',
    url: '/api/v1/nodes',
    objects: fc.constant([]),
    request: created(
      fc
        .array(
          fc.record({
            key: fc.constantFrom('node.kubernetes.io/not-ready', 'k'),
            effect: fc.constantFrom('NoSchedule', 'NoExecute'),
          }),
          { maxLength: 2 },
        )
        .map((taints) => object('v1', 'Node', 'n', { spec: { taints } })),
    ),
  },
  {
    plugin: 'PodResizeValidator',
    url: PODS,
    objects: fc
      .record({ cpu: amount, memory: amount, os: some(fc.constantFrom('linux', 'windows')) })
      .map(({ cpu, memory, os }) => [
        {
          url: '/api/v1/nodes',
          object: object('v1', 'Node', 'n', {
            metadata: { labels: os === undefined ? {} : { 'kubernetes.io/os': os } },
            status: { allocatable: { cpu, memory } },
          }),
        },
      ]),
    request: fc
      .tuple(
        podOf({
          nodeName: some(fc.constantFrom('n', 'n', 'none')),
          resources,
          overhead: some(amounts),
        }),
        fc.nat(1),
      )
      .map(([pod, generation]) => ({
        operation: 'UPDATE' as const,
        subresource: 'resize',
        object: { ...pod, metadata: { ...pod.metadata, generation: 1 } },
        oldObject: { ...pod, metadata: { ...pod.metadata, generation } },
      })),
  },
];

describe.skipIf(oracle === undefined).each(CASES)('$plugin of $url', (one) => {
  it('does what it does in kube-apiserver', { timeout: TIMEOUT_MS }, async () => {
    expect(await compare(one)).toBe(WORLDS * REQUESTS);
  });
});
