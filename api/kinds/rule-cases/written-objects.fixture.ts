/**
 * Objects as people write them, for the tables of rule cases: each maker takes the spec, or what
 * else is special, and returns the rest of an ordinary object around it.
 */
import type { JsonObject } from '../../json/json.ts';

export const meta = (more: JsonObject = {}) => ({
  name: 'one',
  namespace: 'ns',
  uid: 'u-1',
  resourceVersion: '1',
  creationTimestamp: '2020-01-01T00:00:00Z',
  ...more,
});
export const cluster = (more: JsonObject = {}) => {
  const { namespace: _namespace, ...rest } = meta(more);
  return rest;
};
export const container = (more: JsonObject = {}) => ({ name: 'c', image: 'nginx:1', ...more });
export const podSpec = (more: JsonObject = {}) => ({ containers: [container()], ...more });
export const pod = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta(),
  spec: podSpec(spec),
  ...more,
});
export const template = (spec: JsonObject = {}, labels: JsonObject = { app: 'web' }) => ({
  metadata: { labels },
  spec: podSpec(spec),
});
export const workload =
  (kind: string) =>
  (spec: JsonObject = {}, more: JsonObject = {}) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: meta(),
    spec: { selector: { matchLabels: { app: 'web' } }, template: template(), ...spec },
    ...more,
  });
export const deployment = workload('Deployment');
export const replicaSet = workload('ReplicaSet');
export const statefulSet = workload('StatefulSet');
export const daemonSet = workload('DaemonSet');
export const plain =
  (apiVersion: string, kind: string, m: JsonObject) =>
  (more: JsonObject = {}) => ({ apiVersion, kind, metadata: m, ...more });
export const configMap = plain('v1', 'ConfigMap', meta());
export const secret = plain('v1', 'Secret', meta());
export const namespace = plain('v1', 'Namespace', cluster());
export const node = plain('v1', 'Node', cluster());
export const service = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta(),
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
  ...more,
});
export const ip = {
  clusterIP: '10.0.0.1',
  clusterIPs: ['10.0.0.1'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
};
export const pvc = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: meta(),
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, ...spec },
  ...more,
});
export const pv = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: cluster(),
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    hostPath: { path: '/data' },
    ...spec,
  },
  ...more,
});
export const job = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: meta(),
  spec: { template: { spec: podSpec({ restartPolicy: 'Never' }) }, ...spec },
  ...more,
});
export const own = {
  'batch.kubernetes.io/controller-uid': 'u-1',
  'batch.kubernetes.io/job-name': 'one',
  'controller-uid': 'u-1',
  'job-name': 'one',
};
export const storedJob = (spec: JsonObject = {}, more: JsonObject = {}, ps: JsonObject = {}) =>
  job(
    {
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } },
      template: { metadata: { labels: own }, spec: podSpec({ restartPolicy: 'Never', ...ps }) },
      ...spec,
    },
    more,
  );
export const cronJob = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: meta(),
  spec: {
    schedule: '* * * * *',
    jobTemplate: { spec: { template: { spec: podSpec({ restartPolicy: 'OnFailure' }) } } },
    ...spec,
  },
  ...more,
});
export const hpa = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: meta(),
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas: 3,
    ...spec,
  },
  ...more,
});
export const pdb = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: meta(),
  spec,
  ...more,
});
export const rbac = 'rbac.authorization.k8s.io';
export const role = plain(`${rbac}/v1`, 'Role', meta());
export const clusterRole = plain(`${rbac}/v1`, 'ClusterRole', cluster());
export const binding = (more: JsonObject = {}) => ({
  apiVersion: rbac + '/v1',
  kind: 'RoleBinding',
  metadata: meta(),
  roleRef: { apiGroup: rbac, kind: 'Role', name: 'r' },
  subjects: [],
  ...more,
});
export const clusterBinding = (more: JsonObject = {}) => ({
  ...binding(more),
  kind: 'ClusterRoleBinding',
  metadata: cluster(),
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'r' },
  ...more,
});
export const ingress = (spec: JsonObject = {}, more: JsonObject = {}) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: meta(),
  spec,
  ...more,
});
export const backend = { service: { name: 'web', port: { number: 80 } } };
/** A request for the name `example`, made by openssl. */
const CERTIFICATE_REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITk1IUUNBUUF3RWpFUU1BNEdBMVVFQXd3SFpYaGhiWEJzWlRCWk1CTUdCeXFHU000OUFnRUdDQ3FHU000OQpBd0VIQTBJQUJDQU9FSjl0d083WTJuelMyd05Sb3c3STR4UERqUUliMW1RY25qK1hNWkgzYVROaHZYb3BQLzE2CjVPd0dIdzVKTzlCRlVoOFplRmhVTERWOWl0THJZeVdnQURBS0JnZ3Foa2pPUFFRREFnTkpBREJHQWlFQXU3UisKVDlhSWlTNEM1OXZKWTYzdFNjWFlxY3RaandoWnhLV29LRExxRlBvQ0lRQ3phcXNZZUVmSDhCd1YxMUlqbmlkRgpDY1ZVNU5nRTdBaUlGRTlQRmNCYW1RPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';
export const csr = (more: JsonObject = {}) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: cluster(),
  spec: {
    request: CERTIFICATE_REQUEST,
    signerName: 'example.com/signer',
    usages: ['digital signature'],
  },
  ...more,
});
export const storageClass = (more: JsonObject = {}) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: cluster(),
  provisioner: 'example.com/disk',
  ...more,
});

export const gated = { schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }] };
