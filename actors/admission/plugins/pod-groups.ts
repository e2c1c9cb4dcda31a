/**
 * PodGroupProtection, PodGroupWorkloadExists and JobValidation: they look at PodGroups and
 * Workloads, which upstream serves where the feature GenericWorkload is on. It is off, so that
 * neither is served, and they have nothing to do; they are there for those who name them.
 *
 * In Kubernetes: plugin/pkg/admission/{scheduling/podgroupprotection,podgroup,job}.
 */
import type { AdmissionPlugin } from '../admission-plugin.ts';

export function podGroupProtection(): AdmissionPlugin {
  return { name: 'PodGroupProtection' };
}

export function podGroupWorkloadExists(): AdmissionPlugin {
  return { name: 'PodGroupWorkloadExists' };
}

export function jobValidation(): AdmissionPlugin {
  return { name: 'JobValidation' };
}
