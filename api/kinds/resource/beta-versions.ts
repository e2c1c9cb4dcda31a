/**
 * Claims, templates of claims and slices of `resource.k8s.io/v1beta1`, which says in one place what the
 * stored version says in two: a request of devices beside its alternatives, and a device in `basic`.
 * Their defaults too.
 *
 * In Kubernetes: pkg/apis/resource/v1beta1/conversion.go and defaults.go.
 */
import type * as beta from '../../generated/kinds/resource-v1beta1.ts';
import type * as stored from '../../generated/kinds/resource-v1.ts';
import { items } from '../../json/go-values.ts';
import { forEachItem, mapItems } from '../../json/work-in-slices.ts';
import { conversionOf } from '../kind.ts';
import { setRequestDefaults, setTolerationDefaults } from './resourceclaims/defaults.ts';
import { setMappingDefaults } from './resourceslices/defaults.ts';

const [SHOWN, STORED] = ['resource.k8s.io/v1beta1', 'resource.k8s.io/v1'];

/** Claims of `v1beta1` as they are stored. */
export const betaClaims = conversionOf<beta.ResourceClaim, stored.ResourceClaim>({
  toStorage: (claim) => ({ ...claim, apiVersion: STORED, spec: toStoredClaim(claim.spec) }),
  fromStorage: (claim) => ({ ...claim, apiVersion: SHOWN, spec: toShownClaim(claim.spec) }),
});

/** Templates of claims of `v1beta1` as they are stored. */
export const betaTemplates = conversionOf<beta.ResourceClaimTemplate, stored.ResourceClaimTemplate>(
  {
    toStorage: ({ spec, ...template }) => ({
      ...template,
      ...{ apiVersion: STORED, spec: { ...spec, spec: toStoredClaim(spec.spec) } },
    }),
    fromStorage: ({ spec, ...template }) => ({
      ...template,
      ...{ apiVersion: SHOWN, spec: { ...spec, spec: toShownClaim(spec.spec) } },
    }),
  },
);

/** Slices of `v1beta1` as they are stored. */
export const betaSlices = conversionOf<beta.ResourceSlice, stored.ResourceSlice>({
  toStorage: (slice) => ({ ...slice, apiVersion: STORED, spec: toStoredSlice(slice.spec) }),
  fromStorage: (slice) => ({ ...slice, apiVersion: SHOWN, spec: toShownSlice(slice.spec) }),
});

function toStoredClaim(spec: beta.ResourceClaimSpec): stored.ResourceClaimSpec {
  const { requests } = spec.devices;
  return {
    ...spec,
    devices: { ...spec.devices, requests: requests && mapItems(requests, toStoredRequest) },
  };
}

function toShownClaim(spec: stored.ResourceClaimSpec): beta.ResourceClaimSpec {
  const { requests } = spec.devices;
  return {
    ...spec,
    devices: { ...spec.devices, requests: requests && mapItems(requests, toShownRequest) },
  };
}

function toStoredRequest(request: beta.DeviceRequest): stored.DeviceRequest {
  const { name, firstAvailable, ...exactly } = request;
  const { deviceClassName, allocationMode = '', count = 0, ...others } = exactly;
  const isSaid =
    [deviceClassName, allocationMode].some((text) => text !== '') ||
    count !== 0 ||
    Object.keys(others).length > 0;
  return { name, ...(isSaid && { exactly }), ...(firstAvailable && { firstAvailable }) };
}

function toShownRequest(request: stored.DeviceRequest): beta.DeviceRequest {
  const { name, exactly, firstAvailable } = request;
  const { deviceClassName = '', tolerations, capacity, ...others } = exactly ?? {};
  return {
    ...{ name, deviceClassName },
    ...others,
    ...(firstAvailable && { firstAvailable }),
    ...(tolerations && { tolerations }),
    ...(capacity && { capacity }),
  };
}

/** A name that is empty and nodes that are not all of them are none to the stored version. */
function toStoredSlice({ devices, ...spec }: beta.ResourceSliceSpec): stored.ResourceSliceSpec {
  return inOrder(
    spec,
    devices &&
      mapItems(devices, ({ name, basic }) => ({ name, ...(basic && withoutEmpty(basic)) })),
  );
}

function toShownSlice({ devices, ...spec }: stored.ResourceSliceSpec): beta.ResourceSliceSpec {
  return inOrder(
    spec,
    devices && mapItems(devices, ({ name, ...basic }) => ({ name, basic: withoutEmpty(basic) })),
  );
}

type WithoutDevices = Omit<stored.ResourceSliceSpec, 'devices'>;

/** Fields are written in Go's order, in which two stand behind the devices. */
function inOrder<Device>(spec: WithoutDevices, devices: Device[] | undefined) {
  const { perDeviceNodeSelection, sharedCounters, nodeName = '', allNodes = false } = spec;
  return {
    ...{ driver: spec.driver, pool: spec.pool },
    ...(nodeName !== '' && { nodeName }),
    ...(spec.nodeSelector && { nodeSelector: spec.nodeSelector }),
    ...(allNodes && { allNodes }),
    ...(devices && { devices }),
    ...(perDeviceNodeSelection !== undefined && { perDeviceNodeSelection }),
    ...(sharedCounters && { sharedCounters }),
  };
}

/** Maps of a device that have no entries do not stay. */
function withoutEmpty<Device extends Pick<beta.BasicDevice, 'attributes' | 'capacity'>>(
  device: Device,
): Device {
  const kept = { ...device };
  if (Object.keys(kept.attributes ?? {}).length === 0) delete kept.attributes;
  if (Object.keys(kept.capacity ?? {}).length === 0) delete kept.capacity;
  return kept;
}

/** Defaults of `v1beta1`: a request without a class of its own has alternatives, and needs none. */
export function setBetaClaimDefaults({ spec, status }: beta.ResourceClaim): void {
  setClaimDefaults(spec);
  forEachItem(items(status.allocation?.devices.results), setTolerationDefaults);
}

/** Those of the claims that a template of `v1beta1` makes. */
export function setBetaTemplateDefaults({ spec }: beta.ResourceClaimTemplate): void {
  setClaimDefaults(spec.spec);
}

/** Those of the devices of a slice of `v1beta1`. */
export function setBetaSliceDefaults({ spec }: beta.ResourceSlice): void {
  forEachItem(items(spec.devices), ({ basic }) => {
    if (basic !== undefined) setMappingDefaults(basic);
  });
}

function setClaimDefaults({ devices }: beta.ResourceClaimSpec): void {
  forEachItem(items(devices.requests), (request) => {
    if (request.deviceClassName === '') setTolerationDefaults(request);
    else setRequestDefaults(request);
    forEachItem(items(request.firstAvailable), setRequestDefaults);
  });
}
