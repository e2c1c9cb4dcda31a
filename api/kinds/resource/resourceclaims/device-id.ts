/** Which device it is, and which share of it: `driver/pool/device` or `driver/pool/device/share`. */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { objectsAt, statusOf } from '../../rules/value-validation.ts';
import { devicesOf } from '../claim-validation.ts';

export function deviceIdOf(device: JsonObject): string {
  const share = stringAt(device, 'shareID');
  const id = ['driver', 'pool', 'device'].map((key) => stringAt(device, key)).join('/');
  return share === '' ? id : `${id}/${share}`;
}

/**
 * How a device is, is forgotten when the claim no longer has it.
 *
 * In Kubernetes: dropDeallocatedStatusDevices, registry/resource/resourceclaim.
 */
export function forgetReturnedDevices(claim: KubeObject, old: KubeObject): void {
  const status = { ...statusOf(claim) };
  if (!Array.isArray(status['devices'])) return;
  const returned = new Set(allocatedTo(old));
  for (const id of allocatedTo(claim)) returned.delete(id);
  const devices = objectsAt(status, 'devices').filter((one) => !returned.has(deviceIdOf(one)));
  if (devices.length > 0) status['devices'] = devices;
  else Reflect.deleteProperty(status, 'devices');
  claim['status'] = status;
}

function allocatedTo(claim: KubeObject): string[] {
  const allocation = objectAt(statusOf(claim), 'allocation');
  return objectsAt(devicesOf(allocation), 'results').map(deviceIdOf);
}
