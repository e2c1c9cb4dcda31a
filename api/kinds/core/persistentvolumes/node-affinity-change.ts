/**
 * Where a volume can be used is fixed, but for labels of nodes that have got a name of their own.
 *
 * In Kubernetes: validatePvNodeAffinity, pkg/apis/core/validation.
 */
import type { PersistentVolumeSpec } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { isMissing } from '../../rules/value-validation.ts';

const NEW_NAME_OF: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

export function validateNodeAffinityChange(
  spec: PersistentVolumeSpec,
  oldSpec: PersistentVolumeSpec,
): FieldErrors {
  const { nodeAffinity } = spec;
  const old = oldSpec.nodeAffinity;
  if (isMissing(old) || sameValue(nodeAffinity, renamed(old, nodeAffinity))) return [];
  const detail = 'field is immutable, except for updating from beta label to GA';
  return [invalidValue('nodeAffinity', internalForm('*VolumeNodeAffinity', nodeAffinity), detail)];
}

/** The old value with those keys renamed that are renamed in the new one. */
function renamed(old: JsonValue | undefined, value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(old)) {
    const items = Array.isArray(value) ? value : [];
    return old.map((item, index) => renamed(item, items[index]) ?? null);
  }
  if (!isJsonObject(old)) return old;
  const other = isJsonObject(value) ? value : {};
  const entries = Object.entries(old).map(([key, item]) => [key, renamed(item, other[key])]);
  const copy = Object.fromEntries(entries) as JsonObject; // Made from the entries of one.
  const name = NEW_NAME_OF[stringAt(old, 'key')];
  if (name !== undefined && other['key'] === name) copy['key'] = name;
  return copy;
}
