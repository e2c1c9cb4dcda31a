/**
 * AlwaysAdmit: does nothing, as it always did.
 *
 * In Kubernetes: plugin/pkg/admission/admit, which is deprecated.
 *
 * AlwaysDeny: refuses whatever is written, read-only as a server can be.
 *
 * In Kubernetes: plugin/pkg/admission/deny, which is deprecated.
 *
 * PodGroupProtection, PodGroupWorkloadExists and JobValidation: they look at PodGroups and
 * Workloads, which upstream serves where the feature GenericWorkload is on. It is off, so that
 * neither is served, and they have nothing to do; they are there for servers whose flags name them.
 *
 * In Kubernetes: plugin/pkg/admission/{scheduling/podgroupprotection,podgroup,job}.
 */
import type { AdmissionStep, IdlePlugin, TwoPhasePlugin } from '../admission-plugin.ts';
import { refusedAt } from '../admission-attributes.ts';

export function alwaysAdmit(): IdlePlugin {
  return { name: 'AlwaysAdmit' };
}

export function alwaysDeny(): TwoPhasePlugin {
  const deny: AdmissionStep = (attributes) =>
    refusedAt(attributes, 'admission control is denying all modifications');
  return { name: 'AlwaysDeny', mutatesAt: () => deny, validatesAt: () => deny };
}

export function podGroupProtection(): IdlePlugin {
  return { name: 'PodGroupProtection' };
}

export function podGroupWorkloadExists(): IdlePlugin {
  return { name: 'PodGroupWorkloadExists' };
}

export function jobValidation(): IdlePlugin {
  return { name: 'JobValidation' };
}
