/**
 * Defaults of the devices that claims and templates of claims ask for.
 *
 * In Kubernetes: SetDefaults_ExactDeviceRequest and SetDefaults_DeviceSubRequest,
 * pkg/apis/resource/v1.
 */
import type {
  DeviceRequest,
  DeviceToleration,
  ExactDeviceRequest,
  DeviceSubRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from '../../../generated/kinds/resource-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';

/** Also of the tolerations of devices that have been allocated already. */
export function setResourceClaimDefaults({ spec, status }: ResourceClaim): void {
  setClaimDefaults(spec);
  forEachItem(items(status.allocation?.devices.results), setTolerationDefaults);
}

/** Those of the claims that the template makes. */
export function setResourceClaimTemplateDefaults({ spec }: ResourceClaimTemplate): void {
  setClaimDefaults(spec.spec);
}

function setClaimDefaults({ devices }: ResourceClaimSpec): void {
  forEachItem(items(devices.requests), ({ exactly, firstAvailable }: DeviceRequest) => {
    if (exactly !== undefined) setRequestDefaults(exactly);
    forEachItem(items(firstAvailable), setRequestDefaults);
  });
}

/** A request is for one device unless it says how many. */
export function setRequestDefaults(
  request: Pick<ExactDeviceRequest | DeviceSubRequest, 'allocationMode' | 'count' | 'tolerations'>,
): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
  setTolerationDefaults(request);
}

/** A toleration without an operator is of the value that it names. */
export function setTolerationDefaults(owner: { tolerations?: DeviceToleration[] }): void {
  forEachItem(items(owner.tolerations), (toleration) => {
    toleration.operator ||= 'Equal';
  });
}
