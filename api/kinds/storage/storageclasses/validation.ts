/**
 * What a storage class may say; nothing but its expandability may change. Labels of nodes that have other
 * names today are warned of.
 *
 * In Kubernetes: ValidateStorageClass, pkg/apis/storage/validation; GetWarningsForStorageClass.
 */
import type { TopologySelectorTerm } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import type { StorageClass } from '../../../generated/kinds/storage-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import {
  duplicateValue,
  type FieldErrors,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  immutable,
  immutableMap,
  invalidFor,
  isMissing,
  repeatsIn,
} from '../../rules/value-validation.ts';
import { validateParameters, validateProvisioner } from '../validation.ts';
import { deprecationOfNodeLabel } from '../../rules/deprecated-node-labels.ts';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

/** ValidateStorageClass: provisioner, parameters, policies and topologies. */
export function validateStorageClass(storageClass: StorageClass): FieldErrors {
  const policy = storageClass.reclaimPolicy ?? '';
  const mode = storageClass.volumeBindingMode ?? '';
  return [
    ...validateProvisioner('provisioner', storageClass.provisioner),
    ...validateParameters(storageClass, true),
    ...(policy === '' || RECLAIM_POLICIES.includes(policy)
      ? []
      : [notSupported('reclaimPolicy', policy, RECLAIM_POLICIES)]),
    ...(isMissing(storageClass.volumeBindingMode)
      ? [required('volumeBindingMode')]
      : BINDING_MODES.includes(mode)
        ? []
        : [notSupported('volumeBindingMode', mode, BINDING_MODES)]),
    ...validateTopologies(items(storageClass.allowedTopologies)),
  ];
}

/** ValidateStorageClassUpdate: what decides about volumes cannot change. */
export function validateStorageClassChange(object: StorageClass, old: StorageClass): FieldErrors {
  return [
    ...immutableMap('parameters', object.parameters, old.parameters),
    ...immutable('provisioner', object.provisioner, old.provisioner),
    ...immutable('reclaimPolicy', object.reclaimPolicy, old.reclaimPolicy),
    ...immutable('volumeBindingMode', object.volumeBindingMode, old.volumeBindingMode),
  ];
}

/** Upstream compares each term with an empty one too, so an empty term is always a duplicate. */
function validateTopologies(terms: readonly TopologySelectorTerm[]): FieldErrors {
  const seen = new Set(['{}']);
  return terms.flatMap((term, index) => {
    const field = `${indexPath('allowedTopologies', index)}.matchLabelExpressions`;
    const meaning = meaningOf(term);
    const errors = [
      ...validateTerm(field, term),
      ...(seen.has(meaning) ? [duplicateValue(field, '')] : []),
    ];
    seen.add(meaning);
    return errors;
  });
}

function validateTerm(field: string, term: TopologySelectorTerm): FieldErrors {
  const keys = new Set<string>();
  return items(term.matchLabelExpressions).flatMap((requirement, index) => {
    const path = indexPath(field, index);
    const key = requirement.key;
    const values = items(requirement.values);
    const repeats = repeatsIn(values);
    const isSecond = keys.has(key);
    keys.add(key);
    return [
      ...(values.length === 0 ? [required(`${path}.values`)] : []),
      ...values.flatMap((value, at) =>
        repeats[at] === true ? [duplicateValue(indexPath(`${path}.values`, at), value)] : [],
      ),
      ...invalidFor(`${path}.key`, key, qualifiedNameProblems(key)),
      ...(isSecond ? [duplicateValue(`${path}.key`, key)] : []),
    ];
  });
}

/** The same text for terms that select the same, whatever the order of their parts. */
function meaningOf(term: TopologySelectorTerm): string {
  const values = new Map<string, string[]>();
  for (const requirement of items(term.matchLabelExpressions)) {
    const unique = [...new Set(items(requirement.values))].sort();
    values.set(requirement.key, unique);
  }
  const entries = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? '{}' : JSON.stringify(entries);
}

/** GetWarningsForStorageClass: topology labels that are deprecated. */
export function storageClassWarnings(storageClass: StorageClass): readonly string[] {
  return items(storageClass.allowedTopologies).flatMap((term, index) =>
    items(term.matchLabelExpressions).flatMap((requirement, at) => {
      const deprecation = deprecationOfNodeLabel(requirement.key);
      const field = `${indexPath('allowedTopologies', index)}.matchLabelExpressions`;
      return deprecation === undefined ? [] : [`${indexPath(field, at)}.key: ${deprecation}`];
    }),
  );
}
