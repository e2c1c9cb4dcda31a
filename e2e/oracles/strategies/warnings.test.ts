/**
 * Warnings of our strategies against kube-apiserver's own, over objects made so that they have what
 * is warned of: things that are there twice, deprecated, or in one another's way. Parts of the
 * complete objects are compared in strategies.test.ts.
 */
import { generateKeyPairSync } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import type { Write } from '../../../api/kinds/rule-cases/judge.fixture.ts';
import { chanceFrom, type Chance } from '../../../tools/seeded-chance.fixture.ts';
import { testAuthority } from '../../support/test-authority.ts';
import { buildOracle } from '../oracle-program.ts';
import { compare } from './comparison.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261124');
const ROUNDS = Number(process.env['EVERWATCH_PARTIALS'] ?? '40') * 2;

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'program');

/** What objects are made of: each choice is rolled for itself. */
class Maker {
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  is(share: number): boolean {
    return this.#chance() < share;
  }

  pick(values: readonly JsonValue[]): JsonValue {
    return values[Math.floor(this.#chance() * values.length)] ?? null;
  }

  /** Some of the keys, each with one of its values. */
  some(choices: Readonly<Record<string, readonly JsonValue[]>>, share = 0.4): JsonObject {
    const chosen = Object.entries(choices).filter(() => this.is(share));
    return Object.fromEntries(chosen.map(([key, values]) => [key, this.pick(values)]));
  }

  list(make: () => JsonValue, most: number): JsonValue[] {
    return Array.from({ length: Math.floor(this.#chance() * (most + 1)) }, make);
  }
}

const LABELS = [
  'beta.kubernetes.io/arch',
  'failure-domain.beta.kubernetes.io/zone',
  'node-role.kubernetes.io/master',
  'app.kubernetes.io/created-by',
  'kubernetes.io/os',
];
const AMOUNTS = ['1', '100m', '1.5', '1Gi', '1500m', '0.0000001', '1e3', '1k', '0.9999', '2.000'];
const IPS = ['10.0.0.1', '010.0.0.1', '::1', '0:0::1', '::ffff:1.2.3.4', 'fd00::1', 'FD00::1'];
const PATHS = ['a', 'a/b', 'a/', 'b', 'a/b/c', 'ab', ''];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function amounts(maker: Maker): JsonObject {
  const of = (): JsonObject =>
    maker.some({ memory: AMOUNTS, 'ephemeral-storage': AMOUNTS, storage: AMOUNTS, cpu: AMOUNTS });
  return { requests: of(), limits: of() };
}

function container(maker: Maker): JsonObject {
  const variable = (): JsonObject => ({
    name: maker.pick(['A', 'B']),
    ...(maker.is(0.2)
      ? { valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }
      : { value: maker.pick(['x', '$(A)', '$(A)x', '$(B)']) }),
  });
  const port = (): JsonObject => ({
    containerPort: maker.pick([80, 81]),
    ...maker.some({
      hostPort: [80, 81, 0],
      hostIP: ['1.2.3.4', '1.2.3.5'],
      protocol: ['TCP', 'UDP'],
      name: ['p', 'q'],
    }),
  });
  return {
    name: maker.pick(['c', 'd', 'e']),
    image: 'i',
    resources: amounts(maker),
    env: maker.list(variable, 4),
    ports: maker.list(port, 3),
    securityContext: maker.some({
      seccompProfile: [{ type: 'RuntimeDefault' }],
      appArmorProfile: [{ type: 'RuntimeDefault' }, { type: 'Localhost', localhostProfile: 'x' }],
    }),
  };
}

function nodeTerm(maker: Maker): JsonObject {
  const expression = (): JsonObject => ({
    key: maker.pick(LABELS),
    operator: 'In',
    values: maker.list(() => maker.pick(['ok', 'not ok', 'x'.repeat(64)]), 2),
  });
  return { matchExpressions: maker.list(expression, 2) };
}

function affinity(maker: Maker): JsonObject {
  const podTerm = (): JsonObject => ({
    topologyKey: 'kubernetes.io/hostname',
    ...maker.some({ labelSelector: [{}, { matchLabels: { a: 'b' } }] }),
  });
  const pods = (): JsonObject => ({
    [REQUIRED]: maker.list(podTerm, 2),
    [PREFERRED]: maker.list(() => ({ weight: 1, podAffinityTerm: podTerm() }), 2),
  });
  return {
    nodeAffinity: {
      [REQUIRED]: { nodeSelectorTerms: maker.list(() => nodeTerm(maker), 2) },
      [PREFERRED]: maker.list(() => ({ weight: 1, preference: nodeTerm(maker) }), 2),
    },
    podAffinity: pods(),
    podAntiAffinity: pods(),
  };
}

function volume(maker: Maker): JsonObject {
  const items = (): JsonValue[] => maker.list(() => ({ key: 'k', path: maker.pick(PATHS) }), 3);
  const downward = (): JsonObject => ({
    items: maker.list(
      () => ({ path: maker.pick(PATHS), fieldRef: { fieldPath: 'metadata.name' } }),
      3,
    ),
  });
  const projection = (): JsonValue =>
    maker.pick([
      { configMap: { name: 'm', items: items() } },
      { secret: { name: 's', items: items() } },
      { downwardAPI: downward() },
      { serviceAccountToken: { path: maker.pick(PATHS) } },
      { clusterTrustBundle: { name: 'b', path: maker.pick(PATHS) } },
      { clusterTrustBundle: { signerName: 'g', path: maker.pick(PATHS) } },
      { podCertificate: { signerName: 'g', keyPath: 'a', credentialBundlePath: 'a/b' } },
      {},
    ]);
  const claim = { volumeClaimTemplate: { spec: { resources: amounts(maker) } } };
  const source = maker.pick([
    { configMap: { name: 'm', items: items() } },
    { secret: { secretName: 's', items: items() } },
    { downwardAPI: downward() },
    { projected: { sources: maker.list(projection, 4) } },
    { ephemeral: claim },
    { photonPersistentDisk: { pdID: 'p' } },
    { gitRepo: { repository: 'r' } },
    { scaleIO: { gateway: 'g', system: 's', secretRef: {} } },
    { flocker: { datasetName: 'd' } },
    { storageos: { volumeName: 'v' } },
    { quobyte: { registry: 'r', volume: 'v' } },
    { glusterfs: { endpoints: 'e', path: 'p' } },
    { cephfs: { monitors: ['m'] } },
    { rbd: { monitors: ['m'], image: 'i' } },
    { emptyDir: {} },
  ]) as JsonObject; // All of the above are.
  return { name: maker.pick(['v', 'w', 'a"b']), ...source };
}

const PROFILES = ['runtime/default', 'unconfined', 'localhost/x', 'localhost/', 'else'];

function podSpec(maker: Maker): JsonObject {
  const containers = (): JsonValue[] => maker.list(() => container(maker), 2);
  const spread = (): JsonObject => ({
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule',
    topologyKey: maker.pick(LABELS),
    ...maker.some({ labelSelector: [{}] }),
  });
  return {
    containers: [container(maker), ...containers()],
    initContainers: containers(),
    nodeSelector: maker.some(Object.fromEntries(LABELS.map((label) => [label, ['a']]))),
    affinity: affinity(maker),
    topologySpreadConstraints: maker.list(spread, 2),
    volumes: maker.list(() => volume(maker), 3),
    hostAliases: maker.list(() => ({ ip: maker.pick(IPS), hostnames: ['h'] }), 3),
    imagePullSecrets: maker.list(() => ({ name: maker.pick(['a', 'b', '']) }), 3),
    dnsConfig: { nameservers: maker.list(() => maker.pick(IPS), 2) },
    ...maker.some({
      terminationGracePeriodSeconds: [-1, 0, 30],
      overhead: [{ memory: '1500m' }, { memory: '1' }, { 'ephemeral-storage': '0.1' }],
      os: [{ name: 'linux' }, { name: 'windows' }],
      securityContext: [
        {},
        { seccompProfile: { type: 'RuntimeDefault' } },
        { appArmorProfile: { type: 'RuntimeDefault' } },
      ],
    }),
  };
}

function podMetadata(maker: Maker): JsonObject {
  const apparmor = 'container.apparmor.security.beta.kubernetes.io/';
  const annotations = maker.some(
    {
      'scheduler.alpha.kubernetes.io/critical-pod': [''],
      'security.alpha.kubernetes.io/sysctls': ['a=b'],
      'security.alpha.kubernetes.io/unsafe-sysctls': ['a=b'],
      'seccomp.security.alpha.kubernetes.io/pod': ['runtime/default'],
      'container.seccomp.security.alpha.kubernetes.io/c': ['runtime/default'],
      [`${apparmor}c`]: PROFILES,
      [`${apparmor}d`]: PROFILES,
    },
    0.3,
  );
  return { annotations, labels: { a: 'b' } };
}

const METADATA = { name: 'one', namespace: 'ns', uid: 'u-1', resourceVersion: '1' };

/** Objects that hold the template of a pod, by their kind. */
const MAKERS: Readonly<Record<string, (maker: Maker) => JsonObject>> = {
  'v1 Pod': (maker) => ({
    metadata: { ...METADATA, ...podMetadata(maker) },
    spec: podSpec(maker),
    status: { podIPs: [{ ip: maker.pick(IPS) }], hostIPs: [{ ip: maker.pick(IPS) }] },
  }),
  'v1 PodTemplate': (maker) => ({ template: template(maker) }),
  'v1 ReplicationController': (maker) => ({
    spec: { selector: { a: 'b' }, template: template(maker) },
  }),
  'apps/v1 Deployment': ofTemplate,
  'apps/v1 ReplicaSet': ofTemplate,
  'apps/v1 DaemonSet': ofTemplate,
  'apps/v1 StatefulSet': (maker) => {
    const claim = (): JsonObject => ({
      metadata: { name: 'c' },
      spec: { resources: amounts(maker) },
    });
    const volumeClaimTemplates = maker.list(claim, 2);
    const history = maker.some({ revisionHistoryLimit: [-1, 3] });
    return {
      spec: {
        ...history,
        volumeClaimTemplates,
        selector: { matchLabels: { a: 'b' } },
        template: template(maker),
      },
    };
  },
  'batch/v1 Job': (maker) => ({ spec: jobSpec(maker) }),
  'batch/v1 CronJob': (maker) => ({
    spec: {
      schedule: maker.pick(['* * * * *', 'TZ=UTC * * * * *']),
      jobTemplate: { spec: jobSpec(maker) },
    },
  }),
  'v1 PersistentVolumeClaim': (maker) => ({
    metadata: {
      ...METADATA,
      annotations: maker.some({ 'volume.beta.kubernetes.io/storage-class': ['x'] }),
    },
    spec: { resources: amounts(maker), accessModes: ['ReadWriteOnce'] },
  }),
  'v1 PersistentVolume': (maker) => ({
    metadata: {
      name: 'one',
      resourceVersion: '1',
      annotations: maker.some({
        'volume.beta.kubernetes.io/storage-class': ['x'],
        'volume.beta.kubernetes.io/mount-options': ['ro'],
      }),
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: maker.pick(['Recycle', 'Retain']),
      nodeAffinity: { required: { nodeSelectorTerms: maker.list(() => nodeTerm(maker), 2) } },
      ...maker.some(
        {
          hostPath: [{ path: '/a' }],
          cephfs: [{ monitors: ['m'] }],
          photonPersistentDisk: [{ pdID: 'p' }],
          scaleIO: [{ gateway: 'g', system: 's' }],
          storageos: [{ volumeName: 'v' }],
          glusterfs: [{ endpoints: 'e', path: 'p' }],
          rbd: [{ monitors: ['m'], image: 'i' }],
        },
        0.2,
      ),
    },
  }),
};

function template(maker: Maker): JsonObject {
  return { metadata: podMetadata(maker), spec: podSpec(maker) };
}

function ofTemplate(maker: Maker): JsonObject {
  return { spec: { selector: { matchLabels: { a: 'b' } }, template: template(maker) } };
}

function jobSpec(maker: Maker): JsonObject {
  const spec = maker.some({
    completionMode: ['Indexed', 'NonIndexed'],
    completions: [100_000, 100_001],
    parallelism: [10_000, 10_001],
  });
  return { ...spec, template: template(maker) };
}

describe.skipIf(oracle === undefined)('warnings', () => {
  if (oracle === undefined) return;

  it.each(Object.entries(MAKERS))(
    `are kube-apiserver’s for %s, seed ${String(SEED)}`,
    (named, make) => {
      const maker = new Maker(chanceFrom(SEED));
      const [apiVersion = '', kind = ''] = named.split(' ');
      const made = (): JsonObject => ({ apiVersion, kind, metadata: METADATA, ...make(maker) });
      const writes = Array.from({ length: ROUNDS }).flatMap((): Write[] => {
        const old = made();
        return [
          { do: 'create', object: made() },
          { do: 'update', object: made(), old },
          { do: 'update', object: old, old },
          ...(kind === 'Pod' ? [{ do: 'status', object: made(), old }] : []),
        ];
      });
      expect(warned(writes)).toBeGreaterThan(ROUNDS / 2);
    },
  );

  it('are kube-apiserver’s for secrets of TLS', async () => {
    const authority = await testAuthority('warnings');
    const [one, two] = [await authority.issue('one'), await authority.issue('two')];
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const rsa = privateKey.export({ type: 'pkcs1', format: 'pem' });
    const garbage = (type: string) => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;
    const texts = [
      ...['', 'no PEM', one.certificate, one.key, two.key, rsa],
      ...[garbage('CERTIFICATE'), garbage('PRIVATE KEY'), garbage('A'), garbage('A').repeat(2)],
      `${garbage('A')}${one.certificate}`,
    ].map((text) => Buffer.from(text).toString('base64'));
    const secret = (crt: string, key: string): JsonObject => ({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: METADATA, type: 'kubernetes.io/tls' },
      data: { 'tls.crt': crt, 'tls.key': key },
    });
    const objects = texts.flatMap((crt) => texts.map((key) => secret(crt, key)));
    const writes = objects.flatMap((object): Write[] => [
      { do: 'create', object },
      { do: 'update', object, old: object },
    ]);
    expect(warned(writes)).toBe(writes.length - 4);
  });

  /** How many are warned of, all as upstream does it. */
  function warned(writes: readonly Write[]): number {
    if (oracle === undefined) return 0;
    const comparisons = compare(oracle, writes);
    expect(comparisons).toHaveLength(writes.length);
    for (const { write, ours, theirs } of comparisons) {
      const shown = JSON.stringify(write).slice(0, 6000);
      expect(inOrder(ours.warnings), shown).toEqual(inOrder(theirs.warnings));
    }
    return comparisons.filter(({ theirs }) => theirs.warnings.length > 0).length;
  }
});

/** Each once; those of labels of nodes first, which Go tells in the order of a map, that is in any. */
function inOrder(warnings: readonly string[]): string[] {
  const each = [...new Set(warnings)];
  const isOfMap = (warning: string): boolean => warning.includes('spec.nodeSelector[');
  return [...each.filter(isOfMap).sort(), ...each.filter((one) => !isOfMap(one))];
}
