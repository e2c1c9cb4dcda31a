/**
 * The spec of a claim, wherever it stands, and access modes, which volumes offer and claims ask
 * for.
 *
 * In Kubernetes: ValidatePersistentVolumeClaimSpec and ValidatePersistentVolumeSpec,
 * pkg/apis/core/validation.
 */
import { items } from '../../json/go-values.ts';
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '../../generated/kinds/core-v1.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../meta/names.ts';
import { validateLabelSelector } from './label-selector-validation.ts';
import { quantityAt } from './resource-names.ts';
import { invalidFor, isMissing } from './value-validation.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** That there are any is asked elsewhere. `field` is that of the list. */
export function validateAccessModes(field: string, spec: PersistentVolumeSpec): FieldErrors {
  const modes = items(spec.accessModes);
  const isExclusive = modes.includes('ReadWriteOncePod');
  const isShared = modes.some((mode) => ACCESS_MODES.includes(mode) && mode !== 'ReadWriteOncePod');
  return [
    ...modes
      .filter((mode) => !ACCESS_MODES.includes(mode))
      .map((mode) => notSupported(field, mode, ACCESS_MODES)),
    ...(isExclusive && isShared
      ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}

const VOLUME_MODES = ['Block', 'Filesystem'];

/** `old` is the claim spec before; groups of its data sources are not looked at again. */
export function validateClaimSpec(
  field: string,
  spec: PersistentVolumeClaimSpec,
  old?: PersistentVolumeClaimSpec,
): FieldErrors {
  const mode = spec.volumeMode;
  return [
    ...(isMissing(spec.accessModes)
      ? [required(`${field}.accessModes`, 'at least 1 access mode is required')]
      : []),
    ...validateLabelSelector(`${field}.selector`, spec.selector),
    ...validateAccessModes(`${field}.accessModes`, spec),
    ...validateStorage(`${field}.resources[storage]`, spec),
    ...validateClass(`${field}.storageClassName`, spec.storageClassName ?? ''),
    ...(isMissing(mode) || VOLUME_MODES.includes(spec.volumeMode ?? '')
      ? []
      : [notSupported(`${field}.volumeMode`, mode, VOLUME_MODES)]),
    ...validateSources(field, spec, old),
    ...validateClass(`${field}.volumeAttributesClassName`, spec.volumeAttributesClassName ?? ''),
  ];
}

function validateStorage(field: string, spec: PersistentVolumeClaimSpec): FieldErrors {
  const storage = spec.resources.requests?.['storage'];
  if (isMissing(storage)) return [required(field)];
  const { unscaled, text } = quantityAt(storage);
  return unscaled > 0n ? [] : [invalidValue(field, text, 'must be greater than zero')];
}

function validateClass(field: string, name: string): FieldErrors {
  return name === '' ? [] : invalidFor(field, name, dns1123SubdomainProblems(name));
}

function validateSources(
  field: string,
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
): FieldErrors {
  const { dataSource, dataSourceRef } = spec;
  const allowsGroup = hasGroup(old?.dataSource) || hasGroup(old?.dataSourceRef);
  const errors = (['dataSource', 'dataSourceRef'] as const).flatMap((key) => {
    const source = spec[key];
    return isJsonObject(source) ? validateSource(`${field}.${key}`, source, allowsGroup) : [];
  });
  if (!isJsonObject(dataSource) || !isJsonObject(dataSourceRef)) return errors;
  const isElsewhere = (dataSourceRef.namespace ?? '') !== '';
  const isSame = (['apiGroup', 'kind', 'name'] as const).every(
    (key) => (dataSource[key] ?? null) === (dataSourceRef[key] ?? null),
  );
  if (isSame && !isElsewhere) return errors;
  const detail = isElsewhere
    ? 'may not be specified when dataSourceRef.namespace is specified'
    : 'must match dataSourceRef';
  // Upstream shows the path in the place of the value, and a path has nothing to show.
  return [...errors, invalidValue(field, {}, detail)];
}

function hasGroup(source: JsonObject[string]): boolean {
  return isJsonObject(source) && !isMissing(source['apiGroup']);
}

function validateSource(
  field: string,
  source: TypedLocalObjectReference | TypedObjectReference,
  allowsGroup: boolean,
): FieldErrors {
  const kind = source.kind;
  const group = source.apiGroup ?? '';
  const { namespace = '' }: Partial<TypedObjectReference> = source;
  const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(source.name === '' ? [required(`${field}.name`)] : []),
    ...(kind === '' ? [required(`${field}.kind`)] : []),
    ...(group === '' && kind !== 'PersistentVolumeClaim'
      ? [invalidValue(field, kind, detail)]
      : []),
    ...(group === '' || allowsGroup
      ? []
      : invalidFor(`${field}.apiGroup`, group, dns1123SubdomainProblems(group))),
    ...(namespace === ''
      ? []
      : invalidFor(`${field}.namespace`, namespace, dns1123LabelProblems(namespace))),
  ];
}
