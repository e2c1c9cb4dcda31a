/** Random requests about {@link WALKED_KINDS}: every verb, with queries, headers and bodies that are often wrong. */
import type { Chance } from '../../robustness/chance.ts';
import type { JsonObject, JsonValue } from '../../support/json.ts';
import { faulty } from './faulty.ts';
import { WALKED_KINDS, type WalkedKind } from './walked-kinds.ts';

/**
 * One request. `@rv` and `@uid` in its query and body stand for what the object has on the server that is
 * asked, `@list` and `@continue` for the resourceVersion of its collection and the token behind its first object.
 */
export interface Step {
  readonly method: string;
  /** Where the object of the request lies. */
  readonly object: string;
  readonly collection: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

const NAMES = ['a', 'b', 'c'] as const;
const NAMESPACES = ['default', 'default', 'default', 'other'] as const;
const LABELS = [
  'app=x',
  'app!=x',
  'app in (x,y)',
  'app',
  '!app',
  'app=',
  'app in',
  'a b',
  '-x=1',
  'app notin (x)',
  'app>1',
];
const PATCHES = [
  'merge-patch+json',
  'strategic-merge-patch+json',
  'json-patch+json',
  'apply-patch+yaml',
] as const;

/** @param kinds that it may be about. */
export function stepOf(chance: Chance, kinds: readonly WalkedKind[] = WALKED_KINDS): Step {
  const kind = chance.oneOf(kinds);
  const name = chance.happens(0.03)
    ? chance.oneOf(['A', 'a_b', 'x'.repeat(254)])
    : chance.oneOf(NAMES);
  const namespace = chance.happens(0.03) ? 'missing' : chance.oneOf(NAMESPACES);
  const scope = kind.isNamespaced ? `/namespaces/${namespace}` : '';
  const collection = `${kind.prefix}${scope}/${kind.plural}`;
  const object = `${collection}/${name}`;
  const target = { kind, name, namespace, collection, object };
  const verb = chance.weighed<Verb>({
    get: 2,
    list: 3,
    create: 5,
    put: 5,
    patch: 8,
    remove: 2,
    removeAll: 0.4,
    odd: 0.6,
    watch: 0.6,
  });
  const step = STEPS[verb](chance, target);
  const headers = { ...step.headers, ...impersonated(chance) };
  return { ...step, headers, object, collection };
}

/** For requests of a user without rights, of a service account and of a node. */
function impersonated(chance: Chance): Record<string, string> {
  if (!chance.happens(0.05)) return {};
  const users = [
    'jane',
    'system:serviceaccount:default:default',
    'system:node:n',
    'system:anonymous',
  ];
  return { 'impersonate-user': chance.oneOf(users) };
}

interface Target {
  readonly kind: WalkedKind;
  readonly name: string;
  readonly namespace: string;
  readonly collection: string;
  readonly object: string;
}

type Told = Omit<Step, 'object' | 'collection'>;

type Verb = 'get' | 'list' | 'create' | 'put' | 'patch' | 'remove' | 'removeAll' | 'odd' | 'watch';

const STEPS: Readonly<Record<Verb, (chance: Chance, target: Target) => Told>> = {
  get: (chance, target) => ({
    method: 'GET',
    path: withSubresource(chance, target, 0.2),
    query: someOf(chance, 0.12, READ_QUERIES),
    headers: accepted(chance),
  }),
  list: (chance, { kind, collection }) => ({
    method: 'GET',
    path: chance.happens(0.15) && kind.isNamespaced ? `${kind.prefix}/${kind.plural}` : collection,
    query: {
      ...(chance.happens(0.3)
        ? { fieldSelector: chance.oneOf([...kind.fieldSelectors, 'x', 'a=b,', 'metadata.name=']) }
        : {}),
      ...someOf(chance, 0.12, LIST_QUERIES),
    },
    headers: accepted(chance),
  }),
  watch: (chance, { kind, collection }) => ({
    method: 'GET',
    path: collection,
    query: {
      watch: 'true',
      // A watch that begins is ended by what it cannot have.
      ...chance.oneOf<Record<string, string>>([
        { resourceVersion: 'x' },
        { resourceVersion: '-1' },
        { fieldSelector: chance.oneOf([...kind.fieldSelectors, 'x']), resourceVersion: 'x' },
        { sendInitialEvents: 'true' },
        { sendInitialEvents: 'true', resourceVersionMatch: 'Exact' },
        { resourceVersionMatch: 'NotOlderThan' },
        { labelSelector: 'a b' },
        { timeoutSeconds: 'x', resourceVersion: 'x' },
        { limit: 'x', resourceVersion: 'x' },
      ]),
    },
    headers: accepted(chance),
  }),
  create: (chance, target) => {
    const isSub = chance.happens(0.08);
    return {
      method: 'POST',
      path: isSub ? withSubresource(chance, target, 1) : target.collection,
      query: someOf(chance, 0.12, WRITE_QUERIES),
      ...sentBody(chance, objectOf(chance, target)),
    };
  },
  put: (chance, target) => ({
    method: 'PUT',
    path: withSubresource(chance, target, 0.2),
    query: someOf(chance, 0.12, WRITE_QUERIES),
    ...sentBody(chance, objectOf(chance, target)),
  }),
  patch: (chance, target) => {
    const type = chance.oneOf(PATCHES);
    const query = {
      ...someOf(chance, 0.12, WRITE_QUERIES),
      ...(type === 'apply-patch+yaml' && chance.happens(0.9)
        ? { fieldManager: chance.oneOf(['one', 'two']) }
        : {}),
      ...(chance.happens(0.15) ? { force: chance.oneOf(['true', 'false', 'x', '1']) } : {}),
    };
    const path = withSubresource(chance, target, 0.2);
    const body = JSON.stringify(patchOf(chance, target, type));
    const headers = {
      ...accepted(chance, 0.05),
      'content-type': `application/${chance.happens(0.02) ? 'x-patch' : type}`,
    };
    return { method: 'PATCH', path, query, headers, body };
  },
  remove: (chance, target) => ({
    method: 'DELETE',
    path: withSubresource(chance, target, 0.03),
    query: someOf(chance, 0.12, DELETE_QUERIES),
    ...deleteOptions(chance),
  }),
  removeAll: (chance, { kind, collection }) => ({
    method: 'DELETE',
    path: collection,
    query: {
      ...someOf(chance, 0.12, { ...DELETE_QUERIES, labelSelector: LABELS, limit: ['1', 'x'] }),
      ...(chance.happens(0.5) ? { fieldSelector: chance.oneOf(kind.fieldSelectors) } : {}),
    },
    ...deleteOptions(chance),
  }),
  odd(chance, target) {
    const method = chance.oneOf([
      'OPTIONS',
      'POST',
      'PUT',
      'PATCH',
      'HEAD',
      'DELETE',
      'TRACE',
      'GET',
    ]);
    const path = chance.oneOf([
      // A custom object may be made at the path of any other in kube-apiserver, whose handlers do not look at it.
      method === 'POST' ? target.collection : target.object,
      target.collection,
      `${target.object}/x/y`,
      `${target.object}/nothing`,
      `${target.kind.prefix}/nothing`,
      target.kind.prefix,
      '/apis',
      '/api',
      '/apis/walk.example.com',
      '/api/v2',
    ]);
    return { method, path, query: {}, headers: method === 'PATCH' ? {} : accepted(chance) };
  },
};

const VERSIONS = ['', '0', '1', '@list', '@rv', '-1', 'abc', '99999999999999999999'];
const PRETTY = { pretty: ['true', '1', 'x', ''] };
const READ_QUERIES = { ...PRETTY, resourceVersion: VERSIONS };
const LIST_QUERIES = {
  ...PRETTY,
  resourceVersion: VERSIONS,
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'Other', ''],
  labelSelector: LABELS,
  limit: ['1', '2', '0', '-1', 'x', '500'],
  continue: ['x', '', '@continue', '@continue', 'e30', 'eyJydiI6IjEifQ', 'abc+'],
  timeoutSeconds: ['1', 'x', '-1'],
  sendInitialEvents: ['true', 'false', 'x'],
  allowWatchBookmarks: ['true', 'x'],
};
const WRITE_QUERIES = {
  ...PRETTY,
  dryRun: ['All', 'All', '', 'Some'],
  fieldManager: ['one', 'two', '', 'x'.repeat(129), 'a\u0007b'],
  fieldValidation: ['Strict', 'Strict', 'Warn', 'Ignore', 'Other'],
  timeout: ['5s', 'x', '0s'],
};
const DELETE_QUERIES = {
  ...PRETTY,
  dryRun: ['All', 'Some'],
  gracePeriodSeconds: ['0', '5', '-1', 'x'],
  propagationPolicy: ['Orphan', 'Background', 'Other'],
  orphanDependents: ['true', 'false', 'x'],
  ignoreStoreReadErrorWithClusterBreakingPotential: ['true', 'false'],
};

