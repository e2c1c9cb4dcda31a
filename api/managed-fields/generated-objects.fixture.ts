/** Objects of some kinds with the sorts of lists and maps that merge in different ways. */
import type { JsonObject, JsonValue } from '../json/json.ts';
import { oneOf, type Dice } from '../patch/go-oracle.fixture.ts';

/** Without apiVersion and kind. */
export type SomeObject = (dice: Dice, apiVersion: string) => JsonObject;

/** Some of the parts, in a random order. */
function some(dice: Dice, parts: Readonly<Record<string, () => JsonValue>>): JsonObject {
  const object: JsonObject = {};
  for (const key of shuffled(dice, Object.keys(parts))) {
    const make = parts[key];
    if (make === undefined || dice(2) === 0) continue;
    object[key] = make();
  }
  return object;
}

function shuffled<Value>(dice: Dice, values: readonly Value[]): Value[] {
  const result = [...values];
  for (let index = result.length - 1; index > 0; index--) {
    const other = dice(index + 1);
    const [one, two] = [result[index], result[other]];
    if (one !== undefined && two !== undefined) [result[index], result[other]] = [two, one];
  }
  return result;
}

function someOf<Value>(dice: Dice, values: readonly Value[]): Value[] {
  return shuffled(dice, values).filter(() => dice(2) === 0);
}

const word = (dice: Dice): string => oneOf(dice, ['a', 'b', 'c<&>', 'ü"\\']);
const digit = (dice: Dice): number => dice(4);
const texts = (dice: Dice) => (): JsonObject =>
  some(dice, { a: () => word(dice), 'b/c.d': () => word(dice), __proto: () => word(dice) });

function metadataOf(dice: Dice): JsonObject {
  return {
    name: 'one',
    namespace: 'default',
    ...some(dice, {
      labels: texts(dice),
      annotations: texts(dice),
      finalizers: () => someOf(dice, ['example.com/a', 'example.com/b', 'c']),
      ownerReferences: () =>
        someOf(dice, ['u1', 'u2']).map((uid) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          name: word(dice),
          uid,
        })),
    }),
  };
}

function someConfigMap(dice: Dice): JsonObject {
  return {
    metadata: metadataOf(dice),
    ...some(dice, {
      data: texts(dice),
      binaryData: () => some(dice, { bin: () => 'AAAA' }),
      immutable: () => dice(2) === 0,
    }),
  };
}

function someContainer(dice: Dice, name: string): JsonObject {
  return {
    name,
    ...some(dice, {
      image: () => word(dice),
      args: () => someOf(dice, ['x', 'y']),
      env: () =>
        someOf(dice, ['A', 'B']).map((env) => ({
          name: env,
          ...some(dice, {
            value: () => word(dice),
            valueFrom: () => ({ fieldRef: { fieldPath: word(dice) } }),
          }),
        })),
      ports: () =>
        someOf(dice, [80, 443, 8080]).map((containerPort) => ({
          containerPort,
          ...some(dice, { protocol: () => oneOf(dice, ['TCP', 'UDP']), name: () => word(dice) }),
        })),
      resources: () =>
        some(dice, {
          limits: () => some(dice, { cpu: () => '1', memory: () => '1Gi' }),
          requests: () => some(dice, { cpu: () => '100m' }),
        }),
      volumeMounts: () => someOf(dice, ['/a', '/b']).map((mountPath) => ({ mountPath, name: 'v' })),
      livenessProbe: () => ({
        httpGet: { path: word(dice), port: oneOf<JsonValue>(dice, [80, 'http']) },
      }),
      securityContext: () => some(dice, { runAsUser: () => digit(dice) }),
    }),
  };
}

function somePodSpec(dice: Dice): JsonObject {
  return some(dice, {
    containers: () => someOf(dice, ['a', 'b', 'c']).map((name) => someContainer(dice, name)),
    initContainers: () => someOf(dice, ['i']).map((name) => someContainer(dice, name)),
    volumes: () =>
      someOf(dice, ['v', 'w']).map((name) => ({
        name,
        ...some(dice, { emptyDir: () => ({}), secret: () => ({ secretName: word(dice) }) }),
      })),
    tolerations: () => someOf(dice, ['k', 'l']).map((key) => ({ key, operator: 'Exists' })),
    nodeSelector: texts(dice),
    imagePullSecrets: () => someOf(dice, ['s', 't']).map((name) => ({ name })),
    terminationGracePeriodSeconds: () => digit(dice),
    topologySpreadConstraints: () =>
      someOf(dice, ['zone', 'host']).map((topologyKey) => ({
        topologyKey,
        whenUnsatisfiable: oneOf(dice, ['DoNotSchedule', 'ScheduleAnyway']),
        maxSkew: digit(dice),
      })),
    hostAliases: () => someOf(dice, ['1.1.1.1', '2.2.2.2']).map((ip) => ({ ip, hostnames: ['h'] })),
  });
}

function someDeployment(dice: Dice): JsonObject {
  return {
    metadata: metadataOf(dice),
    ...some(dice, {
      spec: () =>
        some(dice, {
          replicas: () => oneOf<JsonValue>(dice, [1, 2, null]),
          selector: () => ({ matchLabels: some(dice, { app: () => word(dice) }) }),
          strategy: () =>
            some(dice, {
              type: () => 'RollingUpdate',
              rollingUpdate: () => ({ maxSurge: oneOf<JsonValue>(dice, [1, '25%']) }),
            }),
          template: () =>
            some(dice, {
              metadata: () => ({ labels: texts(dice)() }),
              spec: () => somePodSpec(dice),
            }),
        }),
      status: () =>
        some(dice, {
          replicas: () => digit(dice),
          conditions: () =>
            someOf(dice, ['Available', 'Progressing']).map((type) => ({ type, status: 'True' })),
        }),
    }),
  };
}

