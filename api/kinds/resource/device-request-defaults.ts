/**
 * Defaults of the devices that a claim asks for, in claims and in templates of claims.
 *
 * In Kubernetes: SetDefaults_ExactDeviceRequest and SetDefaults_DeviceSubRequest,
 * pkg/apis/resource/v1.
 */
import type { JsonObject } from '../../json/json.ts';
import { forEachIn, setIfZero, withObject } from '../default-field.ts';

/** `claimSpec` is the spec of a ResourceClaim. */
export function setDeviceRequestDefaults(claimSpec: JsonObject): void {
  withObject(claimSpec, 'devices', (devices) => {
    forEachIn(devices, 'requests', (request) => {
      withObject(request, 'exactly', setRequestDefaults);
      forEachIn(request, 'firstAvailable', setRequestDefaults);
    });
  });
}

export function setTolerationDefaults(owner: JsonObject): void {
  forEachIn(owner, 'tolerations', (toleration) => {
    setIfZero(toleration, 'operator', 'Equal');
  });
}

function setRequestDefaults(request: JsonObject): void {
  setIfZero(request, 'allocationMode', 'ExactCount');
  if (request['allocationMode'] === 'ExactCount') setIfZero(request, 'count', 1);
  setTolerationDefaults(request);
}
