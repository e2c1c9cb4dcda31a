/**
 * ResourcePoolStatusRequests: a question for the devices of a driver that are free. A controller answers
 * in the status, which is written once.
 *
 * In Kubernetes: registry/resource/resourcepoolstatusrequest;
 * ValidateResourcePoolStatusRequestStatusUpdate, pkg/apis/resource/validation; the declared rules of
 * pkg/apis/resource/v1alpha3.
 */
import type {
  PoolStatus,
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from '../../generated/kinds/resource-v1alpha3.ts';
import { type FieldErrors, invalidValue, required, tooLong } from '../../field/field-errors.ts';
import { items } from '../../json/go-values.ts';
import { internalForm } from '../internal-struct.ts';
import { defineKind } from '../kind.ts';
import {
  declaredList,
  given,
  longName,
  longNameOfAnyCase,
  ofField,
  poolName,
  unchangeable,
  within,
} from '../rules/declared-rules.ts';
import { sameValue } from '../rules/same-value.ts';
import { validateMetaConditions } from '../rules/status-validation.ts';
import { emptyStatus, METADATA_KEPT_BY_STATUS } from '../strategy-of.ts';

const LIMIT = 100;
const POOLS_MAX = 1_000;
const CONDITIONS_MAX = 10;
const ERROR_BYTES_MAX = 256;

/** The kind ResourcePoolStatusRequest. */
export const resourcePoolStatusRequests = defineKind(
  'resource.k8s.io/v1alpha3/resourcepoolstatusrequests',
  {
    rules: {
      allowsUnconditionalUpdate: false,
      returnsDeletedObject: true,
      status: {
        initial: emptyStatus,
        keeps: METADATA_KEPT_BY_STATUS,
        validateUpdate: ({ status }, { status: old }) => [
          ...validateAnswer(status, old),
          ...validateDeclaredStatus(status, old),
        ],
      },
      prepareForCreate: (request) => {
        delete request.status;
      },
      validate: ({ spec }) => validateSpec(spec),
      validateUpdate: (request, old) => ofField(request, old, 'spec', () => unchangeable('spec')),
    },
  },
);

/** So many pools are told unless the request says how many. */
export function setResourcePoolStatusRequestDefaults({ spec }: ResourcePoolStatusRequest): void {
  spec.limit ??= LIMIT;
}

function validateSpec({ driver, poolName: pool, limit }: ResourcePoolStatusRequestSpec) {
  return [
    ...given('spec.driver', driver, longNameOfAnyCase),
    ...(pool === undefined ? [] : poolName('spec.poolName', pool)),
    ...within('spec.limit', limit, { min: 1, max: POOLS_MAX }),
  ];
}

type Status = ResourcePoolStatusRequestStatus | undefined;

function validateAnswer(status: Status, old: Status): FieldErrors {
  if (old !== undefined) {
    if (sameValue(status, old)) return [];
    const shown = internalForm('*ResourcePoolStatusRequestStatus', status);
    return [invalidValue('status', shown, 'field is immutable')];
  }
  return validateMetaConditions('status.conditions', items(status?.conditions));
}

function validateDeclaredStatus(status: Status, old: Status): FieldErrors {
  if (status === undefined) return [];
  const path = 'status';
  return [
    ...ofField(status, old, 'poolCount', (count) =>
      count === undefined
        ? [required(`${path}.poolCount`)]
        : within(`${path}.poolCount`, count, { min: 0 }),
    ),
    ...ofField(status, old, 'pools', (pools) =>
      declaredList(`${path}.pools`, items(pools), [], { itemsMax: POOLS_MAX, check: validatePool }),
    ),
    ...ofField(status, old, 'conditions', (conditions) =>
      declaredList(`${path}.conditions`, items(conditions), [], {
        itemsMax: CONDITIONS_MAX,
        keyOf: ({ type }) => type,
      }),
    ),
  ];
}

/** How many devices there are in each state. */
const COUNTS = [
  'totalDevices',
  'allocatedDevices',
  'availableDevices',
  'unavailableDevices',
] as const;

function validatePool(path: string, pool: PoolStatus): FieldErrors {
  const { driver, poolName: name, generation, nodeName, validationError: error = '' } = pool;
  return [
    ...given(`${path}.driver`, driver, longNameOfAnyCase),
    ...given(`${path}.poolName`, name, poolName),
    ...(generation === 0
      ? [required(`${path}.generation`)]
      : within(`${path}.generation`, generation, { min: 0 })),
    ...within(`${path}.resourceSliceCount`, pool.resourceSliceCount, { min: 1 }),
    ...COUNTS.flatMap((key) => within(`${path}.${key}`, pool[key], { min: 0 })),
    ...(nodeName === undefined ? [] : longName(`${path}.nodeName`, nodeName)),
    ...(Buffer.byteLength(error) > ERROR_BYTES_MAX
      ? [tooLong(`${path}.validationError`, ERROR_BYTES_MAX)]
      : []),
  ];
}
