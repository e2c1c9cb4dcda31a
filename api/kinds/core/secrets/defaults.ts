/**
 * Defaults of a Secret. `stringData` is not merged here: that is conversion, not defaulting.
 *
 * In Kubernetes: SetDefaults_Secret, pkg/apis/core/v1.
 */
import type { Secret } from '../../../generated/kinds/core-v1.ts';

export function setSecretDefaults(secret: Secret): void {
  secret.type ||= 'Opaque';
}