function someOf(
  chance: Chance,
  share: number,
  of: Readonly<Record<string, readonly string[]>>,
): Record<string, string> {
  const chosen = Object.entries(of).filter(() => chance.happens(share));
  return Object.fromEntries(chosen.map(([name, values]) => [name, chance.oneOf(values)]));
}

function withSubresource(chance: Chance, { kind, object }: Target, share: number): string {
  if (!chance.happens(share)) return object;
  return `${object}/${chance.oneOf(kind.subresources.length === 0 ? ['status'] : kind.subresources)}`;
}

const ACCEPTS = [
  'application/json',
  '*/*',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/json;as=Nothing;v=v1;g=meta.k8s.io',
  'text/plain',
  'text/html, */*;q=0.1',
  'application/vnd.kubernetes.protobuf, application/json',
  'application/json;q=x',
];

function accepted(chance: Chance, share = 0.35): Record<string, string> {
  return chance.happens(share) ? { accept: chance.oneOf(ACCEPTS) } : {};
}

function objectOf(chance: Chance, { kind, name, namespace }: Target): JsonObject {
  const other = chance.oneOf(NAMES);
  const metadata: JsonObject = {
    ...(chance.happens(0.95)
      ? { name: chance.happens(0.95) ? name : other }
      : { generateName: 'g-' }),
    ...(kind.isNamespaced && chance.happens(0.3)
      ? { namespace: chance.happens(0.9) ? namespace : 'other' }
      : {}),
    ...(chance.happens(0.5) ? { labels: { app: chance.oneOf(['x', 'y', 'z z']) } } : {}),
    ...(chance.happens(0.2) ? { annotations: { 'walk/a': chance.oneOf(['1', '2']) } } : {}),
    ...(chance.happens(0.3)
      ? { resourceVersion: chance.oneOf(['@rv', '@rv', '@rv', '1', 'x', '']) }
      : {}),
    ...(chance.happens(0.1)
      ? { uid: chance.oneOf(['@uid', '@uid', '00000000-0000-0000-0000-000000000000']) }
      : {}),
    ...(chance.happens(0.06)
      ? { finalizers: chance.oneOf<JsonValue>([['walk/f'], ['f'], [], ['walk/f', 'walk/f']]) }
      : {}),
    ...(chance.happens(0.05) ? { generation: 7, creationTimestamp: '2020-01-01T00:00:00Z' } : {}),
    ...(chance.happens(0.05)
      ? { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }] }
      : {}),
  };
  const object = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata,
    ...kind.content(chance),
  };
  return chance.happens(0.2) ? faulty(chance, object) : object;
}

