/**
 * Disks over iSCSI, whose names of targets and initiators have three forms.
 * Persistent volumes are told the same in other words where the form is unknown.
 *
 * In Kubernetes: validateISCSIVolumeSource, pkg/apis/core/validation.
 */
import type {
  ISCSIPersistentVolumeSource,
  ISCSIVolumeSource,
} from '../../../generated/kinds/core-v1.ts';
import { linearPattern, type RegularExpression } from '../../../meta/regular-expression.ts';
import { type FieldErrors, invalidValue, required } from '../../../field/field-errors.ts';
import { isMissing } from '../../rules/value-validation.ts';

const FORMS: Readonly<Record<string, RegularExpression>> = {
  // The name may stand behind anything, and each of its beginnings would be tried up to the end.
  iqn: linearPattern(String.raw`iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$`),
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};
const LUN_MAX = 255;

type AnyIscsi = ISCSIVolumeSource | ISCSIPersistentVolumeSource;

export function validateIscsi(field: string, source: ISCSIVolumeSource): FieldErrors {
  const unknown = 'must be valid format starting with iqn, eui, or naa';
  return [
    ...validateTarget(field, source, unknown),
    ...validateInitiator(`${field}.initiatorname`, source, unknown),
  ];
}

/** Of a persistent volume called `name`. */
export function validatePersistentIscsi(
  field: string,
  source: ISCSIPersistentVolumeSource,
  name: string,
): FieldErrors {
  const { secretRef: secret, targetPortal: portal } = source;
  const target = validateTarget(field, source, 'must be valid format');
  const isFirst = (path: string): boolean => path === `${field}.targetPortal`;
  return [
    ...target.filter((error) => isFirst(error.field)),
    ...(isTooLong(source, name) ? [invalidValue(`${field}.targetportal`, portal, TOO_LONG)] : []),
    ...target.filter((error) => !isFirst(error.field)),
    ...(secret !== undefined && (secret.name ?? '') === ''
      ? [required(`${field}.secretRef.name`)]
      : []),
    ...validateInitiator(`${field}.initiatorname`, source, 'must be valid format'),
  ];
}

export const TOO_LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters ' +
  'if iscsi.initiatorName is specified.';

/** Whether an initiator with a name of its own would get too long a name for the volume. */
export function isTooLong(source: AnyIscsi, name: string): boolean {
  const length = Buffer.byteLength(`${name}:${source.targetPortal}`);
  return !isMissing(source.initiatorName) && length > 64;
}

function validateTarget(field: string, source: AnyIscsi, unknown: string): FieldErrors {
  const { lun, iqn: name } = source;
  const asksForSecret = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  return [
    ...(source.targetPortal === '' ? [required(`${field}.targetPortal`)] : []),
    ...(name === '' ? [required(`${field}.iqn`)] : validateName(`${field}.iqn`, name, unknown)),
    ...(lun < 0 || lun > LUN_MAX
      ? [invalidValue(`${field}.lun`, lun, `must be between 0 and ${String(LUN_MAX)}, inclusive`)]
      : []),
    ...(asksForSecret && source.secretRef === undefined ? [required(`${field}.secretRef`)] : []),
  ];
}

function validateInitiator(
  field: string,
  { initiatorName: name }: AnyIscsi,
  unknown: string,
): FieldErrors {
  return name === undefined ? [] : validateName(field, name, unknown);
}

function validateName(field: string, name: string, unknown: string): FieldErrors {
  const form = FORMS[name.slice(0, 3)];
  if (form === undefined) return [invalidValue(field, name, unknown)];
  return form.test(name) ? [] : [invalidValue(field, name, 'must be valid format')];
}
