/** Pods of unlikely specs, and what is found in them at every level of every version. */
import { join } from 'node:path';

import fc from 'fast-check';

import type { Pod as KindOfPod } from '../../../api/generated/kinds/core-v1.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { recordedAnswers } from '../../../tools/recorded-answers.fixture.ts';
import { detailsOf, evaluatePod, reasonsOf } from './evaluate.ts';
import { formatLevel, type Level, parseVersion } from './levels.ts';

export const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
export const VERSIONS = [
  ...Array.from({ length: 37 }, (_, minor) => `v1.${String(minor)}`),
  'latest',
];

export interface Pod extends JsonObject {
  metadata: JsonObject;
  spec: JsonObject;
}

export interface Verdict {
  readonly level: string;
  readonly reasons: string;
  readonly details: string;
}

/** At every level of the versions. */
export function ourVerdicts(sent: Pod, versions: readonly string[] = VERSIONS): Verdict[] {
  const read = typedCodec('io.k8s.api.core.v1.Pod').decode(sent);
  if (!read.ok) throw new Error(read.message);
  const pod = read.value as KindOfPod; // Decoded in its type.
  return LEVELS.flatMap((level) =>
    versions.map((text) => {
      const version = parseVersion(text) ?? 'latest';
      const findings = evaluatePod({ level, version }, pod);
      const shown = formatLevel({ level, version });
      return { level: shown, reasons: reasonsOf(findings), details: detailsOf(findings) };
    }),
  );
}

const name = fc.constantFrom('a', 'b', 'c d', 'é');
const flag = fc.boolean();
export const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
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

export const anyPod = fc.record({
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
export function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** A section for each pod, and in it the verdicts of all levels and versions as one. */
export const recordedVerdicts = recordedAnswers(
  join(import.meta.dirname, 'pod-security.answers.txt'),
);
export const RECORDED_PODS = fc
  .sample(anyPod, { numRuns: 120, seed: 23 })
  .map((one) => plain(one) as Pod);
