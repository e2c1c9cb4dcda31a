/**
 * Which of Kubernetes' conformance tests need no container: nodes are KWOK's, whose pods are objects only.
 * Names are matched as ginkgo does it, by regular expressions of Go.
 */

/** Tests that run beside those of other groups. */
export interface TestGroup {
  readonly name: string;
  /** Parts of names; a test of the group has one of them. */
  readonly tests: readonly string[];
  /** Parts of names of tests that are left out, since they need what `why` says. */
  readonly without?: readonly LeftOut[];
}

interface LeftOut {
  readonly why: string;
  readonly tests: readonly string[];
}

/** What every test of conformance has in its name. */
export const CONFORMANCE = String.raw`\[Conformance\]`;
/** Tests that bear no others beside them: they run behind all groups. */
export const SERIAL = String.raw`\[Serial\]`;

const SERVED = 'a webhook or a server in a pod';
const CONTAINERS = 'containers that run, fail, or cannot be pulled';
const KUBELET = 'what a kubelet alone says of its pods';
const NETWORK = 'a network between pods';

export const GROUPS: readonly TestGroup[] = [
  {
    name: 'api-machinery',
    tests: [String.raw`\[sig-api-machinery\]`],
    without: [
      {
        why: SERVED,
        tests: [
          'AdmissionWebhook.*should (be able to deny|deny|honor|mutate|unconditionally|not be able)',
          'AdmissionWebhook.*(listing|patching)',
          ...['Aggregator', 'ConversionWebhook', 'CustomResourceFieldSelectors'],
        ],
      },
    ],
  },
  {
    name: 'apps',
    tests: [String.raw`\[sig-apps\]`],
    without: [
      {
        why: CONTAINERS,
        tests: [
          'StatefulSet.*(Burst|Scaling should|rolling|canary)',
          'Job should (allow to use|delete a job|execute|mark|terminate|run a job|create pods for an Ind|apply)',
          ...['Job with', 'CronJob should (not|replace|schedule)', 'serve a basic image'],
          ...['proportional scaling', 'rollback without unnecessary restarts', 'recreate evicted'],
        ],
      },
    ],
  },
  {
    name: 'auth, cli, instrumentation, network',
    tests: [String.raw`\[sig-(architecture|auth|cli|instrumentation|network)\]`],
    without: [
      { why: CONTAINERS, tests: ['mount', 'logs', 'Guestbook', 'Update Demo', 'Kubectl expose'] },
      {
        why: NETWORK,
        tests: [
          ...['DNS', 'Networking', 'Proxy version', 'HostPort', 'OIDC discovery', 'latency'],
          'Services should (be able to|have session affinity|serve)',
          'EndpointSlice should support a Service',
        ],
      },
    ],
  },
  {
    name: 'node, scheduling, storage',
    tests: [
      String.raw`\[sig-scheduling\]`,
      String.raw`\[sig-node\] (Lease|PodTemplates|Pods Extended|Node Lifecycle|NoExecuteTaint)`,
      String.raw`\[sig-node\] (RuntimeClass should (reject|support)|Sysctls.*reject|\[DRA\] CRUD)`,
      String.raw`\[sig-node\] Pods should (be |delete|get|patch|run through)`,
      String.raw`\[sig-node\] (ConfigMap should (run|fail|update)|Secrets should (patch|fail))`,
      String.raw`\[sig-storage\] (CSI|PersistentVolumes|StorageClasses|VolumeAtt)`,
      String.raw`\[sig-storage\] (ConfigMap|Secrets) should be immutable`,
    ],
    without: [
      {
        why: CONTAINERS,
        tests: ['lower priority pod preemption', 'exists conflict between'],
      },
      { why: KUBELET, tests: ['issue 500 podspec', 'generation should start at 1', 'a host IP'] },
    ],
  },
];

/** One expression for those of the parts of which a name needs one. */
export function anyOf(parts: readonly string[]): string {
  return `(${parts.join('|')})`;
}
