/**
 * What a request may ask for and from which signer, the certificates that a signer has written, and
 * which of its parts each way of writing may change. Go has many words for faults inside of a
 * certificate, and here there is one sentence.
 *
 * In Kubernetes: pkg/apis/certificates/validation; ValidateSignerName, pkg/apis/core/validation.
 */
import { rememberedOf } from '../../../json/work-in-slices.ts';
import { X509Certificate } from 'node:crypto';

import { type Base64, items } from '../../../json/go-values.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../../generated/kinds/certificates-v1.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { repeatsIn, ofEach } from '../../rules/value-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { requestProblem } from '../certificate-request.ts';
import { validateSignerName } from '../../rules/signer-name.ts';
import { goQuote } from '../../../json/go-format.ts';
import { type PemBlock, pemBlocksIn } from '../../../x509/pem-blocks.ts';

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

/** What is wrong with a new request. */
export function validateRequest(request: CertificateSigningRequest): FieldErrors {
  return validateWhole(request, STRICT);
}

/** `writing` is the subresource that writes, `request` for the request itself. */
export function validateRequestChange(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  writing: 'request' | 'status' | 'approval',
): FieldErrors {
  return [
    ...validateWhole(request, leniencyAfter(old, request)),
    ...validateKept(request, old),
    ...(writing === 'approval' ? [] : validateDecisions(request, old)),
    ...validateCertificateChange(request, old, writing === 'status'),
  ];
}

function leniencyAfter(
  old: CertificateSigningRequest,
  request: CertificateSigningRequest,
): Leniency {
  const usages = items(old.spec.usages);
  const types = typesOf(old);
  const certificate = certificateOf(old);
  return {
    allowsAnyUsage: usages.some((usage) => !USAGES.includes(usage)),
    allowsRepeatedUsages: repeatsIn(usages).includes(true),
    allowsLegacySigner: old.spec.signerName === LEGACY_SIGNER,
    allowsContradiction: DECISIONS.every((type) => types.includes(type)),
    allowsRepeatedTypes: repeatsIn(types).includes(true),
    allowsEmptyType: types.includes(''),
    allowsAnyCertificate:
      certificate === certificateOf(request) || chainProblem(certificate) !== undefined,
  };
}

function validateWhole(request: CertificateSigningRequest, leniency: Leniency): FieldErrors {
  const { request: pem, usages, signerName, expirationSeconds: seconds } = request.spec;
  const tooShort = 'may not specify a duration less than 600 seconds (10 minutes)';
  const problem = requestProblem(decoded(pem));
  const chain = leniency.allowsAnyCertificate ? undefined : chainProblem(certificateOf(request));
  return [
    ...(problem === undefined ? [] : [invalidValue('spec.request', pem, problem)]),
    ...validateUsages(items(usages), leniency),
    ...validateSigner(signerName, leniency),
    ...(seconds !== undefined && seconds < EXPIRATION_SECONDS_MIN
      ? [invalidValue('spec.expirationSeconds', seconds, tooShort)]
      : []),
    ...validateConditions(request, leniency),
    ...(chain === undefined
      ? []
      : [invalidValue('status.certificate', '<certificate data>', chain)]),
  ];
}

function decoded(base64: Base64 | null | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('latin1');
}

function certificateOf({ status }: CertificateSigningRequest): string {
  return decoded(status.certificate);
}

/** The conditions of that type, in a list of their own. */
export function conditionsOfType(
  { status }: CertificateSigningRequest,
  type: string,
): CertificateSigningRequestCondition[] {
  return items(status.conditions).filter((one) => one.type === type);
}

function typesOf({ status }: CertificateSigningRequest): string[] {
  return items(status.conditions).map((one) => one.type);
}

function validateUsages(usages: readonly string[], leniency: Leniency): FieldErrors {
  const repeats = rememberedOf([usages], () => repeatsIn(usages));
  return [
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...ofEach(usages, (usage, index) =>
      leniency.allowsAnyUsage || USAGES.includes(usage)
        ? []
        : [notSupported(indexPath('spec.usages', index), usage, USAGES)],
    ),
    ...ofEach(usages, (usage, index) =>
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

function validateConditions(request: CertificateSigningRequest, leniency: Leniency): FieldErrors {
  const types = typesOf(request);
  const repeats = repeatsIn(types);
  const seen = new Set<string>();
  const exclusive = 'Approved and Denied conditions are mutually exclusive';
  return items(request.status.conditions).flatMap((condition, index) => {
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

function validateCondition(
  field: string,
  { type, status }: CertificateSigningRequestCondition,
): FieldErrors {
  const allowed = ALWAYS_TRUE.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
  return [
    ...(status === '' ? [required(`${field}.status`)] : []),
    ...(status === '' || allowed.includes(status)
      ? []
      : [notSupported(`${field}.status`, status, allowed)]),
  ];
}

function validateKept(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldErrors {
  return ALWAYS_TRUE.filter(
    (type) => conditionsOfType(request, type).length < conditionsOfType(old, type).length,
  ).map((type) => conditionsForbidden('remove', type));
}

function validateDecisions(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldErrors {
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
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  maySet: boolean,
): FieldErrors {
  const field = 'status.certificate';
  const certificate = request.status.certificate ?? '';
  const oldCertificate = old.status.certificate ?? '';
  if (certificate === oldCertificate) return [];
  if (!maySet) return [forbiddenField(field, 'updates may not set certificate content')];
  return oldCertificate === ''
    ? []
    : [forbiddenField(field, 'updates may not modify existing certificate content')];
}

/** A domain, a slash, and a path that has room for a label and a subdomain. */

/** undefined when there is nothing wrong, or nothing at all. */
export function chainProblem(pem: string): string | undefined {
  if (pem === '') return undefined;
  const blocks = pemBlocksIn(pem);
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const block of blocks) {
    const problem = blockProblem(block);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') {
    return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
  }
  if (hasHeaders) return 'no PEM block headers are permitted';
  if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
  try {
    return new X509Certificate(bytes).raw.length > 0 ? undefined : 'x509: malformed certificate';
  } catch {
    return 'x509: malformed certificate';
  }
}
