/**
 * What became of a claim: the devices that it was given, the pods that it is reserved for, and how
 * the devices are. An allocation stays as it is until it is given back.
 *
 * In Kubernetes: validateResourceClaimStatusUpdate, pkg/apis/resource/validation;
 * dropDeallocatedStatusDevices, registry/resource/resourceclaim.
 */
import { items } from '../../../json/go-values.ts';
import type {
  AllocatedDeviceStatus,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimStatus,
  DeviceRequestAllocationResult,
} from '../../../generated/kinds/resource-v1.ts';
import { formatJson } from '../../../json/json-text.ts';
import type { JsonObject } from '../../../json/json.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../../field/field-errors.ts';
import { validateMetaConditions } from '../../rules/status-validation.ts';
import { validateInterfaceAddress } from '../../rules/ip-validation.ts';
import { validateNodeSelector } from '../../pod-spec/placement/node-selector-validation.ts';
import { validateDriverName } from '../../rules/text-validation.ts';
import {
  CONFIG_MAX,
  type RequestNames,
  requestNamesOf,
  REQUESTS_MAX,
  validateRequestName,
  validateRequestNames,
} from './validation.ts';
import { immutableStruct } from '../immutable-struct.ts';
import { validateList, validateSet } from '../list-validation.ts';
import { validateLabelName, validatePoolName, validateShareId } from '../name-validation.ts';
import { validateRaw, validateSettings } from '../selector-validation.ts';
import { validateBindingConditions } from '../taint-validation.ts';

const RESERVED_MAX = 256;
const CONDITIONS_MAX = 8;
const DATA_BYTES_MAX = 10 * 1024;
const INTERFACE_BYTES_MAX = 256;
const HARDWARE_BYTES_MAX = 128;
const IPS_MAX = 16;
const SOURCES = ['FromClaim', 'FromClass'];
const ALLOCATION = 'status.allocation';

/** Of a write of the status alone; the spec is as it was. */
export function validateClaimStatus(claim: ResourceClaim, old: ResourceClaim): FieldErrors {
  const { status } = claim;
  const allocated = new Set(allocatedTo(claim));
  return [
    ...validateSet('status.reservedFor', items(status.reservedFor), {
      itemsMax: RESERVED_MAX,
      keyOf: (consumer) => consumer.uid,
      check: (path, consumer) =>
        (['resource', 'name', 'uid'] as const).flatMap((key) =>
          consumer[key] === '' ? [required(`${path}.${key}`)] : [],
        ),
    }),
    ...validateSet('status.devices', items(status.devices), {
      itemsMax: Number.POSITIVE_INFINITY,
      keyOf: deviceIdOf,
      shownKeyOf: shownDevice,
      check: (path, device) => validateDeviceStatus(path, device, allocated),
    }),
    ...validateReservations(claim, old),
    ...validateAllocation(claim, old.status),
  ];
}

function validateReservations(claim: ResourceClaim, old: ResourceClaim): FieldErrors {
  const field = 'status.reservedFor';
  const { status } = claim;
  const reserved = items(status.reservedFor);
  if (reserved.length === 0) return [];
  if (status.allocation === undefined) {
    return [forbiddenField(field, 'may not be specified when `allocated` is not set')];
  }
  if (claim.metadata.deletionTimestamp === undefined) return [];
  const known = new Set(items(old.status.reservedFor).map(consumerKey));
  const detail =
    'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return reserved.every((consumer) => known.has(consumerKey(consumer)))
    ? []
    : [forbiddenField(field, detail)];
}

function consumerKey(consumer: ResourceClaimConsumerReference): string {
  const { apiGroup = '', resource, name, uid } = consumer;
  return formatJson([apiGroup, resource, name, uid]);
}

function validateAllocation(claim: ResourceClaim, oldStatus: ResourceClaimStatus): FieldErrors {
  const allocation = claim.status.allocation;
  const old = oldStatus.allocation;
  if (allocation === undefined) return [];
  if (old !== undefined) return immutableStruct(ALLOCATION, allocation, old, 'AllocationResult');
  const names = requestNamesOf(claim.spec.devices);
  const { devices, nodeSelector: selector } = allocation;
  return [
    ...validateList(
      `${ALLOCATION}.devices.results`,
      items(devices.results),
      REQUESTS_MAX,
      (path, result) => validateResult(path, result, names),
    ),
    ...validateList(
      `${ALLOCATION}.devices.config`,
      items(devices.config),
      2 * CONFIG_MAX,
      (path, config) => [
        ...validateSource(`${path}.source`, config.source),
        ...validateRequestNames(`${path}.requests`, config.requests, names),
        ...validateSettings(path, config),
      ],
    ),
    ...(selector === undefined ? [] : validateNodeSelector(`${ALLOCATION}.nodeSelector`, selector)),
  ];
}

