/** Requests that are made up for plug-ins of admission, and what is there when they are made. */
import fc from 'fast-check';

import type { JsonObject } from '../../../api/json/json.ts';
import type { AdmissionOperation } from '../admission-attributes.ts';

export interface Stored {
  readonly url: string;
  readonly object: JsonObject;
}

export interface Request {
  readonly operation?: AdmissionOperation;
  readonly subresource?: string;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
}

export interface Case {
  readonly plugin: string;
  /** `/api/v1/namespaces/ns/pods` */
  readonly url: string;
  readonly configuration?: JsonObject;
  readonly objects: fc.Arbitrary<Stored[]>;
  readonly request: fc.Arbitrary<Request>;
}

export const NAMESPACE = 'ns';
export const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
export const object = (apiVersion: string, kind: string, name: string, rest: JsonObject = {}) => {
  const { metadata, ...more } = rest;
  const own = typeof metadata === 'object' ? (metadata as JsonObject) : {};
  return { apiVersion, kind, metadata: { name, ...own }, ...more };
};
export const inNamespace = (
  apiVersion: string,
  kind: string,
  name: string,
  rest: JsonObject = {},
) => {
  const made = object(apiVersion, kind, name, rest);
  return { ...made, metadata: { ...made.metadata, namespace: NAMESPACE } };
};

export const NAMESPACES = '/api/v1/namespaces';
export const PODS = `${NAMESPACES}/${NAMESPACE}/pods`;
export const CLAIMS = `${NAMESPACES}/${NAMESPACE}/persistentvolumeclaims`;

export const namespaceOf = (annotations: JsonObject = {}): Stored => ({
  url: NAMESPACES,
  object: object('v1', 'Namespace', NAMESPACE, { metadata: { annotations } }),
});

export const amount = fc.constantFrom('0', '1', '2', '3', '100m', '1500m', '1Gi', '512Mi', '7');
export const amounts = fc.dictionary(fc.constantFrom('cpu', 'memory', 'example.com/gpu'), amount, {
  maxKeys: 3,
});
/** Of what can be divided. */
export const nodeAmounts = fc.dictionary(fc.constantFrom('cpu', 'memory'), amount, { maxKeys: 2 });
export const resources = some(fc.record({ requests: some(amounts), limits: some(amounts) }));
export const secret = fc.constantFrom('s1', 's2');
export const container = fc.record({
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

export const toleration = fc.record({
  key: fc.constantFrom('node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'k', ''),
  operator: fc.constantFrom('Exists', 'Equal'),
  value: some(fc.constantFrom('v', 'w')),
  effect: some(fc.constantFrom('NoExecute', 'NoSchedule')),
  tolerationSeconds: some(fc.constantFrom(10, 400)),
});
/** That are valid. */
export const TOLERATIONS = [
  { key: 'k', operator: 'Exists' },
  { key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' },
  { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 },
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
];
export const selector = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), {
  maxKeys: 2,
});

export function podOf(spec: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}) {
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

export const created = (pod: fc.Arbitrary<JsonObject>): fc.Arbitrary<Request> =>
  pod.map((one) => ({ object: one }));
export const updated = (pod: fc.Arbitrary<JsonObject>): fc.Arbitrary<Request> =>
  fc
    .tuple(pod, pod)
    .map(([one, old]) => ({ operation: 'UPDATE' as const, object: one, oldObject: old }));
export const written = (pod: fc.Arbitrary<JsonObject>) => fc.oneof(created(pod), updated(pod));

export const limit = fc
  .tuple(
    fc.constantFrom('Container', 'Pod'),
    fc.constantFrom('min', 'max', 'maxLimitRequestRatio'),
    fc.constantFrom('cpu', 'memory'),
    fc.constantFrom('1', '2', '1500m', '1Gi'),
  )
  .map(([type, rule, resource, value]) => ({ type, [rule]: { [resource]: value } }));
export const defaults = fc
  .tuple(fc.constantFrom('default', 'defaultRequest'), nodeAmounts)
  .map(([rule, values]) => ({ type: 'Container', [rule]: values }));

/** As it comes out of JSON: without what is undefined. */
export function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
