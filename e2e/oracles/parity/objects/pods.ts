/** Pods that are right: from the smallest to ones that use nearly every field. */
import type { JsonObject } from '../../../../api/json/json.ts';
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const amounts = { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '1', memory: '2Gi' } };

const mounts = [
  { name: 'scratch', mountPath: '/scratch' },
  { name: 'config', mountPath: '/etc/app', readOnly: true, recursiveReadOnly: 'Disabled' },
  { name: 'claim', mountPath: '/data', subPath: 'a/b', mountPropagation: 'None' },
];

const selector = { matchLabels: { app: 'web' } };
const requirement = { key: 'zone', operator: 'In', values: ['a', 'b'] };
const term = {
  labelSelector: selector,
  topologyKey: 'kubernetes.io/hostname',
  namespaces: ['ns'],
  namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
};

export const containers: JsonObject[] = [
  {
    name: 'main',
    image: 'registry.example.com/app:1',
    command: ['/app'],
    args: ['--port=80'],
    workingDir: '/srv',
    ports: [
      { name: 'http', containerPort: 80, protocol: 'TCP' },
      { name: 'dns', containerPort: 53, hostPort: 5353, protocol: 'UDP', hostIP: '10.0.0.1' },
    ],
    envFrom: [
      { prefix: 'P_', configMapRef: { name: 'settings' } },
      { secretRef: { name: 'keys', optional: true } },
    ],
    env: [
      { name: 'PLAIN', value: 'text' },
      { name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
      {
        name: 'LABEL',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['app']" } },
      },
      {
        name: 'CPU',
        valueFrom: {
          resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' },
        },
      },
      { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } },
      { name: 'SETTING', valueFrom: { configMapKeyRef: { name: 'settings', key: 's' } } },
    ],
    resources: { ...amounts, claims: [{ name: 'gpu' }] },
    resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
    volumeMounts: mounts,
    volumeDevices: [{ name: 'block', devicePath: '/dev/xvda' }],
    livenessProbe: {
      httpGet: {
        path: '/live',
        port: 80,
        scheme: 'HTTP',
        httpHeaders: [{ name: 'X-A', value: 'b' }],
      },
      terminationGracePeriodSeconds: 5,
    },
    readinessProbe: { tcpSocket: { port: 'http' }, periodSeconds: 3, successThreshold: 2 },
    startupProbe: {
      exec: { command: ['true'] },
      initialDelaySeconds: 1,
      timeoutSeconds: 2,
      failureThreshold: 9,
    },
    lifecycle: {
      postStart: { exec: { command: ['true'] } },
      preStop: { httpGet: { path: '/stop', port: 'http', scheme: 'HTTPS' } },
    },
    terminationMessagePath: '/dev/log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: {
      capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
      privileged: false,
      runAsUser: 1000,
      runAsGroup: 1000,
      runAsNonRoot: true,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      procMount: 'Default',
      seccompProfile: { type: 'Localhost', localhostProfile: 'a/b.json' },
      appArmorProfile: { type: 'RuntimeDefault' },
      seLinuxOptions: { level: 's0' },
    },
    stdin: true,
    stdinOnce: true,
    tty: true,
  },
  {
    name: 'side',
    image: 'side:1',
    livenessProbe: { grpc: { port: 9000, service: 'x' } },
    lifecycle: { preStop: { sleep: { seconds: 3 } } },
  },
];

const initContainers: JsonObject[] = [
  { name: 'init', image: 'init:1', resources: amounts, volumeMounts: [mounts[0] ?? {}] },
  {
    name: 'sidecar',
    image: 'side:2',
    restartPolicy: 'Always',
    readinessProbe: { tcpSocket: { port: 80 } },
    lifecycle: { postStart: { sleep: { seconds: 1 } } },
  },
];

