/**
 * Projected sources of certificates: the authorities of a signer, and a certificate of the pod's own.
 *
 * In Kubernetes: validateProjectionSources, pkg/apis/core/validation.
 */
import type {
  ClusterTrustBundleProjection,
  PodCertificateProjection,
} from '../../../generated/kinds/core-v1.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { validateLabelSelector } from '../../rules/label-selector-validation.ts';
import {
  lifeOfSigner,
  trustBundleNameProblems,
  validateSignerName,
  validateUserAnnotations,
} from '../../rules/signer-name.ts';
import { validateLocalPath } from './local-path-validation.ts';
import { type TakenPaths, validateClash } from './taken-paths.ts';

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const PATHS = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;

/** Whether its path is taken is not asked here. */
export function validateTrustBundle(
  field: string,
  bundle: ClusterTrustBundleProjection,
): FieldErrors {
  const { path } = bundle;
  return [
    ...validateBundleSource(field, bundle),
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalPath(`${field}.path`, path),
  ];
}

function validateBundleSource(field: string, bundle: ClusterTrustBundleProjection): FieldErrors {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    const shown = internalForm('ClusterTrustBundleProjection', bundle);
    return [invalidValue(field, shown, 'only one of name and signerName may be used')];
  }
  if (name !== undefined) {
    return [
      ...validateBundleName(`${field}.name`, name),
      ...(labelSelector === undefined ? [] : [selectorBesideName(field, labelSelector)]),
    ];
  }
  if (signerName === undefined) {
    return [required(field, 'either name or signerName must be specified')];
  }
  const path = `${field}.signerName`;
  return [
    ...(signerName === '' ? [required(path, 'must be a valid signer name')] : []),
    ...validateSignerName(path, signerName),
    ...validateLabelSelector(`${field}.labelSelector`, labelSelector),
  ];
}

type Selector = NonNullable<ClusterTrustBundleProjection['labelSelector']>;

function selectorBesideName(field: string, selector: Selector): FieldErrors[number] {
  const detail = 'labelSelector must be unset if name is specified';
  return invalidValue(`${field}.labelSelector`, selector, detail);
}

/** A bundle of a signer is called after it: `example.com:signer:name`. */
function validateBundleName(field: string, name: string): FieldErrors {
  const end = name.lastIndexOf(':');
  const signer = end < 0 ? '' : name.slice(0, end).replaceAll(':', '/');
  return [
    ...(name === '' ? [required(field, 'must be a valid object name')] : []),
    ...trustBundleNameProblems(name, signer).map((problem) =>
      invalidValue(field, name, `not a valid clustertrustbundlename: ${problem}`),
    ),
  ];
}

/** `volume` is where clashes of paths are told. */
export function validatePodCertificate(
  volume: string,
  field: string,
  certificate: PodCertificateProjection,
  paths: TakenPaths,
): FieldErrors {
  const { signerName = '', keyType = '', userAnnotations } = certificate;
  const given = PATHS.filter((key) => (certificate[key] ?? '') !== '');
  const none = 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath';
  return [
    ...validateSignerName(`${field}.signerName`, signerName),
    ...validateUserAnnotations(`${field}.userAnnotations`, userAnnotations),
    ...(KEY_TYPES.includes(keyType) ? [] : [notSupported(`${field}.keyType`, keyType, KEY_TYPES)]),
    ...validateLife(`${field}.maxExpirationSeconds`, certificate),
    ...given.flatMap((key) => {
      const path = certificate[key] ?? '';
      return [
        ...validateLocalPath(`${field}.${key}`, path),
        ...validateClash(volume, { path, place: `${field}.${key}`, shown: path }, paths),
      ];
    }),
    ...(given.length === 0 ? [required(field, none)] : []),
  ];
}

function validateLife(
  field: string,
  { signerName = '', maxExpirationSeconds: seconds }: PodCertificateProjection,
): FieldErrors {
  if (seconds === undefined) return [];
  const { minSeconds, maxSeconds } = lifeOfSigner(signerName);
  const wrong = (range: string): FieldErrors => [
    invalidValue(field, seconds, `if provided, maxExpirationSeconds must be ${range}`),
  ];
  return [
    ...(seconds < minSeconds ? wrong(`>= ${String(minSeconds)}`) : []),
    ...(seconds > maxSeconds ? wrong(`<= ${String(maxSeconds)}`) : []),
  ];
}
