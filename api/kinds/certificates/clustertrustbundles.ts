/**
 * ClusterTrustBundles: the authorities by which certificates of a signer are believed. A bundle of a
 * signer has the name of the signer in its own name.
 *
 * In Kubernetes: registry/certificates/clustertrustbundle; ValidateClusterTrustBundle,
 * pkg/apis/certificates/validation.
 */
import type { ClusterTrustBundle } from '../../generated/kinds/certificates-v1beta1.ts';
import { type FieldErrors, invalidValue, tooLong } from '../../field/field-errors.ts';
import { parseCertificate } from '../../x509/certificate.ts';
import { type PemBlock, pemBlocksIn } from '../../x509/pem-blocks.ts';
import { defineKind } from '../kind.ts';
import { immutable, invalidFor } from '../rules/value-validation.ts';
import { trustBundleNameProblems, validateSignerName } from '../rules/signer-name.ts';

const BUNDLE_BYTES_MAX = 1024 * 1024;
const FIELD = 'spec.trustBundle';
const OMITTED = '<value omitted>';

/** Served where the feature gate ClusterTrustBundle is on. */
export const clusterTrustBundles = defineKind('certificates.k8s.io/v1beta1/clustertrustbundles', {
  fields: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
  rules: {
    // Which names there may be depends on the signer.
    validateName: () => [],
    allowsUnconditionalUpdate: false,
    validate: (bundle) => validateBundle(bundle, true),
    validateUpdate: (bundle, old) => [
      ...validateBundle(bundle, bundle.spec.trustBundle !== old.spec.trustBundle),
      ...immutable('spec.signerName', bundle.spec.signerName ?? '', old.spec.signerName ?? ''),
    ],
  },
});

/** A bundle that did not change is not read again: an older server may have read it otherwise. */
function validateBundle({ metadata, spec }: ClusterTrustBundle, isNew: boolean): FieldErrors {
  const { signerName = '', trustBundle } = spec;
  const { name = '' } = metadata;
  return [
    ...invalidFor('metadata.name', name, trustBundleNameProblems(name, signerName)),
    ...(signerName === '' ? [] : validateSignerName('spec.signerName', signerName)),
    ...(isNew ? validateTrustBundle(trustBundle) : []),
  ];
}

function validateTrustBundle(text: string): FieldErrors {
  if (Buffer.byteLength(text) > BUNDLE_BYTES_MAX) return [tooLong(FIELD, BUNDLE_BYTES_MAX)];
  const places = new Map<string, number[]>();
  const errors = pemBlocksIn(text).flatMap((block, index) => {
    const problem = blockProblem(block);
    if (problem !== undefined) {
      return [invalidValue(FIELD, OMITTED, `entry ${String(index)} ${problem}`)];
    }
    const key = block.bytes.toString('latin1');
    places.set(key, [...(places.get(key) ?? []), index]);
    return [];
  });
  if (errors.length > 0) return errors;
  const none = 'at least one trust anchor must be provided';
  if (places.size === 0) return [invalidValue(FIELD, OMITTED, none)];
  return [...places.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => `duplicate trust anchor (indices [${indices.join(' ')}])`)
    .map((detail) => invalidValue(FIELD, OMITTED, detail));
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  try {
    const { basicConstraints } = parseCertificate(bytes);
    return basicConstraints?.isAuthority === true ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}
