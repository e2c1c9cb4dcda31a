/**
 * PodGroupProtection, PodGroupWorkloadExists and JobValidation: they look at PodGroups and
 * Workloads, which upstream serves where the feature GenericWorkload is on. It is off, so that
 * neither is served, and they have nothing to do; they are there for those who name them.
 *
 * In Kubernetes: plugin/pkg/admission/{scheduling/podgroupprotection,podgroup,job}.
 */
import type { IdlePlugin } from '../../admission-plugin.ts';

export function podGroupProtection(): IdlePlugin {
  return { name: 'PodGroupProtection' };
}

export function podGroupWorkloadExists(): IdlePlugin {
  return { name: 'PodGroupWorkloadExists' };
}

export function jobValidation(): IdlePlugin {
  return { name: 'JobValidation' };
}
