/** What comes of writes of new pods. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { container, gated, meta, pod } from './written-objects.fixture.ts';

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

export const podsCases: readonly RuleCase[] = [
  {
    when: 'a pod has no containers',
    do: 'create',
    object: pod({ containers: [] }),
    errors: ['spec.containers: Required value'],
  },
  {
    when: 'a container has neither name nor image',
    do: 'create',
    object: pod({ containers: [{}] }),
    errors: ['spec.containers[0].name: Required value', 'spec.containers[0].image: Required value'],
  },
  {
    when: 'two containers have one name',
    do: 'create',
    object: pod({ containers: [container(), container()], initContainers: [container()] }),
    errors: [
      'spec.containers[1].name: Duplicate value: "c"',
      'spec.initContainers[0].name: Duplicate value: "c"',
    ],
  },
  {
    when: 'a container mounts a volume that is not there',
    do: 'create',
    object: pod({
      containers: [
        container({
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'v', mountPath: '/v' },
          ],
        }),
      ],
    }),
    errors: [
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
      'spec.containers[0].volumeMounts[1].name: Not found: "v"',
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/v": must be unique',
    ],
  },
  {
    when: 'a name of gates is none and there twice',
    do: 'create',
    object: pod({ containers: [container()], schedulingGates: [{ name: 'a b' }, { name: 'a b' }] }),
    errors: [
      `spec.schedulingGates[0]: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `spec.schedulingGates[1]: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.schedulingGates[1]: Duplicate value: "a b"',
    ],
  },
  {
    when: 'a port of a container is none, and its name is right',
    do: 'create',
    object: pod({ containers: [container({ ports: [{ name: 'a', containerPort: 70_000 }] })] }),
    errors: [
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
  },
  {
    when: 'paths of devices have backsteps and are there twice',
    do: 'create',
    object: pod({
      containers: [
        container({
          volumeDevices: [
            { name: 'v', devicePath: '/a' },
            { name: 'v', devicePath: '/a' },
            { name: 'v', devicePath: '/../a' },
          ],
        }),
      ],
    }),
    errors: [
      'spec.containers[0].volumeDevices[0].name: Not found: "v"',
      'spec.containers[0].volumeDevices[1].name: Invalid value: "v": must be unique',
      'spec.containers[0].volumeDevices[1].name: Not found: "v"',
      'spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/a": must be unique',
      'spec.containers[0].volumeDevices[2].name: Invalid value: "v": must be unique',
      'spec.containers[0].volumeDevices[2].name: Not found: "v"',
      `spec.containers[0].volumeDevices[2].devicePath: Invalid value: "/../a": can not contain backsteps ('..')`,
    ],
  },
  {
    when: 'volumes have no name, one name, two sources',
    do: 'create',
    object: pod({
      volumes: [
        { emptyDir: {} },
        { name: 'a', emptyDir: {} },
        { name: 'a', emptyDir: {} },
        { name: 'b', emptyDir: {}, secret: { secretName: 's' } },
      ],
    }),
    errors: [
      'spec.volumes[0].name: Required value',
      'spec.volumes[2].name: Duplicate value: "a"',
      'spec.volumes[3].secret: Forbidden: may not specify more than 1 volume type',
    ],
  },
  {
    when: 'ports are wrong',
    do: 'create',
    object: pod({
      containers: [
        container({
          ports: [
            { containerPort: 0 },
            { name: 'x--', containerPort: 70000 },
            { containerPort: 80, protocol: 'HTTP' },
          ],
        }),
      ],
    }),
    errors: [
      'spec.containers[0].ports[0].containerPort: Required value',
      'spec.containers[0].ports[1].name: Invalid value: "x--": must not contain consecutive hyphens',
      'spec.containers[0].ports[1].name: Invalid value: "x--": must not begin or end with a hyphen',
      'spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[2].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
    ],
  },
  {
    when: 'policies are unknown',
    do: 'create',
    object: pod({
      restartPolicy: 'Sometimes',
      dnsPolicy: 'Guess',
      containers: [container({ imagePullPolicy: 'Maybe', terminationMessagePolicy: 'None' })],
    }),
    errors: [
      'spec.containers[0].terminationMessagePolicy: Unsupported value: "None": supported values: "File", "FallbackToLogsOnError"',
      'spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      'spec.dnsPolicy: Unsupported value: "Guess": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  },
  {
    when: 'names inside the spec are wrong',
    do: 'create',
    object: pod({
      nodeName: 'N',
      serviceAccountName: 'S_',
      hostname: 'a.b',
      subdomain: 'A',
      nodeSelector: { 'a b': 'c' },
      activeDeadlineSeconds: 0,
    }),
    errors: [
      "spec.nodeSelector: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.serviceAccountName: Invalid value: \"S_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.nodeName: Invalid value: \"N\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      'spec.hostname: Invalid value: "a.b": must not contain dots',
      "spec.subdomain: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  },
  {
    when: 'an environment variable has no name',
    do: 'create',
    object: pod({
      containers: [container({ env: [{ value: 'a' }, { name: 'a=b', value: 'c' }] })],
    }),
    errors: [
      'spec.containers[0].env[0].name: Required value',
      'spec.containers[0].env[1].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
    ],
  },
  {
    when: 'an init container has a probe',
    do: 'create',
    object: pod({
      initContainers: [container({ name: 'i', livenessProbe: { tcpSocket: { port: 80 } } })],
    }),
    errors: [
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  },
  {
    when: 'a gated pod has a node',
    do: 'create',
    object: pod({ nodeName: 'n', ...gated }),
    errors: ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
  },
  {
    when: 'an image has blanks around it',
    do: 'create',
    object: pod({ containers: [container({ image: ' nginx' })] }),
    errors: [
      'spec.containers[0].image: Invalid value: " nginx": must not have leading or trailing whitespace',
    ],
  },
  {
    when: 'a pod is made with ephemeral containers',
    do: 'create',
    object: pod({ ephemeralContainers: [{ name: 'e', image: 'i' }] }),
    errors: ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  },
  {
    when: 'AppArmor is set by the annotations that it once had',
    do: 'create',
    object: pod(
      { containers: ['a', 'b', 'c'].map((name) => container({ name })) },
      {
        metadata: meta({
          annotations: {
            [`${APP_ARMOR}a`]: 'runtime/default',
            [`${APP_ARMOR}b`]: 'localhost/x',
          },
        }),
      },
    ),
    errors: [],
    warnings: ['a', 'b'].map(
      (name) =>
        `metadata.annotations[${APP_ARMOR}${name}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    ),
    shows: {
      'spec.containers.0.securityContext': { appArmorProfile: { type: 'RuntimeDefault' } },
      'spec.containers.1.securityContext': {
        appArmorProfile: { type: 'Localhost', localhostProfile: 'x' },
      },
    },
  },
  {
    when: 'a pod asks for nothing',
    do: 'create',
    object: pod({}, { status: { phase: 'Running' } }),
    errors: [],
    shows: { 'metadata.generation': 1, status: { phase: 'Pending', qosClass: 'BestEffort' } },
  },
  {
    when: 'a pod asks for something',
    do: 'create',
    object: pod({ containers: [container({ resources: { requests: { cpu: '1' } } })] }),
    errors: [],
    shows: { 'status.qosClass': 'Burstable' },
  },
  {
    when: 'a pod has limits for all it uses',
    do: 'create',
    object: pod({
      containers: [container({ resources: { limits: { cpu: '1', memory: '1Gi' } } })],
    }),
    errors: [],
    shows: { 'status.qosClass': 'Guaranteed' },
  },
  {
    when: 'a pod asks for less than its limits',
    do: 'create',
    object: pod({
      containers: [
        container({
          resources: {
            requests: { cpu: '500m', memory: '1Gi' },
            limits: { cpu: '1', memory: '1Gi' },
          },
        }),
      ],
    }),
    errors: [],
    shows: { 'status.qosClass': 'Burstable' },
  },
  {
    when: 'one of two containers has no limits',
    do: 'create',
    object: pod({
      containers: [
        container({ resources: { limits: { cpu: '1', memory: '1Gi' } } }),
        container({ name: 'd' }),
      ],
    }),
    errors: [],
    shows: { 'status.qosClass': 'Burstable' },
  },
  {
    when: 'the pod as a whole has limits',
    do: 'create',
    object: pod({ resources: { limits: { cpu: '1', memory: '1Gi' } } }),
    errors: [],
    shows: { 'status.qosClass': 'Guaranteed' },
  },
  {
    when: 'a pod names its service account the old way',
    do: 'create',
    object: pod({ serviceAccount: 'sa' }),
    errors: [],
    shows: { 'spec.serviceAccountName': 'sa', 'spec.serviceAccount': 'sa' },
  },
  {
    when: 'labels of the pod select',
    do: 'create',
    object: pod(
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            matchLabelKeys: ['app', 'absent'],
            labelSelector: { matchLabels: { a: 'b' } },
          },
        ],
      },
      { metadata: meta({ labels: { app: 'web' } }) },
    ),
    errors: [],
    shows: {
      'spec.topologySpreadConstraints': [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: {
            matchLabels: { a: 'b' },
            matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }],
          },
          matchLabelKeys: ['app', 'absent'],
        },
      ],
    },
  },
];
