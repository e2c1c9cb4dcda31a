/**
 * What a request may ask for, and which of its parts each way of writing may change.
 *
 * In Kubernetes: pkg/apis/certificates/validation.
 */
import { type JsonObject, numberAt, stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { repeatsIn } from '../../rules/repeats.ts';
import { sameValue } from '../../rules/same-value.ts';
import { specOf, statusOf, stringsAt } from '../../rules/value-validation.ts';
import { chainProblem } from './certificate-chain.ts';
import { conditionsOf, conditionsOfType } from './conditions.ts';
import { requestProblem } from './signed-request.ts';
import { validateSignerName } from './signer-name.ts';

const CONDITIONS = 'status.conditions';
const DECISIONS = ['Approved', 'Denied'];
const ALWAYS_TRUE = ['Approved', 'Denied', 'Failed'];
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
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

/** What was wrong before may stay wrong. */
interface Leniency {
  readonly allowsAnyUsage: boolean;
  readonly allowsRepeatedUsages: boolean;
  readonly allowsLegacySigner: boolean;
  readonly allowsContradiction: boolean;
  readonly allowsRepeatedTypes: boolean;
  readonly allowsEmptyType: boolean;
  readonly allowsAnyCertificate: boolean;
}

const STRICT: Leniency = {
  allowsAnyUsage: false,
  allowsRepeatedUsages: false,
  allowsLegacySigner: false,
  allowsContradiction: false,
  allowsRepeatedTypes: false,
  allowsEmptyType: false,
  allowsAnyCertificate: false,
};

export function validateRequest(request: KubeObject): FieldErrors {
  return validateWhole(request, STRICT);
}

/** `writing` is the subresource that writes, `request` for the request itself. */
export function validateRequestChange(
  request: KubeObject,
  old: KubeObject,
  writing: 'request' | 'status' | 'approval',
): FieldErrors {
  return [
    ...validateWhole(request, leniencyAfter(old, request)),
    ...validateKept(request, old),
    ...(writing === 'approval' ? [] : validateDecisions(request, old)),
    ...validateCertificateChange(request, old, writing === 'status'),
  ];
}

function leniencyAfter(old: KubeObject, request: KubeObject): Leniency {
  const usages = stringsAt(specOf(old), 'usages');
  const types = typesOf(old);
  const certificate = certificateOf(old);
  return {
    allowsAnyUsage: usages.some((usage) => !USAGES.includes(usage)),
    allowsRepeatedUsages: repeatsIn(usages).includes(true),
    allowsLegacySigner: stringAt(specOf(old), 'signerName') === LEGACY_SIGNER,
    allowsContradiction: DECISIONS.every((type) => types.includes(type)),
    allowsRepeatedTypes: repeatsIn(types).includes(true),
    allowsEmptyType: types.includes(''),
    allowsAnyCertificate:
      certificate === certificateOf(request) || chainProblem(certificate) !== undefined,
  };
}

function validateWhole(request: KubeObject, leniency: Leniency): FieldErrors {
  const spec = specOf(request);
  const seconds = numberAt(spec, 'expirationSeconds');
  const tooShort = 'may not specify a duration less than 600 seconds (10 minutes)';
  const problem = requestProblem(decoded(stringAt(spec, 'request')));
  const chain = leniency.allowsAnyCertificate ? undefined : chainProblem(certificateOf(request));
  return [
    ...(problem === undefined
      ? []
      : [invalidValue('spec.request', spec['request'] ?? null, problem)]),
    ...validateUsages(stringsAt(spec, 'usages'), leniency),
    ...validateSigner(stringAt(spec, 'signerName'), leniency),
    ...(seconds !== undefined && seconds < EXPIRATION_SECONDS_MIN
      ? [invalidValue('spec.expirationSeconds', seconds, tooShort)]
      : []),
    ...validateConditions(request, leniency),
    ...(chain === undefined
      ? []
      : [invalidValue('status.certificate', '<certificate data>', chain)]),
  ];
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}

function certificateOf(request: KubeObject): string {
  return decoded(stringAt(statusOf(request), 'certificate'));
}

function typesOf(request: KubeObject): string[] {
  return conditionsOf(request).map((one) => stringAt(one, 'type'));
}

function validateUsages(usages: readonly string[], leniency: Leniency): FieldErrors {
  const repeats = repeatsIn(usages);
  return [
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...usages.flatMap((usage, index) =>
      leniency.allowsAnyUsage || USAGES.includes(usage)
        ? []
        : [notSupported(indexPath('spec.usages', index), usage, USAGES)],
    ),
    ...usages.flatMap((usage, index) =>
      repeats[index] === true && !leniency.allowsRepeatedUsages
        ? [duplicateValue(indexPath('spec.usages', index), usage)]
        : [],
    ),
  ];
}

function validateSigner(name: string, { allowsLegacySigner }: Leniency): FieldErrors {
  const field = 'spec.signerName';
  if (name !== LEGACY_SIGNER || allowsLegacySigner) return validateSignerName(field, name);
  const detail = 'the legacy signerName is not allowed via this API version';
  return [invalidValue(field, name, detail)];
}

function validateConditions(request: KubeObject, leniency: Leniency): FieldErrors {
  const types = typesOf(request);
  const repeats = repeatsIn(types);
  const seen = new Set<string>();
  const exclusive = 'Approved and Denied conditions are mutually exclusive';
  return conditionsOf(request).flatMap((condition, index) => {
    const type = types[index] ?? '';
    const field = indexPath(CONDITIONS, index);
    const isDecision = DECISIONS.includes(type);
    if (isDecision) seen.add(type);
    const isContradiction = isDecision && seen.size > 1 && !leniency.allowsContradiction;
    const isRepeated = repeats[index] === true && !leniency.allowsRepeatedTypes;
    return [
      ...(type === '' && !leniency.allowsEmptyType ? [required(`${field}.type`)] : []),
      ...validateCondition(field, condition),
      ...(isContradiction ? [invalidValue(CONDITIONS, type, exclusive)] : []),
      ...(isRepeated ? [duplicateValue(`${field}.type`, type)] : []),
    ];
  });
}

function validateCondition(field: string, condition: JsonObject): FieldErrors {
  const type = stringAt(condition, 'type');
  const status = stringAt(condition, 'status');
  const allowed = ALWAYS_TRUE.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
  return [
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
