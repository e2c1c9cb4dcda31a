/**
 * Pods. Deleting one is graceful: it is told to end and removed by its node's agent, unless no
 * node has it or it has ended already.
 *
 * In Kubernetes: registry/core/pod.
 */
import type { Pod, PodCondition, PodStatus } from '../../../generated/kinds/core-v1.ts';
import { items, type Int64 } from '../../../json/go-values.ts';
import { defineKind } from '../../kind.ts';
import {
  appArmorWarnings,
  copyAppArmorAnnotations,
} from '../../pod-spec/security/app-armor-annotations.ts';
import { podWarnings, USE_APP_ARMOR } from '../../pod-spec/pod-warnings.ts';
import { preparedPodSpec } from '../../pod-spec/pod-spec-preparation.ts';
import { specChanged } from '../../strategy-of.ts';
import { nameWarnings } from '../../pod-spec/workload-warnings.ts';
import { ephemeralContainers } from './ephemeral-containers.ts';
import { mergeLabelKeys } from './label-keys.ts';
import { qosClassOf } from './qos-class.ts';
import { podStatus } from './status.ts';
import { validatePod } from './validation.ts';
import { validatePodChange } from './update-validation.ts';

const nodeName = ({ spec }: Pod): string => spec.nodeName ?? '';

export const pods = defineKind('v1/pods', {
  actions: ['binding', 'eviction'],
  fields: {
    'spec.nodeName': nodeName,
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status.phase ?? '',
    'status.podIP': ({ status }) => items(status.podIPs)[0]?.ip ?? '',
    // It may be asked, but upstream never fills it in.
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
    // The old name of spec.nodeName.
    'spec.host': nodeName,
  },
  rules: {
    returnsDeletedObject: true,
    isNewGeneration: specChanged,
    status: { initial: initialStatus, ...podStatus },
    prepareForCreate(pod) {
      pod.spec = preparedPodSpec(pod.spec, undefined);
      mergeLabelKeys(pod);
      copyAppArmorAnnotations(pod);
    },
    prepareForUpdate(pod, old) {
      pod.spec = preparedPodSpec(pod.spec, old.spec);
    },
    validate: validatePod,
    validateUpdate: validatePodChange,
    warningsBeforeCreate: (pod) => appArmorWarnings(pod, USE_APP_ARMOR),
    warningsOnCreate: (pod) => [...nameWarnings(pod, "the Pod's hostname"), ...podWarnings(pod)],
    gracePeriodSeconds,
    subresources: { ephemeralcontainers: ephemeralContainers },
  },
});

/** The pod waits for a node, or for whatever its scheduling gates wait for. */
function initialStatus(pod: Pod): PodStatus {
  const isGated = items(pod.spec.schedulingGates).length > 0;
  return {
    phase: 'Pending',
    ...(isGated ? { conditions: [gatedCondition(pod)] } : {}),
    // A class that the client chose is checked by nobody, and kept.
    qosClass: pod.status.qosClass ?? qosClassOf(pod.spec),
  };
}

function gatedCondition(pod: Pod): PodCondition {
  return {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    // The pod is being created at this moment.
    lastTransitionTime: pod.metadata.creationTimestamp ?? null,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
}

function gracePeriodSeconds({ spec, status }: Pod, requestedSeconds: Int64 | undefined): Int64 {
  const isScheduled = spec.nodeName !== undefined;
  if (!isScheduled || status.phase === 'Failed' || status.phase === 'Succeeded') return 0;
  const seconds = requestedSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}
