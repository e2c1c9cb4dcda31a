/**
 * Names of subjects and issuers. Chains compare their bytes; what is read of them is shown in messages,
 * and every text in them has to be one.
 *
 * In Go: parseName, crypto/x509.
 */
import { CertificateError, required } from './certificate-error.ts';
import { DerReader, TAG } from './der-reader.ts';

export interface DistinguishedName {
  /** The last one, where there are several; '' where there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const INVALID = 'x509: invalid RDNSequence';

/** @param whole with its tag. @throws {CertificateError} */
export function parseDistinguishedName(whole: Buffer): DistinguishedName {
  const sequence = required(new DerReader(whole).enter(TAG.sequence), INVALID);
  let commonName = '';
  const organizations: string[] = [];
  while (!sequence.isEmpty) {
    const set = required(sequence.enter(TAG.set), INVALID);
    while (!set.isEmpty) {
      const { type, value } = attributeOf(
        required(set.enter(TAG.sequence), `${INVALID}: invalid attribute`),
      );
      if (type === COMMON_NAME) commonName = value;
      else if (type === ORGANIZATION) organizations.push(value);
    }
  }
  return { commonName, organizations };
}

function attributeOf(attribute: DerReader): { readonly type: string; readonly value: string } {
  const type = required(attribute.readObjectIdentifier(), `${INVALID}: invalid attribute type`);
  const value = required(attribute.readAny(), `${INVALID}: invalid attribute value`);
  return { type, value: textOf(value.tag, value.contents) };
}

/** Go also takes the two last ones, which certificates in use have and the standard does not. */
const PRINTABLE = /^[A-Za-z0-9'()+,\-./ :=?*&]*$/;
const NUMERIC = /^[0-9 ]*$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(tag: number, contents: Buffer): string {
  switch (tag) {
    case TAG.t61String:
      return contents.toString('latin1');
    case TAG.printableString:
      return checked(contents, PRINTABLE, 'PrintableString');
    case TAG.numericString:
      return checked(contents, NUMERIC, 'NumericString');
    case TAG.ia5String:
      if (isAscii(contents)) return contents.toString('latin1');
      throw invalid('IA5String');
    case TAG.bmpString:
      return bmpTextOf(contents);
    case TAG.utf8String:
      return utf8Of(contents);
  }
  throw new CertificateError(
    `${INVALID}: invalid attribute value: unsupported string type: ${String(tag)}`,
  );
}

/** Whether all are bytes of ASCII. */
export function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80);
}

function checked(contents: Buffer, pattern: RegExp, type: string): string {
  const text = contents.toString('latin1');
  if (pattern.test(text)) return text;
  throw invalid(type);
}

function utf8Of(contents: Buffer): string {
  try {
    return UTF8.decode(contents);
  } catch {
    throw invalid('UTF-8 string');
  }
}

function bmpTextOf(contents: Buffer): string {
  if (contents.length % 2 !== 0) throw invalid('BMPString');
  let text = '';
  for (let at = 0; at < contents.length; at += 2) {
    const point = contents.readUInt16BE(at);
    if (isNoCharacter(point)) throw invalid('BMPString');
    text += String.fromCharCode(point);
  }
  return text.endsWith('\0') ? text.slice(0, -1) : text;
}

function isNoCharacter(point: number): boolean {
  return (
    point >= 0xfffe || (point >= 0xfdd0 && point <= 0xfdef) || (point >= 0xd800 && point <= 0xdfff)
  );
}

function invalid(type: string): CertificateError {
  return new CertificateError(`${INVALID}: invalid attribute value: invalid ${type}`);
}
