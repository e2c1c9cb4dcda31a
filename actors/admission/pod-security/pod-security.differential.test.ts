/**
 * Pods against every level of every version, as Kubernetes' own code judges them: the pods of its
 * own tests, and made-up ones. And labels of namespaces, as it reads them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../api/meta/json.ts';
import type { StringMap } from '../../../api/meta/object-meta.ts';
import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import { formatFieldErrors } from '../../../api/schema/field-errors.ts';
import { detailsOf, evaluatePod, reasonsOf } from './evaluate.ts';
import { formatLevel, parseVersion, policyOf, type Level } from './levels.ts';

const oracle = await goOracle('pod-security');

const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const VERSIONS = [...Array.from({ length: 37 }, (_, minor) => `v1.${String(minor)}`), 'latest'];
const MADE_UP = 400;

interface Pod extends JsonObject {
  metadata: JsonObject;
  spec: JsonObject;
}

interface Verdict {
  readonly level: string;
  readonly reasons: string;
  readonly details: string;
}

function ourVerdicts(pod: Pod): Verdict[] {
  return LEVELS.flatMap((level) =>
    VERSIONS.map((text) => {
      const version = parseVersion(text) ?? 'latest';
      const findings = evaluatePod({ level, version }, pod);
      const shown = formatLevel({ level, version });
      return { level: shown, reasons: reasonsOf(findings), details: detailsOf(findings) };
    }),
  );
}

function theirVerdicts(pods: readonly Pod[]): Verdict[][] {
  const asked = pods.map((pod) => ({ pod, versions: VERSIONS }));
  return (oracle?.<{ verdicts: Verdict[] }>(asked) ?? []).map(({ verdicts }) => verdicts);
}

const name = fc.constantFrom('a', 'b', 'c d', 'é');
const flag = fc.boolean();
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const text = (...texts: string[]) => some(fc.constantFrom(...texts));
const profile = some(
  fc.record({ type: fc.constantFrom('RuntimeDefault', 'Localhost', 'Unconfined', '') }),
);
const capability = fc.constantFrom('ALL', 'NET_BIND_SERVICE', 'CHOWN', 'SYS_ADMIN', 'BPF');

const ofBoth = {
  runAsNonRoot: some(flag),
  runAsUser: some(fc.constantFrom(0, 1000)),
  seccompProfile: profile,
  appArmorProfile: profile,
  seLinuxOptions: some(
    fc.record({
      type: text('', 'container_t', 'container_engine_t', 'spc_t'),
      user: text('', 'root'),
      role: text('', 'r'),
    }),
  ),
  windowsOptions: some(fc.record({ hostProcess: some(flag) })),
};

const handler = some(
  fc.record({
    httpGet: some(fc.record({ host: text('', '127.0.0.1', 'h'), port: fc.constant(80) })),
    tcpSocket: some(fc.record({ host: text('', 'example.com'), port: fc.constant(80) })),
  }),
);

const container = fc.record({
  name,
  securityContext: some(
    fc.record({
      ...ofBoth,
      privileged: some(flag),
      allowPrivilegeEscalation: some(flag),
      procMount: text('Default', 'Unmasked'),
      capabilities: some(
        fc.record({
          add: some(fc.array(capability, { maxLength: 3 })),
          drop: some(fc.array(capability, { maxLength: 2 })),
        }),
      ),
    }),
  ),
  ports: some(
    fc.array(fc.record({ containerPort: fc.constant(1), hostPort: some(fc.nat(3000)) }), {
      maxLength: 2,
    }),
  ),
  livenessProbe: handler,
  readinessProbe: handler,
  startupProbe: handler,
  lifecycle: some(fc.record({ postStart: handler, preStop: handler })),
});

const SOURCES = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'image', 'projected', 'secret', 'hostPath'],
  ...['gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'nfs', 'iscsi', 'glusterfs', 'rbd'],
  ...['flexVolume', 'cinder', 'cephfs', 'flocker', 'fc', 'azureFile', 'vsphereVolume', 'quobyte'],
  ...['azureDisk', 'photonPersistentDisk', 'portworxVolume', 'scaleIO', 'storageos', 'ephemeral'],
];

const volume = fc
  .record({ name, sources: fc.subarray(SOURCES, { maxLength: 2 }) })
  .map(({ name: own, sources }) => ({
    name: own,
    ...Object.fromEntries(sources.map((source) => [source, {}])),
  }));

const annotations = fc.dictionary(
  fc.constantFrom(
    'container.apparmor.security.beta.kubernetes.io/a',
    'container.apparmor.security.beta.kubernetes.io/b',
    'seccomp.security.alpha.kubernetes.io/pod',
    'container.seccomp.security.alpha.kubernetes.io/a',
    'container.seccomp.security.alpha.kubernetes.io/b',
  ),
  fc.constantFrom('', 'unconfined', 'runtime/default', 'docker/default', 'localhost/x', 'a"b'),
  { maxKeys: 2 },
);

const pod = fc.record({
  metadata: fc.record({ annotations: some(annotations) }),
  spec: fc.record({
    containers: fc.array(container, { minLength: 1, maxLength: 2 }),
    initContainers: some(fc.array(container, { maxLength: 2 })),
    ephemeralContainers: some(fc.array(container, { maxLength: 1 })),
    volumes: some(fc.array(volume, { maxLength: 3 })),
    hostNetwork: some(flag),
    hostPID: some(flag),
    hostIPC: some(flag),
    hostUsers: some(flag),
    os: some(fc.record({ name: fc.constantFrom('linux', 'windows') })),
    securityContext: some(
      fc.record({
        ...ofBoth,
        sysctls: some(
          fc.array(
            fc.record({
              name: fc.constantFrom(
                'kernel.shm_rmid_forced',
                'net.ipv4.ip_local_reserved_ports',
                'net.ipv4.tcp_keepalive_time',
                'net.ipv4.tcp_rmem',
                'kernel.msgmax',
              ),
              value: fc.constant('1'),
            }),
            { maxLength: 3 },
          ),
        ),
      }),
    ),
  }),
});

/** As they come out of JSON: without what is undefined. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** @returns how many evaluations were compared. */
function compare(pods: readonly Pod[]): number {
  const theirs = theirVerdicts(pods);
  let count = 0;
  for (const [index, one] of pods.entries()) {
    const ours = ourVerdicts(one);
    count += ours.length;
    expect(ours, JSON.stringify(one)).toEqual(theirs[index]);
  }
  return count;
}

