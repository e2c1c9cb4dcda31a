/** Plug-ins that look at nothing and are deprecated. */
import type { AdmissionStep, IdlePlugin, TwoPhasePlugin } from '../admission-plugin.ts';
import { refusedAt } from '../admission-attributes.ts';

/**
 * Does nothing, as it always did. In Kubernetes: plugin/pkg/admission/admit, which is deprecated.
 */
export function alwaysAdmit(): IdlePlugin {
  return { name: 'AlwaysAdmit' };
}

/**
 * Refuses whatever is written, read-only as a server can be.
 *
 * In Kubernetes: plugin/pkg/admission/deny, which is deprecated.
 */
export function alwaysDeny(): TwoPhasePlugin {
  const deny: AdmissionStep = (attributes) =>
    refusedAt(attributes, 'admission control is denying all modifications');
  return { name: 'AlwaysDeny', mutatesAt: () => deny, validatesAt: () => deny };
}
