/** Whom a request for a certificate (PKCS #10) is about. In Kubernetes: ParseCSR, pkg/apis/certificates. */
import { derValuesIn, objectIdentifierOf, type DerValue } from './der-reader.ts';
import { pemBlocksIn } from '../../rules/pem-blocks.ts';

export interface RequestSubject {
  /** '' where there is none; the last one counts. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export type ReadSubject =
  | { readonly ok: true; readonly subject: RequestSubject }
  | { readonly ok: false; readonly why: string };

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const BMP_STRING = 0x1e;

/** @param encoded as it stands in `spec.request`: PEM in base64. */
export function requestSubject(encoded: string): ReadSubject {
  const [block] = pemBlocksIn(Buffer.from(encoded, 'base64').toString());
  if (block?.type !== 'CERTIFICATE REQUEST') {
    return { ok: false, why: 'PEM block type must be CERTIFICATE REQUEST' };
  }
  const names = namesIn(block.bytes);
  if (names === undefined) {
    return { ok: false, why: 'asn1: structure error: malformed certificate request' };
  }
  const valuesOf = (wanted: string) =>
    names.filter(([identifier]) => identifier === wanted).map(([, value]) => value);
  const commonName = valuesOf(COMMON_NAME).at(-1) ?? '';
  return { ok: true, subject: { commonName, organizations: valuesOf(ORGANIZATION) } };
}

/** The attributes of the subject, each with its identifier. */
function namesIn(bytes: Buffer): [identifier: string, value: string][] | undefined {
  const [outer] = derValuesIn(bytes) ?? [];
  const [info] = outer === undefined ? [] : (derValuesIn(outer.content) ?? []);
  // The version stands before the subject.
  const [, subject] = info === undefined ? [] : (derValuesIn(info.content) ?? []);
  const sets = subject === undefined ? undefined : derValuesIn(subject.content);
  const names: [string, string][] = [];
  for (const attribute of sets?.flatMap((set) => derValuesIn(set.content) ?? []) ?? []) {
    const [identifier, value] = derValuesIn(attribute.content) ?? [];
    if (identifier === undefined || value === undefined) continue;
    const text = textOf(value);
    if (text === undefined) return undefined;
    names.push([objectIdentifierOf(identifier.content), text]);
  }
  return sets === undefined ? undefined : names;
}

/** undefined where a text of two bytes for each character ends in the middle of one. */
function textOf({ tag, content }: DerValue): string | undefined {
  if (tag !== BMP_STRING) return content.toString('utf8');
  if (content.length % 2 !== 0) return undefined;
  return Buffer.from(content).swap16().toString('utf16le');
}