export const volumes: JsonObject[] = [
  { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
  {
    name: 'config',
    configMap: {
      name: 'settings',
      defaultMode: 420,
      items: [{ key: 's', path: 'a/s', mode: 256 }],
    },
  },
  { name: 'claim', persistentVolumeClaim: { claimName: 'data' } },
  { name: 'block', persistentVolumeClaim: { claimName: 'raw' } },
  { name: 'secret', secret: { secretName: 'keys', items: [{ key: 'k', path: 'k' }] } },
  { name: 'host', hostPath: { path: '/var/log', type: 'Directory' } },
  {
    name: 'mixed',
    projected: {
      sources: [
        { secret: { name: 'keys', items: [{ key: 'k', path: 'x/k' }] } },
        { configMap: { name: 'settings', items: [{ key: 's', path: 'x/s' }] } },
        {
          downwardAPI: {
            items: [
              { path: 'labels', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } },
            ],
          },
        },
        { serviceAccountToken: { audience: 'a', expirationSeconds: 3600, path: 'token' } },
      ],
      defaultMode: 420,
    },
  },
  {
    name: 'downward',
    downwardAPI: {
      items: [
        { path: 'name', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' }, mode: 256 },
        {
          path: 'cpu',
          resourceFieldRef: { containerName: 'main', resource: 'requests.cpu', divisor: '1m' },
        },
      ],
    },
  },
];

const otherVolumes: JsonObject[] = [
  { name: 'nfs', nfs: { server: 's', path: '/p' } },
  {
    name: 'iscsi',
    iscsi: {
      targetPortal: '1.2.3.4',
      iqn: 'iqn.2015-02.example.com:test',
      lun: 1,
      initiatorName: 'iqn.2015-02.example.com:init',
    },
  },
  { name: 'gce', gcePersistentDisk: { pdName: 'd', partition: 1 } },
  { name: 'aws', awsElasticBlockStore: { volumeID: 'v', partition: 1 } },
  { name: 'git', gitRepo: { repository: 'https://example.com/r', directory: 'd', revision: 'h' } },
  { name: 'gluster', glusterfs: { endpoints: 'e', path: 'p' } },
  { name: 'flocker', flocker: { datasetName: 'd' } },
  { name: 'rbd', rbd: { monitors: ['m'], image: 'i' } },
  { name: 'cinder', cinder: { volumeID: 'v', secretRef: { name: 's' } } },
  { name: 'cephfs', cephfs: { monitors: ['m'], path: '/p', secretRef: { name: 's' } } },
  { name: 'quobyte', quobyte: { registry: 'r:1,s:2', volume: 'v', tenant: 't' } },
  { name: 'fc', fc: { targetWWNs: ['w'], lun: 1 } },
  { name: 'flex', flexVolume: { driver: 'example.com/d', options: { a: 'b' } } },
  { name: 'azurefile', azureFile: { secretName: 's', shareName: 'n' } },
  {
    name: 'azuredisk',
    azureDisk: {
      diskName: 'd',
      diskURI: 'https://blob/d.vhd',
      cachingMode: 'None',
      kind: 'Dedicated',
    },
  },
  { name: 'vsphere', vsphereVolume: { volumePath: 'p' } },
  { name: 'photon', photonPersistentDisk: { pdID: 'p' } },
  { name: 'portworx', portworxVolume: { volumeID: 'v' } },
  {
    name: 'storageos',
    storageos: { volumeName: 'v', volumeNamespace: 'n', secretRef: { name: 's' } },
  },
  {
    name: 'scaleio',
    scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 'x' } },
  },
  { name: 'csi', csi: { driver: 'example.com', nodePublishSecretRef: { name: 's' } } },
  {
    name: 'own',
    ephemeral: {
      volumeClaimTemplate: {
        metadata: { labels: { a: 'b' } },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: 'fast',
          volumeMode: 'Filesystem',
        },
      },
    },
  },
  { name: 'image', image: { reference: 'r:1', pullPolicy: 'Always' } },
];

const affinity: JsonObject = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [requirement, { key: 'cores', operator: 'Gt', values: ['4'] }] },
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] },
      ],
    },
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 5, preference: { matchExpressions: [requirement] } },
    ],
  },
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [term],
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm: term }],
  },
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { ...term, matchLabelKeys: ['pod-template-hash'] },
    ],
  },
};

