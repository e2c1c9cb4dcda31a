/**
 * What quotas call extended resources: devices and the like, which are counted by what is requested.
 *
 * In Kubernetes: isExtendedResourceNameForQuota, pkg/quota/v1/evaluator/core/pods.go, and
 * IsDRAExtendedResourceName, pkg/scheduler/util.
 */
import { isQualifiedName } from '../meta/names.ts';

export const REQUESTS = 'requests.';
/** Behind it stands the name of a DeviceClass, whatever else the class is called. */
export const DEVICE_CLASS = 'deviceclass.resource.kubernetes.io/';

/** Whether a quota that says how much there may be of this speaks of an extended resource. */
export function isExtendedInQuota(name: string): boolean {
  if (!name.startsWith(REQUESTS)) return false;
  return !isNative(name) || name.startsWith(REQUESTS + DEVICE_CLASS);
}

/** Whether what a container requests is an extended resource. */
export function isExtended(name: string): boolean {
  if (name.startsWith(DEVICE_CLASS)) return true;
  return !isNative(name) && !name.startsWith(REQUESTS) && isQualifiedName(REQUESTS + name);
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}
