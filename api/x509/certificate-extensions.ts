/**
 * What the extensions of a certificate say, as far as a judgement of chains looks at it. Those that it
 * does not look at have to be readable all the same, and none that is unknown may be critical.
 *
 * In Go: processExtensions, crypto/x509.
 */
import { CertificateError, required } from './certificate-error.ts';
import { contextTag, DerReader, TAG } from './der-reader.ts';
import { isAscii } from './distinguished-name.ts';
import { parseUriName, type UriName } from './domain-text.ts';
import { parseNameConstraints, type NameConstraints } from './name-constraints-extension.ts';
import { readOtherExtension, type PolicyExtensions } from './policy-extensions.ts';

export interface Extension {
  /** `2.5.29.17` */
  readonly id: string;
  readonly isCritical: boolean;
  readonly value: Buffer;
}

/** Names of a subject. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  /** 4 or 16 bytes each. */
  readonly ips: readonly Buffer[];
  readonly uris: readonly UriName[];
}

export interface Extensions extends PolicyExtensions {
  /** undefined: nothing is said of it. */
  readonly basicConstraints?: {
    readonly isAuthority: boolean;
    /** How many intermediates may lie between it and a leaf; undefined: any number. */
    readonly pathLength: bigint | undefined;
  };
  /** Bit 5 is to sign certificates; 0: nothing is said of it. */
  readonly keyUsage: number;
  /** Object identifiers; none: for everything. */
  readonly extendedUsages: readonly string[];
  readonly names: AlternativeNames;
  /** The bytes that the names were read from. */
  readonly rawNames?: Buffer;
  readonly nameConstraints?: NameConstraints;
  readonly subjectKeyId: Buffer;
  readonly authorityKeyId: Buffer;
  /** Whether there is a critical one that this server does not understand. */
  readonly hasUnknownCritical: boolean;
}

type Found = { -readonly [Key in keyof Extensions]: Extensions[Key] };

const NONE = Buffer.alloc(0);
const NO_NAMES: AlternativeNames = { dns: [], emails: [], ips: [], uris: [] };

/** @throws {CertificateError} */
export function readExtensions(extensions: readonly Extension[]): Extensions {
  const found: Found = {
    ...{ keyUsage: 0, extendedUsages: [], names: NO_NAMES, policies: [], policyMappings: [] },
    ...{ subjectKeyId: NONE, authorityKeyId: NONE, hasUnknownCritical: false },
  };
  for (const extension of extensions) {
    const read = READERS.get(extension.id) ?? readOtherExtension;
    if (!read(found, extension) && extension.isCritical) found.hasUnknownCritical = true;
  }
  return found;
}

/** Answers whether the extension was understood. */
type ReadExtension = (found: Found, extension: Extension) => boolean;

const READERS: ReadonlyMap<string, ReadExtension> = new Map<string, ReadExtension>([
  ['2.5.29.14', readSubjectKeyId],
  ['2.5.29.15', readKeyUsage],
  ['2.5.29.17', readNames],
  ['2.5.29.19', readBasicConstraints],
  ['2.5.29.30', readNameConstraints],
  ['2.5.29.35', readAuthorityKeyId],
  ['2.5.29.37', readExtendedUsages],
]);

function readSubjectKeyId(found: Found, { isCritical, value }: Extension): boolean {
  if (isCritical) {
    throw new CertificateError('x509: subject key identifier incorrectly marked critical');
  }
  const id = new DerReader(value).read(TAG.octetString);
  found.subjectKeyId = required(id, 'x509: invalid subject key identifier');
  return true;
}

function readAuthorityKeyId(found: Found, { isCritical, value }: Extension): boolean {
  if (isCritical) {
    throw new CertificateError('x509: authority key identifier incorrectly marked critical');
  }
  const invalid = 'x509: invalid authority key identifier';
  const reader = required(new DerReader(value).enter(TAG.sequence), invalid);
  if (reader.sees(contextTag(0))) {
    found.authorityKeyId = required(reader.read(contextTag(0)), invalid);
  }
  return true;
}

/** Go knows nine of them. */
const USAGES = 9;