export const fullPodSpec: JsonObject = {
  volumes,
  initContainers,
  containers,
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'None',
  nodeSelector: { disk: 'ssd' },
  serviceAccountName: 'robot',
  automountServiceAccountToken: false,
  shareProcessNamespace: true,
  securityContext: {
    runAsUser: 1000,
    runAsGroup: 2000,
    supplementalGroups: [1, 2],
    supplementalGroupsPolicy: 'Merge',
    fsGroup: 3000,
    fsGroupChangePolicy: 'OnRootMismatch',
    runAsNonRoot: true,
    sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }],
    seccompProfile: { type: 'RuntimeDefault' },
    appArmorProfile: { type: 'Localhost', localhostProfile: 'p' },
    seLinuxChangePolicy: 'Recursive',
  },
  imagePullSecrets: [{ name: 'pull' }],
  hostname: 'host',
  subdomain: 'sub',
  affinity,
  schedulerName: 'default-scheduler',
  tolerations: [
    { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
    { key: 'c', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    { operator: 'Exists' },
  ],
  hostAliases: [{ ip: '10.0.0.2', hostnames: ['a.example.com'] }],
  priorityClassName: 'high',
  dnsConfig: {
    nameservers: ['10.0.0.53'],
    searches: ['example.com', '_a.example.com.'],
    options: [{ name: 'ndots', value: '2' }],
  },
  readinessGates: [{ conditionType: 'example.com/ready' }],
  runtimeClassName: 'kata',
  enableServiceLinks: true,
  preemptionPolicy: 'Never',
  overhead: { cpu: '10m' },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: selector,
      minDomains: 2,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      matchLabelKeys: ['pod-template-hash'],
    },
    {
      maxSkew: 2,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: selector,
    },
  ],
  setHostnameAsFQDN: false,
  os: { name: 'linux' },
  resourceClaims: [
    { name: 'gpu', resourceClaimName: 'gpus' },
    { name: 'net', resourceClaimTemplateName: 'nets' },
  ],
};

function pod(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: metadata(), spec, ...more };
}

const small = { containers: [{ name: 'c', image: 'nginx:1' }] };

const status: JsonObject = {
  phase: 'Running',
  qosClass: 'Burstable',
  podIP: '10.1.0.1',
  podIPs: [{ ip: '10.1.0.1' }],
  hostIP: '10.0.0.1',
  hostIPs: [{ ip: '10.0.0.1' }],
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [
    { name: 'c', image: 'i', imageID: 'i', ready: true, restartCount: 0, state: { running: {} } },
  ],
};

export const podKinds: readonly ParityKind[] = [
  {
    name: 'Pod',
    bases: [
      pod(fullPodSpec),
      pod(fullPodSpec),
      pod(fullPodSpec),
      pod(small, { status: { ...status, qosClass: 'BestEffort' } }),
      pod(
        { ...small, nodeName: 'node-1', activeDeadlineSeconds: 60, restartPolicy: 'OnFailure' },
        { status: { ...status, qosClass: 'BestEffort' } },
      ),
      pod({ ...small, volumes: otherVolumes }),
      pod({
        ...small,
        hostNetwork: true,
        hostPID: true,
        hostIPC: true,
        dnsPolicy: 'ClusterFirstWithHostNet',
        containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }],
      }),
      pod({
        ...small,
        schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }],
        nodeSelector: { a: 'b' },
        affinity,
      }),
      pod({
        ...small,
        os: { name: 'windows' },
        securityContext: { windowsOptions: { runAsUserName: 'me', gmsaCredentialSpecName: 'g' } },
      }),
      pod({
        ...small,
        hostUsers: false,
        resources: { requests: { cpu: '2', memory: '2Gi' }, limits: { cpu: '3' } },
      }),
      pod({
        ...small,
        ephemeralContainers: [
          {
            name: 'debug',
            image: 'busybox',
            targetContainerName: 'c',
            stdin: true,
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
      }),
      pod(
        {
          containers: [
            {
              name: 'c',
              image: 'i',
              resources: {
                requests: { cpu: '1', memory: '1Gi' },
                limits: { cpu: '1', memory: '1Gi' },
              },
            },
          ],
        },
        { status: { ...status, qosClass: 'Guaranteed' } },
      ),
    ],
  },
];
