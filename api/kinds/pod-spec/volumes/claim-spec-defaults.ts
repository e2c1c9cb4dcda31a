/**
 * Defaults of a claim's spec, which stands in claims, in the templates of StatefulSets and in
 * ephemeral volumes of pods.
 *
 * In Kubernetes: SetDefaults_PersistentVolumeClaim and SetDefaults_PersistentVolumeClaimSpec,
 * pkg/apis/core/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, setIfZero, structAt, withObject } from '../../default-field.ts';
import {
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from '../containers/resource-list-defaults.ts';

export function setClaimDefaults(claim: JsonObject): void {
  setIfZero(structAt(claim, 'status'), 'phase', 'Pending');
  setClaimSpecDefaults(structAt(claim, 'spec'));
  withObject(claim, 'status', (status) => {
    setResourceListDefaults(status, 'capacity');
    setResourceListDefaults(status, 'allocatedResources');
  });
}

export function setClaimSpecDefaults(spec: JsonObject): void {
  setIfAbsent(spec, 'volumeMode', 'Filesystem');
  setResourceRequirementsDefaults(spec, 'resources');
}
