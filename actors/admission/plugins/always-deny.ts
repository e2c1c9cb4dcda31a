/**
 * AlwaysDeny: refuses whatever is written, read-only as a server can be.
 *
 * In Kubernetes: plugin/pkg/admission/deny, which is deprecated.
 */
import { refusedAt } from '../admission-attributes.ts';
import type { AdmissionStep, TwoPhasePlugin } from '../admission-plugin.ts';

export function alwaysDeny(): TwoPhasePlugin {
  const deny: AdmissionStep = (attributes) =>
    refusedAt(attributes, 'admission control is denying all modifications');
  return { name: 'AlwaysDeny', mutatesAt: () => deny, validatesAt: () => deny };
}
