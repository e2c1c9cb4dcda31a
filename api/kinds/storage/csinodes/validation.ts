/** The drivers of a node. In Kubernetes: ValidateCSINode, pkg/apis/storage/validation. */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  duplicateValue,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { repeatsIn } from '../../rules/repeats.ts';
import { validateDriverName } from '../../rules/text-validation.ts';
import {
  immutable,
  invalidFor,
  isMissing,
  nonNegative,
  objectsAt,
  specOf,
  stringsAt,
} from '../../rules/value-validation.ts';

const FIELD = 'spec.drivers';
const NODE_ID_BYTES_MAX = 256;

export function validateNodeDrivers(node: KubeObject): FieldErrors {
  const names = new Set<string>();
  return objectsAt(specOf(node), 'drivers').flatMap((driver, index) => {
    const field = indexPath(FIELD, index);
    const name = stringAt(driver, 'name');
    const isSecond = names.has(name);
    names.add(name);
    return [
      ...validateDriverName(`${field}.name`, name),
      ...validateNodeId(`${field}.nodeID`, stringAt(driver, 'nodeID')),
      ...nonNegative(`${field}.allocatable.count`, objectAt(driver, 'allocatable')?.['count']),
      ...(isSecond ? [duplicateValue(`${field}.name`, name)] : []),
      ...validateTopologyKeys(field, stringsAt(driver, 'topologyKeys')),
    ];
  });
}

/** A driver that stays on the node stays as it is, but for how much can be attached. */
export function validateNodeDriversChange(node: KubeObject, old: KubeObject): FieldErrors {
  const drivers = new Map(
    objectsAt(specOf(node), 'drivers').map((driver) => [stringAt(driver, 'name'), driver]),
  );
  return objectsAt(specOf(old), 'drivers').flatMap((oldDriver) => {
    const driver = drivers.get(stringAt(oldDriver, 'name'));
    return driver === undefined
      ? []
      : immutable(FIELD, withoutLimit(driver), withoutLimit(oldDriver));
  });
}

/** As Go prints its internal form. */
function withoutLimit(driver: JsonObject): JsonObject {
  const keys = driver['topologyKeys'];
  return {
    Name: stringAt(driver, 'name'),
    NodeID: stringAt(driver, 'nodeID'),
    TopologyKeys: isMissing(keys) ? null : (keys ?? null),
    Allocatable: null,
  };
}

function validateNodeId(field: string, id: string): FieldErrors {
  if (id === '') return [required(field)];
  if (Buffer.byteLength(id) <= NODE_ID_BYTES_MAX) return [];
  return [invalidValue(field, id, `must be ${String(NODE_ID_BYTES_MAX)} characters or less`)];
}

/** Upstream says of the driver what is wrong with its keys. */
function validateTopologyKeys(field: string, keys: readonly string[]): FieldErrors {
  const repeats = repeatsIn(keys);
  return keys.flatMap((key, index) => [
    ...(key === '' ? [required(field)] : []),
    ...(repeats[index] === true ? [duplicateValue(field, key)] : []),
    ...invalidFor(field, key, qualifiedNameProblems(key)),
  ]);
}
