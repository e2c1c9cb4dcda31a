/**
 * What became of a claim: the devices that it was given, who uses them, and how they are. What was
 * allocated once stays as it is until it is given back.
 *
 * In Kubernetes: validateResourceClaimStatusUpdate, pkg/apis/resource/validation.
 */
import { formatJson } from '../../../json/json-text.ts';
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { validateMetaConditions } from '../../rules/condition-validation.ts';
import { validateInterfaceAddress } from '../../rules/ip-validation.ts';
import { validateNodeSelector } from '../../pod-spec/placement/node-selector-validation.ts';
import { validateDriverName } from '../../rules/text-validation.ts';
import { isMissing, objectsAt, specOf, statusOf, stringsAt } from '../../rules/value-validation.ts';
import {
  CONFIG_MAX,
  REQUESTS_MAX,
  devicesOf,
  requestNamesOf,
  validateRequestName,
  validateRequestNames,
  type RequestNames,
} from '../claim-validation.ts';
import { immutableStruct } from '../immutable-struct.ts';
import { validateList, validateSet } from '../list-validation.ts';
import { validateLabelName, validatePoolName, validateShareId } from '../name-validation.ts';
import { validateRaw, validateSettings } from '../selector-validation.ts';
import { validateBindingConditions } from '../taint-validation.ts';
import { deviceIdOf } from './device-id.ts';

const RESERVED_MAX = 256;
const CONDITIONS_MAX = 8;
const DATA_BYTES_MAX = 10 * 1024;
const INTERFACE_BYTES_MAX = 256;
const HARDWARE_BYTES_MAX = 128;
const IPS_MAX = 16;
const SOURCES = ['FromClaim', 'FromClass'];
const ALLOCATION = 'status.allocation';

export function validateClaimStatus(claim: KubeObject, old: KubeObject): FieldErrors {
  const status = statusOf(claim);
  const results = objectsAt(devicesOf(objectAt(status, 'allocation')), 'results');
  const allocated = new Set(results.map(deviceIdOf));
  return [
    ...validateSet('status.reservedFor', objectsAt(status, 'reservedFor'), {
      itemsMax: RESERVED_MAX,
      keyOf: (consumer) => stringAt(consumer, 'uid'),
      check: (path, consumer) =>
        ['resource', 'name', 'uid'].flatMap((key) =>
          stringAt(consumer, key) === '' ? [required(`${path}.${key}`)] : [],
        ),
    }),
    ...validateSet('status.devices', objectsAt(status, 'devices'), {
      itemsMax: Number.POSITIVE_INFINITY,
      keyOf: deviceIdOf,
      shownKeyOf: shownDevice,
      check: (path, device) => validateDeviceStatus(path, device, allocated),
    }),
    ...validateReservations(claim, old),
    ...validateAllocation(claim, statusOf(old)),
  ];
}

function validateReservations(claim: KubeObject, old: KubeObject): FieldErrors {
  const field = 'status.reservedFor';
  const status = statusOf(claim);
  const reserved = objectsAt(status, 'reservedFor');
  if (reserved.length === 0) return [];
  if (!isJsonObject(status['allocation'])) {
    return [forbiddenField(field, 'may not be specified when `allocated` is not set')];
  }
  if (claim.metadata.deletionTimestamp === undefined) return [];
  const known = new Set(objectsAt(statusOf(old), 'reservedFor').map(consumerKey));
  const detail =
    'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return reserved.every((consumer) => known.has(consumerKey(consumer)))
    ? []
    : [forbiddenField(field, detail)];
}

function consumerKey(consumer: JsonObject): string {
  return formatJson(['apiGroup', 'resource', 'name', 'uid'].map((key) => stringAt(consumer, key)));
}

function validateAllocation(claim: KubeObject, oldStatus: JsonObject): FieldErrors {
  const allocation = objectAt(statusOf(claim), 'allocation');
  const old = objectAt(oldStatus, 'allocation');
  if (allocation === undefined) return [];
  if (old !== undefined) return immutableStruct(ALLOCATION, allocation, old, 'AllocationResult');
  const names = requestNamesOf(devicesOf(specOf(claim)));
  const devices = devicesOf(allocation);
  const selector = objectAt(allocation, 'nodeSelector');
  return [
    ...validateList(
      `${ALLOCATION}.devices.results`,
      objectsAt(devices, 'results'),
      REQUESTS_MAX,
      (path, result) => validateResult(path, result, names),
    ),
    ...validateList(
      `${ALLOCATION}.devices.config`,
      objectsAt(devices, 'config'),
      2 * CONFIG_MAX,
      (path, config) => [
        ...validateSource(`${path}.source`, stringAt(config, 'source')),
        ...validateRequestNames(`${path}.requests`, config, names),
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

function validateResult(field: string, result: JsonObject, names: RequestNames): FieldErrors {
  return [
    ...validateRequestName(`${field}.request`, stringAt(result, 'request'), names),
    ...validateDevice(field, result),
    ...validateBindingConditions(field, result),
    ...validateShare(field, result),
  ];
}

function validateDevice(field: string, device: JsonObject): FieldErrors {
  return [
    ...validateDriverName(`${field}.driver`, stringAt(device, 'driver')),
    ...validatePoolName(`${field}.pool`, stringAt(device, 'pool')),
    ...validateLabelName(`${field}.device`, stringAt(device, 'device')),
  ];
}

function validateShare(field: string, device: JsonObject): FieldErrors {
  if (isMissing(device['shareID'])) return [];
  return validateShareId(`${field}.shareID`, stringAt(device, 'shareID'));
}

function validateDeviceStatus(
  field: string,
  device: JsonObject,
  allocated: ReadonlySet<string>,
): FieldErrors {
  const id = deviceIdOf(device);
  const conditions = objectsAt(device, 'conditions');
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
    ...(device['data'] === undefined
      ? []
      : validateRaw(`${field}.data`, device['data'], DATA_BYTES_MAX)),
    ...validateNetwork(`${field}.networkData`, objectAt(device, 'networkData')),
  ];
}

/** As Go prints it. */
function shownDevice(device: JsonObject): JsonObject {
  return {
    Driver: stringAt(device, 'driver'),
    Pool: stringAt(device, 'pool'),
    Device: stringAt(device, 'device'),
    ShareID: stringAt(device, 'shareID'),
  };
}

function validateNetwork(field: string, network: JsonObject | undefined): FieldErrors {
  const longer = (key: string, bytesMax: number): FieldErrors =>
    Buffer.byteLength(stringAt(network, key)) > bytesMax
      ? [tooLong(`${field}.${key}`, bytesMax)]
      : [];
  return [
    ...longer('interfaceName', INTERFACE_BYTES_MAX),
    ...longer('hardwareAddress', HARDWARE_BYTES_MAX),
    ...validateSet(`${field}.ips`, stringsAt(network, 'ips'), {
      itemsMax: IPS_MAX,
      keyOf: (ip) => ip,
      check: validateInterfaceAddress,
    }),
  ];
}
