/**
 * What comes of privileged containers where no flag allows them, in pods and in all that makes
 * pods. Made with kube-apiserver's answers.
 */
import { stringAt, type JsonObject } from '../../json/json.ts';
import type { RuleCase } from './judge.fixture.ts';
import {
  container,
  cronJob,
  daemonSet,
  deployment,
  job,
  meta,
  pod,
  podSpec,
  replicaSet,
  statefulSet,
  template,
} from './written-objects.fixture.ts';

const securityContext = { privileged: true };
const privileged = container({ securityContext });
const refusal = 'Forbidden: disallowed by cluster policy';
const inTemplate = template({ containers: [privileged] });
const onWindows = { windowsOptions: { hostProcess: true } };

function workloadCase(object: JsonObject, path: string): RuleCase {
  return {
    when: `a ${stringAt(object, 'kind')} makes pods with privileged containers`,
    do: 'create',
    object,
    errors: [`${path}.spec.containers[0].securityContext.privileged: ${refusal}`],
  };
}

export const privilegedPodsCases: readonly RuleCase[] = [
  {
    when: 'containers and init containers are privileged',
    do: 'create',
    object: pod({
      containers: [{ ...privileged, securityContext: { ...securityContext, runAsUser: -1 } }],
      initContainers: [container({ name: 'i', securityContext })],
    }),
    errors: [
      `spec.containers[0].securityContext.privileged: ${refusal}`,
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      `spec.initContainers[0].securityContext.privileged: ${refusal}`,
    ],
  },
  {
    when: 'a container says that it is not privileged',
    do: 'create',
    object: pod({ containers: [container({ securityContext: { privileged: false } })] }),
    errors: [],
  },
  {
    when: 'a privileged pod that is there already gets another image',
    do: 'update',
    old: pod({ containers: [privileged] }),
    object: pod({ containers: [{ ...privileged, image: 'nginx:2' }] }),
    errors: [`spec.containers[0].securityContext.privileged: ${refusal}`],
  },
  {
    when: 'a privileged ephemeral container joins',
    do: 'ephemeralcontainers',
    old: pod(),
    object: pod({ ephemeralContainers: [{ name: 'e', image: 'i', securityContext }] }),
    errors: [`spec.ephemeralContainers[0].securityContext.privileged: ${refusal}`],
  },
  {
    when: 'a pod is a process of a host with Windows',
    do: 'create',
    object: pod({ securityContext: onWindows, hostNetwork: true }),
    errors: ['spec: Forbidden: hostProcess containers are disallowed by cluster policy'],
  },
  workloadCase(deployment({ template: inTemplate }), 'spec.template'),
  workloadCase(replicaSet({ template: inTemplate }), 'spec.template'),
  workloadCase(statefulSet({ template: inTemplate }), 'spec.template'),
  workloadCase(daemonSet({ template: inTemplate }), 'spec.template'),
  workloadCase(
    job({ template: { spec: podSpec({ restartPolicy: 'Never', containers: [privileged] }) } }),
    'spec.template',
  ),
  workloadCase(
    cronJob({
      jobTemplate: {
        spec: {
          template: { spec: podSpec({ restartPolicy: 'Never', containers: [privileged] }) },
        },
      },
    }),
    'spec.jobTemplate.spec.template',
  ),
  workloadCase(
    { apiVersion: 'v1', kind: 'PodTemplate', metadata: meta(), template: inTemplate },
    'template',
  ),
  workloadCase(
    {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: meta(),
      spec: { selector: { app: 'web' }, template: inTemplate },
    },
    'spec.template',
  ),
];
