/**
 * Defaults of a ResourceClaim.
 *
 * In Kubernetes: SetObjectDefaults_ResourceClaim, pkg/apis/resource/v1.
 */
import { type JsonObject, objectAt } from '../../../json/json.ts';
import { forEachIn, withObject } from '../../default-field.ts';
import { setDeviceRequestDefaults, setTolerationDefaults } from '../device-request-defaults.ts';

export function setResourceClaimDefaults(claim: JsonObject): void {
  withObject(claim, 'spec', setDeviceRequestDefaults);
  const allocation = objectAt(objectAt(claim, 'status'), 'allocation') ?? {};
  withObject(allocation, 'devices', (devices) => {
    forEachIn(devices, 'results', setTolerationDefaults);
  });
}
