/**
 * Defaults of a PersistentVolumeClaim. Its storage class is not among them: admission chooses it.
 *
 * In Kubernetes: SetObjectDefaults_PersistentVolumeClaim, pkg/apis/core/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setClaimDefaults } from '../../pod-spec/volumes/claim-spec-defaults.ts';

export function setPersistentVolumeClaimDefaults(claim: JsonObject): void {
  setClaimDefaults(claim);
}
