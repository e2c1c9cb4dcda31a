/**
 * AlwaysAdmit: does nothing, as it always did.
 *
 * In Kubernetes: plugin/pkg/admission/admit, which is deprecated.
 */
import type { IdlePlugin } from '../admission-plugin.ts';

export function alwaysAdmit(): IdlePlugin {
  return { name: 'AlwaysAdmit' };
}