function someService(dice: Dice): JsonObject {
  return {
    metadata: metadataOf(dice),
    ...some(dice, {
      spec: () =>
        some(dice, {
          ports: () =>
            someOf(dice, [80, 81, 82]).map((port) => ({
              port,
              ...some(dice, {
                name: () => word(dice),
                protocol: () => 'UDP',
                targetPort: () => oneOf<JsonValue>(dice, [8080, 'web']),
                nodePort: () => digit(dice),
              }),
            })),
          selector: texts(dice),
          clusterIPs: () => someOf(dice, ['10.0.0.1', 'fd00::1']),
          type: () => 'ClusterIP',
        }),
      status: () => ({
        loadBalancer: { ingress: someOf(dice, ['1.2.3.4']).map((ip) => ({ ip })) },
      }),
    }),
  };
}

function somePersistentVolume(dice: Dice): JsonObject {
  return {
    metadata: metadataOf(dice),
    spec: some(dice, {
      capacity: () => ({ storage: oneOf(dice, ['1Gi', '2Gi']) }),
      claimRef: () => some(dice, { name: () => word(dice), namespace: () => word(dice) }),
      hostPath: () => ({ path: word(dice) }),
      accessModes: () => someOf(dice, ['ReadWriteOnce', 'ReadOnlyMany']),
    }),
  };
}

export const BUILT_IN_OBJECTS: readonly (readonly [string, string, SomeObject])[] = [
  ['v1', 'ConfigMap', someConfigMap],
  ['apps/v1', 'Deployment', someDeployment],
  ['v1', 'Service', someService],
  ['v1', 'PersistentVolume', somePersistentVolume],
  ['v1', 'Pod', (dice) => ({ metadata: metadataOf(dice), spec: somePodSpec(dice) })],
];

const TEXT = { type: 'string' };
const NUMBER = { type: 'integer' };
const ITEM = { type: 'object', properties: { name: TEXT, port: NUMBER, note: TEXT } };

/** Of v1; in v1beta1 some of it is owned as a whole, and the other way round. */
export function customSchema(isBeta: boolean): JsonObject {
  const mapType = (atomic: boolean): JsonObject => ({
    'x-kubernetes-map-type': atomic === isBeta ? 'granular' : 'atomic',
  });
  const pair = { type: 'object', properties: { a: TEXT, b: TEXT } };
  const spec: JsonObject = {
    replicas: NUMBER,
    size: { 'x-kubernetes-int-or-string': true },
    text: { type: 'string', format: 'date-time' },
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    granular: { ...pair, ...mapType(false) },
    atomic: { ...pair, ...mapType(true) },
    keyed: {
      type: 'array',
      items: ITEM,
      ...(isBeta
        ? { 'x-kubernetes-list-type': 'atomic' }
        : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    },
    pairs: {
      type: 'array',
      items: { ...ITEM, properties: { ...ITEM.properties, proto: { ...TEXT, default: 'TCP' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'proto'],
    },
    set: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' },
    numbers: { type: 'array', items: { type: 'number' }, 'x-kubernetes-list-type': 'set' },
    list: { type: 'array', items: pair },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: TEXT } },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    texts: { type: 'object', additionalProperties: TEXT },
    things: { type: 'object', additionalProperties: pair },
    embedded: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  };
  return {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: spec },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
}

export function someCustomObject(dice: Dice): JsonObject {
  const pair = (): JsonObject => some(dice, { a: () => word(dice), b: () => word(dice) });
  const orNull = (make: () => JsonValue) => () => (dice(12) === 0 ? null : make());
  const open = (): JsonValue =>
    oneOf<JsonValue>(dice, [pair(), word(dice), digit(dice), [digit(dice)], { x: pair() }, {}, []]);
  const spec = some(dice, {
    replicas: orNull(() => digit(dice)),
    size: () => oneOf<JsonValue>(dice, [1, '10%']),
    text: () => '2020-01-01T00:00:00Z',
    ratio: () => oneOf(dice, [0.5, 1234567, 1e-7, 3]),
    on: () => dice(2) === 0,
    granular: orNull(pair),
    atomic: orNull(pair),
    keyed: orNull(() =>
      someOf(dice, ['x', 'y', 'z']).map((name) => ({
        name,
        ...some(dice, { note: () => word(dice) }),
      })),
    ),
    pairs: () =>
      someOf(dice, [80, 81, 1234567]).map((port) => ({
        port,
        ...some(dice, { proto: () => 'UDP', note: () => word(dice) }),
      })),
    set: orNull(() => someOf(dice, ['p', 'q<', 'r'])),
    numbers: () => someOf(dice, [1, 2.5, 1234567, 1e-7, 1e21]),
    list: () => someOf(dice, [1, 2]).map(pair),
    open: () => ({ ...pair(), ...some(dice, { extra: open }) }),
    any: open,
    texts: texts(dice),
    things: () => some(dice, { t: pair, u: pair }),
    embedded: () => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'e', labels: texts(dice)() },
      ...some(dice, { spec: open }),
    }),
  });
  return {
    metadata: metadataOf(dice),
    ...some(dice, {
      spec: () => spec,
      status: () => ({ ...pair(), ...some(dice, { deep: open }) }),
    }),
  };
}
