/**
 * The law of what writes share: the value of an object that was just written is what its bytes say, to the order of its
 * keys, and no later write changes it. Here each is frozen, so that a write that changes one throws and is answered 500.
 */
import { describe, expect, it } from 'vitest';

import { formatJson } from '../../../api/json/json-text.ts';
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { writtenValue } from '../../../projections/objects/written-values.ts';
import { deployment, givenControlPlane, pod } from '../given-registry.fixture.ts';

/** So that even a small kind is kept as a value. */
const LONG = 'v'.repeat(1_100);
/** A client that reads JSON is answered by bytes, and nothing is kept for it. */
const PROTOBUF = {
  type: 'protobuf',
  transform: 'none',
  pretty: false,
  includeObject: 'None',
} as const;
const BOUND = { target: { kind: 'Node', name: 'n1' } };
const CONDITION = { type: 'Ready', status: 'True' };

interface Given {
  readonly path: string;
  readonly storage: string;
  readonly object: JsonObject;
  readonly status?: JsonObject;
  /** Also patched like this, where a default goes by a value that is new. */
  readonly patch?: JsonObject;
}

const NAMESPACED = '/namespaces/default';
const GIVEN: readonly Given[] = [
  {
    path: `/api/v1${NAMESPACED}/pods`,
    storage: 'core/pods',
    object: pod('a', { tolerations: [{ key: 'k', operator: 'Exists' }], nodeSelector: { a: 'b' } }),
    status: { phase: 'Running', conditions: [CONDITION], podIPs: [{ ip: '192.0.2.1' }] },
  },
  {
    path: `/apis/apps/v1${NAMESPACED}/deployments`,
    storage: 'apps/deployments',
    object: deployment('a', 1),
    status: { replicas: 1, conditions: [{ type: 'Available', status: 'True' }] },
  },
  {
    path: `/api/v1${NAMESPACED}/services`,
    storage: 'core/services',
    object: made('v1', 'Service', { spec: { selector: { a: 'b' }, ports: [{ port: 80 }] } }),
    status: { loadBalancer: {} },
  },
  {
    path: '/api/v1/nodes',
    storage: 'core/nodes',
    object: made('v1', 'Node', { spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] } }),
    status: { conditions: [CONDITION], capacity: { cpu: '1' } },
  },
  {
    path: `/apis/batch/v1${NAMESPACED}/jobs`,
    storage: 'batch/jobs',
    object: made('batch/v1', 'Job', { spec: { template: template('Never') } }),
    status: { active: 1 },
  },
  {
    path: `/api/v1${NAMESPACED}/limitranges`,
    storage: 'core/limitranges',
    object: made('v1', 'LimitRange', {
      spec: { limits: [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '1' } }] },
    }),
    patch: { op: 'add', path: '/spec/limits/0/max/memory', value: '1Gi' },
  },
  {
    path: `/api/v1${NAMESPACED}/configmaps`,
    storage: 'core/configmaps',
    object: made('v1', 'ConfigMap', { data: { k: LONG } }),
  },
  {
    path: `/api/v1${NAMESPACED}/persistentvolumeclaims`,
    storage: 'core/persistentvolumeclaims',
    object: made('v1', 'PersistentVolumeClaim', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
    status: { phase: 'Bound', capacity: { storage: '1Gi' } },
  },
  {
    path: `/apis/networking.k8s.io/v1${NAMESPACED}/ingresses`,
    storage: 'networking.k8s.io/ingresses',
    object: made('networking.k8s.io/v1', 'Ingress', {
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    }),
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  },
];

describe('values that writes share', () => {
  it('are not kept for clients that read JSON', async () => {
    const { post, objects } = await givenControlPlane();
    await post('/api/v1/namespaces/default/pods', withAnnotation(pod('a')));
    const stored = objects.get('core/pods', 'default/a');
    expect(stored && writtenValue(stored)).toBeUndefined();
    expect(stored).toBeDefined();
  });

  it.each(GIVEN)('$storage: are what was written, and stay so', async (given) => {
    const { path, storage, object, status, patch: further } = given;
    const { post, put, patch, get, del, objects } = await givenControlPlane({}, PROTOBUF);
    const isNamespaced = path.includes(NAMESPACED);
    const key = `${isNamespaced ? 'default' : ''}/a`;
    const look = (told: { readonly code: number; readonly message: string }): void => {
      expect([told.code, told.message]).toEqual([told.code < 300 ? told.code : 200, '']);
      const stored = objects.get(storage, key);
      const value = stored === undefined ? undefined : writtenValue(stored);
      if (stored === undefined || value === undefined) throw new Error(`no value of ${key}`);
      expect(formatJson(value)).toBe(formatJson(parsedObject(stored)));
      freeze(value);
    };
    look(await post(path, withAnnotation(object)));
    const at = `${path}/a`;
    look(await patch(at, 'merge', { metadata: { labels: { one: '1' } } }));
    look(await patch(at, 'strategic-merge', { metadata: { annotations: { two: '2' } } }));
    look(await patch(at, 'json', [{ op: 'add', path: '/metadata/labels/three', value: '3' }]));
    look(await patch(`${at}?fieldManager=m`, 'apply', applied(object, { four: '4' })));
    if (further !== undefined) look(await patch(at, 'json', [further]));
    look(await put(at, changed((await get(at)).object)));
    if (storage === 'core/pods') {
      const binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'a' }, ...BOUND };
      look(await post(`${at}/binding`, binding));
    }
    if (status !== undefined) {
      look(await patch(`${at}/status`, 'strategic-merge', { status }));
      look(await put(`${at}/status`, changed({ ...(await get(at)).object, status: {} })));
      look(await patch(`${at}/status`, 'merge', { status }));
      look(await patch(at, 'merge', { metadata: { labels: { one: null } } }));
    }
    expect((await del(at)).code).toBeLessThan(300);
  });
});

function made(apiVersion: string, kind: string, rest: JsonObject): JsonObject {
  return { apiVersion, kind, metadata: { name: 'a' }, ...rest };
}

function template(restartPolicy: string): JsonObject {
  return { spec: { restartPolicy, containers: [{ name: 'main', image: 'nginx' }] } };
}

function withAnnotation(object: JsonObject): JsonObject {
  const metadata = { name: 'a', annotations: { long: LONG }, labels: { zero: '0' } };
  return { ...object, metadata };
}

function applied({ apiVersion, kind }: JsonObject, labels: JsonObject): JsonObject {
  return { apiVersion, kind, metadata: { name: 'a', labels } };
}

let changes = 0;

/** Each time in another way, so that it is written. */
function changed(object: JsonObject): JsonObject {
  changes += 1;
  const { metadata } = object as { readonly metadata: { readonly annotations: JsonObject } };
  const annotations = { ...metadata.annotations, changes: String(changes) };
  return { ...object, metadata: { ...metadata, annotations } };
}

function freeze(value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}