function validateSource(field: string, source: string): FieldErrors {
  if (source === '') return [required(field)];
  return SOURCES.includes(source) ? [] : [notSupported(field, source, SOURCES)];
}

function validateResult(
  field: string,
  result: DeviceRequestAllocationResult,
  names: RequestNames,
): FieldErrors {
  return [
    ...validateRequestName(`${field}.request`, result.request, names),
    ...validateDevice(field, result),
    ...validateBindingConditions(field, result),
    ...validateShare(field, result),
  ];
}

function validateDevice(field: string, device: DeviceId): FieldErrors {
  return [
    ...validateDriverName(`${field}.driver`, device.driver),
    ...validatePoolName(`${field}.pool`, device.pool),
    ...validateLabelName(`${field}.device`, device.device),
  ];
}

function validateShare(field: string, { shareID }: DeviceId): FieldErrors {
  return shareID === undefined ? [] : validateShareId(`${field}.shareID`, shareID);
}

function validateDeviceStatus(
  field: string,
  device: AllocatedDeviceStatus,
  allocated: ReadonlySet<string>,
): FieldErrors {
  const id = deviceIdOf(device);
  const conditions = items(device.conditions);
  const path = `${field}.conditions`;
  return [
    ...validateDevice(field, device),
    ...validateShare(field, device),
    ...(allocated.has(id)
      ? []
      : [invalidValue(field, shownDevice(device), 'must be an allocated device in the claim')]),
    ...(conditions.length > CONDITIONS_MAX
      ? [tooMany(path, conditions.length, CONDITIONS_MAX)]
      : []),
    ...validateMetaConditions(path, conditions),
    ...(device.data === undefined ? [] : validateRaw(`${field}.data`, device.data, DATA_BYTES_MAX)),
    ...validateNetwork(`${field}.networkData`, device.networkData),
  ];
}

/** As Go prints it. */
function shownDevice(device: AllocatedDeviceStatus): JsonObject {
  return {
    Driver: device.driver,
    Pool: device.pool,
    Device: device.device,
    ShareID: device.shareID ?? '',
  };
}

function validateNetwork(field: string, network: NetworkDeviceData | undefined): FieldErrors {
  const longer = (key: 'interfaceName' | 'hardwareAddress', bytesMax: number): FieldErrors =>
    Buffer.byteLength(network?.[key] ?? '') > bytesMax
      ? [tooLong(`${field}.${key}`, bytesMax)]
      : [];
  return [
    ...longer('interfaceName', INTERFACE_BYTES_MAX),
    ...longer('hardwareAddress', HARDWARE_BYTES_MAX),
    ...validateSet(`${field}.ips`, items(network?.ips), {
      itemsMax: IPS_MAX,
      keyOf: (ip) => ip,
      check: validateInterfaceAddress,
    }),
  ];
}

type DeviceId = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/** `driver/pool/device`, or `driver/pool/device/share`. */
function deviceIdOf({ driver, pool, device, shareID = '' }: DeviceId): string {
  const id = `${driver}/${pool}/${device}`;
  return shareID === '' ? id : `${id}/${shareID}`;
}

/** The status of a device goes when the claim no longer has the device. */
export function forgetReturnedDevices(claim: ResourceClaim, old: ResourceClaim): void {
  const { devices, ...status } = claim.status;
  if (devices === undefined) return;
  const returned = new Set(allocatedTo(old));
  for (const id of allocatedTo(claim)) returned.delete(id);
  const kept = devices.filter((one) => !returned.has(deviceIdOf(one)));
  claim.status = kept.length > 0 ? { ...status, devices: kept } : status;
}

function allocatedTo({ status }: ResourceClaim): string[] {
  return items(status.allocation?.devices.results).map(deviceIdOf);
}
