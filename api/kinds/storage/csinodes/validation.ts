/** The drivers of a node. In Kubernetes: ValidateCSINode, pkg/apis/storage/validation. */
import { items } from '../../../json/go-values.ts';
import type { CSINode, CSINodeDriver } from '../../../generated/kinds/storage-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  immutable,
  invalidFor,
  isMissing,
  nonNegative,
  repeatsIn,
} from '../../rules/value-validation.ts';
import { validateDriverName } from '../../rules/text-validation.ts';

const FIELD = 'spec.drivers';
const NODE_ID_BYTES_MAX = 256;

/** ValidateCSINode: each driver once, with the id that it gave the node. */
export function validateNodeDrivers(node: CSINode): FieldErrors {
  const names = new Set<string>();
  return items(node.spec.drivers).flatMap((driver, index) => {
    const field = indexPath(FIELD, index);
    const name = driver.name;
    const isSecond = names.has(name);
    names.add(name);
    return [
      ...validateDriverName(`${field}.name`, name),
      ...validateNodeId(`${field}.nodeID`, driver.nodeID),
      ...nonNegative(`${field}.allocatable.count`, driver.allocatable?.count),
      ...(isSecond ? [duplicateValue(`${field}.name`, name)] : []),
      ...validateTopologyKeys(field, items(driver.topologyKeys)),
    ];
  });
}

/** A driver that stays on the node stays as it is, but for how much can be attached. */
export function validateNodeDriversChange(node: CSINode, old: CSINode): FieldErrors {
  const drivers = new Map(items(node.spec.drivers).map((driver) => [driver.name, driver]));
  return items(old.spec.drivers).flatMap((oldDriver) => {
    const driver = drivers.get(oldDriver.name);
    return driver === undefined
      ? []
      : immutable(FIELD, withoutLimit(driver), withoutLimit(oldDriver));
  });
}

/** As Go prints its internal form. */
function withoutLimit(driver: CSINodeDriver): JsonObject {
  const keys = driver.topologyKeys;
  return {
    Name: driver.name,
    NodeID: driver.nodeID,
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
