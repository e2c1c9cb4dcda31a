/**
 * Which of Kubernetes' end-to-end tests need no container: nodes are KWOK's, whose pods are objects only.
 * Names are matched as ginkgo does it, by regular expressions of Go.
 */

/** Tests that run beside those of other groups. */
export interface TestGroup {
  readonly name: string;
  /** Whether they are those that are no conformance tests. */
  readonly isOther?: true;
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
const ENDLESS = 'pods of a job that go on, where those of KWOK end after some seconds';
const KUBELET = 'what a kubelet alone says of its pods';
const NETWORK = 'a network between pods';
const OFF = 'a feature that is off by default';
const HOOKS = 'health checks of hooks that are none here: docs/operations.md';

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
      { why: ENDLESS, tests: ['Job should adopt'] },
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

/** In the names of others that are not run: of features that are off, of what ends nodes or servers, that bear no others, or of hours. */
export const NEVER: readonly string[] = [
  SERIAL,
  ...[
    String.raw`\[Disruptive\]`,
    String.raw`\[Flaky\]`,
    String.raw`\[Slow\]`,
    String.raw`\[Alpha\]`,
  ],
  ...[String.raw`\[Feature:OffByDefault\]`, 'LinuxOnly', 'Windows', 'SSH'],
];

/** Tests beside those of conformance. */
export const OTHERS: readonly TestGroup[] = [
  {
    name: 'other api-machinery',
    isOther: true,
    tests: [String.raw`\[sig-api-machinery\]`],
    without: [
      { why: SERVED, tests: ['sample-apiserver', 'Aggregated APIServer'] },
      { why: OFF, tests: ['StorageVersion resources'] },
      { why: CONTAINERS, tests: ['created by cronjob'] },
      { why: HOOKS, tests: ['health handlers'] },
    ],
  },
  {
    name: 'other apps',
    isOther: true,
    tests: [
      String.raw`\[sig-apps\] StatefulSet (Non-retain|Scaling|Basic.*legacy)`,
      String.raw`\[sig-apps\] Deployment test Deployment ReplicaSet orphaning`,
    ],
  },
  {
    name: 'other auth, cli, instrumentation, network',
    isOther: true,
    tests: [
      String.raw`\[sig-auth\] (SelfSubjectReview|ServiceAccounts|Certificates)`,
      String.raw`\[sig-cli\] (Kubectl client Kubectl|Kubectl client kubectl|Kubectl delete|kubectl kuberc|Kubectl rollout)`,
      String.raw`\[sig-network\] (EndpointSliceMirroring|Netpol API|IngressClass)`,
      String.raw`\[sig-network\] Services should (prevent|check NodePort)`,
    ],
    without: [
      { why: CONTAINERS, tests: ['Kubectl copy'] },
      { why: NETWORK, tests: ['EndpointSliceMirroring should mirror a custom Endpoint with'] },
    ],
  },
  {
    name: 'other storage',
    isOther: true,
    tests: [String.raw`\[sig-storage\] (PV|PVC) Protection`],
  },
];

/** One expression for those of the parts of which a name needs one. */
export function anyOf(parts: readonly string[]): string {
  return `(${parts.join('|')})`;
}
