/**
 * Extensions about policies, and those that a judgement of chains never looks at but Go reads, so that
 * a certificate in which one is malformed is none.
 *
 * In Go: processExtensions, crypto/x509.
 */
import { CertificateError, required } from './certificate-error.ts';
import { contextTag, DerReader, TAG } from './der-reader.ts';

export interface PolicyMapping {
  readonly issuer: string;
  readonly subject: string;
}

/** Object identifiers, in hex of their bytes. */
export interface PolicyExtensions {
  readonly policies: readonly string[];
  readonly policyMappings: readonly PolicyMapping[];
  /** How many more certificates of a chain may be without a policy. */
  readonly requireExplicitPolicy?: number;
  /** How many more may map policies. */
  readonly inhibitPolicyMapping?: number;
  /** How many more may stand for any policy. */
  readonly inhibitAnyPolicy?: number;
}

type Found = { -readonly [Key in keyof PolicyExtensions]: PolicyExtensions[Key] };

interface Read {
  readonly isCritical: boolean;
  readonly value: Buffer;
}

/** Answers whether the extension is known. @throws {CertificateError} */
export function readOtherExtension(found: Found, extension: Read & { readonly id: string }) {
  const { id, value } = extension;
  switch (id) {
    case '2.5.29.31':
      checkDistributionPoints(value);
      return true;
    case '2.5.29.32':
      readPolicies(found, value);
      return true;
    case '2.5.29.33':
      readMappings(found, value);
      return true;
    case '2.5.29.36':
      readConstraints(found, value);
      return true;
    case '2.5.29.54':
      found.inhibitAnyPolicy = countOf(
        new DerReader(value).readInteger(),
        'x509: invalid inhibit any policy extension',
      );
      return true;
    case '1.3.6.1.5.5.7.1.1':
      checkInformationAccess(extension);
      return true;
  }
  return false;
}

function readPolicies(found: Found, value: Buffer): void {
  const invalid = 'x509: invalid certificate policies';
  const reader = required(new DerReader(value).enter(TAG.sequence), invalid);
  const policies = new Set<string>();
  while (!reader.isEmpty) {
    const policy = required(reader.enter(TAG.sequence), invalid).read(TAG.objectIdentifier);
    const id = required(policy, invalid).toString('hex');
    if (id === '' || policies.has(id)) throw new CertificateError(invalid);
    policies.add(id);
  }
  found.policies = [...policies];
}

function readMappings(found: Found, value: Buffer): void {
  const invalid = 'x509: invalid policy mappings extension';
  const reader = required(new DerReader(value).enter(TAG.sequence), invalid);
  const mappings: PolicyMapping[] = [];
  while (!reader.isEmpty) {
    const pair = required(reader.enter(TAG.sequence), invalid);
    const issuer = required(pair.read(TAG.objectIdentifier), invalid).toString('hex');
    const subject = required(pair.read(TAG.objectIdentifier), invalid).toString('hex');
    mappings.push({ issuer, subject });
  }
  found.policyMappings = mappings;
}

function readConstraints(found: Found, value: Buffer): void {
  const invalid = 'x509: invalid policy constraints extension';
  const reader = required(new DerReader(value).enter(TAG.sequence), invalid);
  if (reader.sees(contextTag(0))) {
    found.requireExplicitPolicy = countOf(reader.readInteger(contextTag(0)), invalid);
  }
  if (reader.sees(contextTag(1))) {
    found.inhibitPolicyMapping = countOf(reader.readInteger(contextTag(1)), invalid);
  }
}

/** Less than nothing says nothing. */
function countOf(value: bigint | undefined, invalid: string): number {
  const count = required(value, invalid);
  if (BigInt.asIntN(64, count) !== count) throw new CertificateError(invalid);
  return count < 0n ? Number.POSITIVE_INFINITY : Number(count);
}

function checkDistributionPoints(value: Buffer): void {
  const invalid = 'x509: invalid CRL distribution point';
  const reader = required(new DerReader(value).enter(TAG.sequence), `${invalid}s`);
  while (!reader.isEmpty) {
    const point = required(reader.enter(TAG.sequence), invalid);
    if (!point.sees(contextTag(0, true))) continue;
    const name = required(point.enter(contextTag(0, true)), invalid);
    const full = required(name.enter(contextTag(0, true)), invalid);
    while (full.sees(contextTag(6))) required(full.read(contextTag(6)), invalid);
  }
}

function checkInformationAccess({ isCritical, value }: Read): void {
  if (isCritical) {
    throw new CertificateError('x509: authority info access incorrectly marked critical');
  }
  const invalid = 'x509: invalid authority info access';
  const reader = required(new DerReader(value).enter(TAG.sequence), invalid);
  while (!reader.isEmpty) {
    const access = required(reader.enter(TAG.sequence), invalid);
    required(access.readObjectIdentifier(), invalid);
    if (access.sees(contextTag(6))) required(access.read(contextTag(6)), invalid);
  }
}
