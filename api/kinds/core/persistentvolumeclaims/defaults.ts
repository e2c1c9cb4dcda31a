/**
 * Defaults of a PersistentVolumeClaim. Its storage class is not among them: admission chooses it.
 *
 * In Kubernetes: SetObjectDefaults_PersistentVolumeClaim, pkg/apis/core/v1.
 */
import type { PersistentVolumeClaim } from '../../../generated/kinds/core-v1.ts';
import { setClaimDefaults } from '../../pod-spec/volumes/claim-spec-defaults.ts';

export function setPersistentVolumeClaimDefaults(claim: PersistentVolumeClaim): void {
  setClaimDefaults(claim);
}