function readKeyUsage(found: Found, { value }: Extension): boolean {
  const bits = required(new DerReader(value).readBits(), 'x509: invalid key usage');
  for (let index = 0; index < USAGES; index += 1) {
    const byte = bits.bytes[index >> 3] ?? 0;
    if ((byte & (0x80 >> (index & 7))) !== 0) found.keyUsage |= 1 << index;
  }
  return true;
}

function readBasicConstraints(found: Found, { value }: Extension): boolean {
  const invalid = 'x509: invalid basic constraints';
  const reader = required(new DerReader(value).enter(TAG.sequence), invalid);
  const isAuthority = reader.sees(TAG.boolean) && required(reader.readBoolean(), invalid);
  let pathLength: bigint | undefined;
  if (reader.sees(TAG.integer)) {
    pathLength = required(reader.readInteger(), invalid);
    if (pathLength < 0n || pathLength >= 2n ** 63n) throw new CertificateError(invalid);
  }
  found.basicConstraints = { isAuthority, pathLength };
  return true;
}

function readExtendedUsages(found: Found, { value }: Extension): boolean {
  const invalid = 'x509: invalid extended key usages';
  const reader = required(new DerReader(value).enter(TAG.sequence), invalid);
  const usages: string[] = [];
  while (!reader.isEmpty) usages.push(required(reader.readObjectIdentifier(), invalid));
  found.extendedUsages = usages;
  return true;
}

function readNameConstraints(found: Found, { value }: Extension): boolean {
  found.nameConstraints = parseNameConstraints(value);
  return !found.nameConstraints.hasUnknown;
}

function readNames(found: Found, { value }: Extension): boolean {
  const names = namesIn(value);
  found.names = names;
  found.rawNames = value;
  return names.dns.length + names.emails.length + names.ips.length + names.uris.length > 0;
}

const EMAIL = contextTag(1);
const DNS = contextTag(2);
const URI = contextTag(6);
const IP = contextTag(7);

function namesIn(value: Buffer): AlternativeNames {
  const all = new DerReader(value).enter(TAG.sequence);
  const reader = required(all, 'x509: invalid subject alternative names');
  const names = {
    dns: [] as string[],
    emails: [] as string[],
    ips: [] as Buffer[],
    uris: [] as UriName[],
  };
  while (!reader.isEmpty) {
    const name = required(reader.readAny(), 'x509: invalid subject alternative name');
    if (name.tag === EMAIL) names.emails.push(textIn(name.contents, 'rfc822Name'));
    else if (name.tag === DNS) names.dns.push(textIn(name.contents, 'dNSName'));
    else if (name.tag === URI) {
      names.uris.push(parseUriName(textIn(name.contents, 'uniformResourceIdentifier')));
    } else if (name.tag === IP) names.ips.push(addressIn(name.contents));
  }
  return names;
}

function textIn(contents: Buffer, kind: string): string {
  if (isAscii(contents)) return contents.toString('latin1');
  throw new CertificateError(`x509: SAN ${kind} is malformed`);
}

function addressIn(contents: Buffer): Buffer {
  if (contents.length === 4 || contents.length === 16) return contents;
  const length = String(contents.length);
  throw new CertificateError(`x509: cannot parse IP address of length ${length}`);
}

/** @throws {CertificateError} */
export function readExtensionList(reader: DerReader): readonly Extension[] {
  const extensions: Extension[] = [];
  const seen = new Set<string>();
  while (!reader.isEmpty) {
    const one = required(reader.enter(TAG.sequence), 'x509: malformed extension');
    const id = required(one.readObjectIdentifier(), 'x509: malformed extension OID field');
    const isCritical =
      one.sees(TAG.boolean) &&
      required(one.readBoolean(), 'x509: malformed extension critical field');
    const value = required(one.read(TAG.octetString), 'x509: malformed extension value field');
    if (seen.has(id)) {
      throw new CertificateError(`x509: certificate contains duplicate extension with OID "${id}"`);
    }
    seen.add(id);
    extensions.push({ id, isCritical, value });
  }
  return extensions;
}
