/**
 * AlwaysAdmit: does nothing, as it always did.
 *
 * In Kubernetes: plugin/pkg/admission/admit, which is deprecated.
 */
import type { AdmissionPlugin } from '../admission-plugin.ts';

export function alwaysAdmit(): AdmissionPlugin {
  return { name: 'AlwaysAdmit' };
}