describe.skipIf(oracle === undefined)('pod security', () => {
  it('finds what Kubernetes finds in the pods of its own tests', { timeout: 120_000 }, () => {
    const [answer] = oracle?.<{ pods: Pod[] }>([{ ask: 'fixtures' }]) ?? [];
    // Most are the same in all versions.
    const different = [...new Set((answer?.pods ?? []).map((one) => JSON.stringify(one)))];
    const count = compare(different.map((one) => JSON.parse(one) as Pod));
    expect(count).toBeGreaterThan(5_000);
  });

  it('finds what Kubernetes finds in pods that nobody would make', { timeout: 120_000 }, () => {
    const pods = fc.sample(pod, MADE_UP).map((one) => plain(one) as Pod);
    expect(compare(pods)).toBe(MADE_UP * LEVELS.length * VERSIONS.length);
  });

  it('reads the labels of namespaces as Kubernetes does', { timeout: 120_000 }, () => {
    const level = fc.constantFrom('privileged', 'baseline', 'restricted', 'strict', '');
    const version = fc.constantFrom(
      'latest',
      'v1.0',
      'v1.24',
      'v1.99',
      'v1.01',
      '1.24',
      'v2.0',
      '',
    );
    const entries = ['enforce', 'audit', 'warn'].flatMap((mode) => [
      [`pod-security.kubernetes.io/${mode}`, some(level)] as const,
      [`pod-security.kubernetes.io/${mode}-version`, some(version)] as const,
    ]);
    const labels = fc.record(Object.fromEntries(entries) as Record<string, (typeof entries)[0][1]>);
    const cases = fc.sample(fc.tuple(labels, fc.constantFrom(...LEVELS)), 1_000).map(plain);
    const asked = cases.map(([own, otherwise]) => {
      return { ask: 'labels', labels: own, default: otherwise };
    });
    const ours = cases.map(([own, otherwise]) => {
      const at = { level: otherwise, version: 'latest' } as const;
      const { policy, errors } = policyOf(own as StringMap, {
        ...{ enforce: at, audit: at, warn: at },
      });
      return {
        enforce: formatLevel(policy.enforce),
        audit: formatLevel(policy.audit),
        warn: formatLevel(policy.warn),
        errors: errors.length === 0 ? '' : formatFieldErrors(errors),
      };
    });
    expect(ours).toEqual(oracle?.(asked));
  });
});
