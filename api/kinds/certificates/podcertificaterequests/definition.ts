/**
 * PodCertificateRequests: a kubelet asks a signer for the certificate of a pod. The spec never changes;
 * the status is written once, by a signer, with a certificate or with a reason why there is none. That
 * the user may sign is asked in admission.
 *
 * In Kubernetes: registry/certificates/podcertificaterequest; ValidatePodCertificateRequestCreate and its
 * neighbours, pkg/apis/certificates/validation.
 */
import type {
  PodCertificateRequest,
  PodCertificateRequestSpec,
} from '../../../generated/kinds/certificates-v1beta1.ts';
import {
  type FieldErrors,
  invalidUnshown,
  invalidValue,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import type { Clock } from '../../../meta/clock.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import { internalForm } from '../../internal-struct.ts';
import { defineKind, type Kind } from '../../kind.ts';
import { sameValue } from '../../rules/same-value.ts';
import {
  lifeOfSigner,
  validateSignerName,
  validateUserAnnotations,
} from '../../rules/signer-name.ts';
import { invalidFor } from '../../rules/value-validation.ts';
import { emptyStatus, METADATA_KEPT_BY_STATUS } from '../../strategy-of.ts';
import { validateProvenKey, validateStubRequest } from './key-validation.ts';
import { validateStatus } from './status-validation.ts';

const UID_BYTES_MAX = 128;
const DAY_SECONDS = 86_400;

/** Served where the feature gate PodCertificateRequest is on. `clock`: a certificate begins now. */
export function podCertificateRequests(clock: Clock): Kind {
  return defineKind('certificates.k8s.io/v1beta1/podcertificaterequests', {
    fields: {
      'spec.signerName': ({ spec }) => spec.signerName,
      'spec.podName': ({ spec }) => spec.podName,
      'spec.nodeName': ({ spec }) => spec.nodeName,
    },
    rules: {
      allowsUnconditionalUpdate: false,
      status: {
        initial: emptyStatus,
        keeps: METADATA_KEPT_BY_STATUS,
        validateUpdate: (request, old) => validateStatus(request, old, clock.now()),
      },
      validate: ({ spec }) => validateSpec(spec),
      validateUpdate: validateKept,
    },
  });
}

/** A day, unless the kubelet asks for another time. */
export function setPodCertificateRequestDefaults({ spec }: PodCertificateRequest): void {
  spec.maxExpirationSeconds ??= DAY_SECONDS;
}

function validateKept({ spec }: PodCertificateRequest, old: PodCertificateRequest): FieldErrors {
  if (sameValue(withoutEmptyBytes(spec), withoutEmptyBytes(old.spec))) return [];
  const shown = internalForm('PodCertificateRequestSpec', spec);
  return [invalidValue('spec', shown, 'field is immutable')];
}

/** No bytes and an empty text of them are the same. */
function withoutEmptyBytes(spec: PodCertificateRequestSpec): PodCertificateRequestSpec {
  const { pkixPublicKey, proofOfPossession, stubPKCS10Request } = spec;
  return {
    ...spec,
    pkixPublicKey: pkixPublicKey || null,
    proofOfPossession: proofOfPossession || null,
    stubPKCS10Request: stubPKCS10Request || null,
  };
}

function validateSpec(spec: PodCertificateRequestSpec): FieldErrors {
  return [
    ...validateSignerName('spec.signerName', spec.signerName),
    ...validateUserAnnotations('spec.unverifiedUserAnnotations', spec.unverifiedUserAnnotations),
    ...subdomain('spec.podName', spec.podName),
    ...uid('spec.podUID', spec.podUID),
    ...subdomain('spec.serviceAccountName', spec.serviceAccountName),
    ...uid('spec.serviceAccountUID', spec.serviceAccountUID),
    ...subdomain('spec.nodeName', spec.nodeName),
    ...uid('spec.nodeUID', spec.nodeUID),
    ...validateLifeAndKey(spec),
  ];
}

function subdomain(field: string, name: string): FieldErrors {
  return invalidFor(field, name, dns1123SubdomainProblems(name));
}

function uid(field: string, value: string): FieldErrors {
  if (value === '') return [invalidValue(field, value, 'must not be empty')];
  return Buffer.byteLength(value) > UID_BYTES_MAX ? [tooLong(field, UID_BYTES_MAX)] : [];
}

function validateLifeAndKey(spec: PodCertificateRequestSpec): FieldErrors {
  const field = 'spec.maxExpirationSeconds';
  const { signerName, maxExpirationSeconds: seconds } = spec;
  if (seconds === undefined) return [required(field, 'must be set')];
  const { minSeconds, maxSeconds } = lifeOfSigner(signerName);
  const range = `must be in the range [${String(minSeconds)}, ${String(maxSeconds)}]`;
  const isIn = seconds >= minSeconds && seconds <= maxSeconds;
  return [...(isIn ? [] : [invalidValue(field, seconds, range)]), ...validateKey(spec)];
}

function validateKey(spec: PodCertificateRequestSpec): FieldErrors {
  const [stub, key, proof] = [spec.stubPKCS10Request, spec.pkixPublicKey, spec.proofOfPossession];
  const isSet = (value: string | null): value is string => value !== null && value !== '';
  if (isSet(stub) && !isSet(key) && !isSet(proof)) return validateStubRequest(stub);
  if (!isSet(stub) && isSet(key) && isSet(proof)) return validateProvenKey(spec.podUID, key, proof);
  const one =
    'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
  return [invalidUnshown('spec', one)];
}