function patchOf(chance: Chance, target: Target, type: (typeof PATCHES)[number]): JsonValue {
  const whole = objectOf(chance, target);
  if (type === 'json-patch+json') {
    const paths = [
      '/metadata/labels',
      '/metadata/labels/app',
      '/metadata/annotations',
      '/spec',
      '/spec/replicas',
      '/data/k',
      '/x',
      '/metadata/name',
      '/kind',
      '',
    ];
    return Array.from({ length: 1 + chance.below(2) }, () => ({
      op: chance.oneOf(['add', 'add', 'replace', 'remove', 'test', 'copy', 'move', 'other']),
      path: chance.oneOf(paths),
      ...(chance.happens(0.8)
        ? { value: chance.oneOf<JsonValue>(['x', 2, null, {}, { app: 'y' }, []]) }
        : {}),
      ...(chance.happens(0.3) ? { from: chance.oneOf(paths) } : {}),
    }));
  }
  if (type === 'apply-patch+yaml' || chance.happens(0.2)) return whole;
  const { metadata, ...rest } = whole;
  const { name: _, namespace: __, ...meta } = (metadata ?? {}) as JsonObject; // It is one, or a fault.
  const parts = Object.entries({ metadata: meta, ...rest }).filter(
    ([key]) => !['apiVersion', 'kind'].includes(key) && chance.happens(0.6),
  );
  return Object.fromEntries(parts);
}

function sentBody(chance: Chance, object: JsonValue): Pick<Step, 'headers' | 'body'> {
  const text = JSON.stringify(object);
  const body = chance.happens(0.95)
    ? text
    : chance.oneOf([
        '',
        '{',
        '[]',
        'null',
        '"x"',
        `${text}${text}`,
        text.replace('{', '{"kind":"X",'),
        text.slice(0, -3),
      ]);
  const type = chance.happens(0.93)
    ? 'application/json'
    : chance.oneOf([
        'application/yaml',
        'text/plain',
        'application/json; charset=utf-8',
        'application/vnd.kubernetes.protobuf',
        'application/x',
        '*/*',
        'application/cbor',
      ]);
  return { headers: { ...accepted(chance, 0.08), 'content-type': type }, body };
}

function deleteOptions(chance: Chance): Pick<Step, 'headers' | 'body'> {
  if (!chance.happens(0.3)) return { headers: accepted(chance, 0.1) };
  const options: JsonObject = {
    ...(chance.happens(0.7)
      ? { kind: chance.oneOf(['DeleteOptions', 'DeleteOptions', 'Pod']) }
      : {}),
    ...(chance.happens(0.7)
      ? { apiVersion: chance.oneOf(['v1', 'meta.k8s.io/v1', 'apps/v1', 'x/y/z']) }
      : {}),
    ...(chance.happens(0.3)
      ? { gracePeriodSeconds: chance.oneOf<JsonValue>([0, 3, -1, 'x']) }
      : {}),
    ...(chance.happens(0.3)
      ? { propagationPolicy: chance.oneOf(['Orphan', 'Background', 'Other']) }
      : {}),
    ...(chance.happens(0.4)
      ? {
          preconditions: chance.oneOf<JsonObject>([
            { uid: '@uid' },
            { uid: 'u' },
            { resourceVersion: '@rv' },
            { resourceVersion: '1' },
          ]),
        }
      : {}),
    ...(chance.happens(0.2) ? { dryRun: chance.oneOf<JsonValue>([['All'], ['Some'], 'All']) } : {}),
    ...(chance.happens(0.1) ? { orphanDependents: true } : {}),
    ...(chance.happens(0.1) ? { nowhere: 1 } : {}),
  };
  return sentBody(chance, options);
}
