/**
 * What a request may ask for, and which of its parts each way of writing may change.
 * The request and the certificate themselves are not parsed yet.
 *
 * In Kubernetes: pkg/apis/certificates/validation.
 */
import { stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { sameValue } from '../../same-value.ts';
import { isMissing, numberAt, specOf, statusOf, stringsAt } from '../../value-validation.ts';
import { conditionsOf, conditionsOfType } from './conditions.ts';

const CONDITIONS = 'status.conditions';
const DECISIONS = ['Approved', 'Denied'];
const ALWAYS_TRUE = ['Approved', 'Denied', 'Failed'];
const NO_REQUEST = 'PEM block type must be CERTIFICATE REQUEST';
const EXPIRATION_SECONDS_MIN = 600;
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export function validateRequest(request: KubeObject): FieldErrors {
  const spec = specOf(request);
  const seconds = numberAt(spec, 'expirationSeconds');
  const tooShort = 'may not specify a duration less than 600 seconds (10 minutes)';
  return [
    ...(isMissing(spec['request']) ? [invalidValue('spec.request', null, NO_REQUEST)] : []),
    ...validateUsages(spec),
    ...(stringAt(spec, 'signerName') === '' ? [required('spec.signerName')] : []),
    ...(seconds !== undefined && seconds < EXPIRATION_SECONDS_MIN
      ? [invalidValue('spec.expirationSeconds', seconds, tooShort)]
      : []),
  ];
}

/** `writing` is the subresource that writes, `request` for the request itself. */
export function validateRequestChange(
  request: KubeObject,
  old: KubeObject,
  writing: 'request' | 'status' | 'approval',
): FieldErrors {
  return [
    ...newErrors(validateConditions(request), validateConditions(old)),
    ...validateKept(request, old),
    ...(writing === 'approval' ? [] : validateDecisions(request, old)),
    ...validateCertificateChange(request, old, writing === 'status'),
  ];
}

/** What was wrong before may stay wrong. */
function newErrors(errors: FieldErrors, oldErrors: FieldErrors): FieldErrors {
  const known = new Set(oldErrors.map((error) => error.type));
  return errors.filter((error) => !known.has(error.type));
}

function validateUsages(spec: JsonObject): FieldErrors {
  const usages = stringsAt(spec, 'usages');
  return [
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...usages.flatMap((usage, index) =>
      USAGES.includes(usage) ? [] : [notSupported(indexPath('spec.usages', index), usage, USAGES)],
    ),
    ...usages.flatMap((usage, index) =>
      usages.indexOf(usage) < index ? [duplicateValue(indexPath('spec.usages', index), usage)] : [],
    ),
  ];
}

function validateConditions(request: KubeObject): FieldErrors {
  const types = conditionsOf(request).map((one) => stringAt(one, 'type'));
  const second = types.filter((type) => DECISIONS.includes(type))[1] ?? '';
  const isContradiction = DECISIONS.every((type) => types.includes(type));
  const exclusive = 'Approved and Denied conditions are mutually exclusive';
  return [
    ...conditionsOf(request).flatMap((condition, index) =>
      validateCondition(indexPath(CONDITIONS, index), condition),
    ),
    ...(isContradiction ? [invalidValue(CONDITIONS, second, exclusive)] : []),
    ...types.flatMap((type, index) =>
      types.indexOf(type) < index
        ? [duplicateValue(`${indexPath(CONDITIONS, index)}.type`, type)]
        : [],
    ),
  ];
}

function validateCondition(field: string, condition: JsonObject): FieldErrors {
  const type = stringAt(condition, 'type');
  const status = stringAt(condition, 'status');
  const allowed = ALWAYS_TRUE.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
  return [
    ...(type === '' ? [required(`${field}.type`)] : []),
    ...(status === '' ? [required(`${field}.status`)] : []),
    ...(status === '' || allowed.includes(status)
      ? []
      : [notSupported(`${field}.status`, status, allowed)]),
  ];
}

function validateKept(request: KubeObject, old: KubeObject): FieldErrors {
  return ALWAYS_TRUE.filter(
    (type) => conditionsOfType(request, type).length < conditionsOfType(old, type).length,
  ).map((type) => conditionsForbidden('remove', type));
}

function validateDecisions(request: KubeObject, old: KubeObject): FieldErrors {
  return DECISIONS.flatMap((type) => {
    const conditions = conditionsOfType(request, type);
    const oldConditions = conditionsOfType(old, type);
    if (conditions.length > oldConditions.length) return [conditionsForbidden('add', type)];
    const isChanged =
      conditions.length === oldConditions.length && !sameValue(conditions, oldConditions);
    return isChanged ? [conditionsForbidden('modify', type)] : [];
  });
}

function conditionsForbidden(verb: string, type: string) {
  return forbiddenField(CONDITIONS, `updates may not ${verb} a condition of type "${type}"`);
}

/** Only the signer writes the certificate, and only once. */
function validateCertificateChange(
  request: KubeObject,
  old: KubeObject,
  maySet: boolean,
): FieldErrors {
  const field = 'status.certificate';
  const certificate = stringAt(statusOf(request), 'certificate');
  const oldCertificate = stringAt(statusOf(old), 'certificate');
  if (certificate === oldCertificate) return [];
  if (!maySet) return [forbiddenField(field, 'updates may not set certificate content')];
  return oldCertificate === ''
    ? []
    : [forbiddenField(field, 'updates may not modify existing certificate content')];
}
