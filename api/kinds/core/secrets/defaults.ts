/**
 * Defaults of a Secret. `stringData` is not merged here: that is conversion, not defaulting.
 *
 * In Kubernetes: SetDefaults_Secret, pkg/apis/core/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfZero } from '../../default-field.ts';

export function setSecretDefaults(secret: JsonObject): void {
  setIfZero(secret, 'type', 'Opaque');
}
