/**
 * How certificates are signed. MD5 and SHA-1 are known by name and believed in nothing; RSA-PSS counts
 * where one hash is used throughout and the salt is as long as it.
 *
 * In Go: signatureAlgorithmDetails and getSignatureAlgorithmFromAI, crypto/x509.
 */
import type { PublicKeyKind } from './public-key.ts';

export interface SignatureAlgorithm {
  /** As it stands in messages: SHA256-RSA. */
  readonly name: string;
  readonly key: PublicKeyKind;
  /** '': the key hashes itself. */
  readonly hash: '' | 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512';
  /** Bytes of the salt of RSA-PSS; 0: another padding. */
  readonly saltLength: number;
}

const RSA_PSS = '1.2.840.113549.1.1.10';
const ED25519 = '1.3.101.112';

type Row = readonly [
  id: string,
  name: string,
  key: PublicKeyKind,
  hash: SignatureAlgorithm['hash'],
];

const ROWS: readonly Row[] = [
  ['1.2.840.113549.1.1.4', 'MD5-RSA', 'RSA', 'md5'],
  ['1.2.840.113549.1.1.5', 'SHA1-RSA', 'RSA', 'sha1'],
  ['1.3.14.3.2.29', 'SHA1-RSA', 'RSA', 'sha1'],
  ['1.2.840.113549.1.1.11', 'SHA256-RSA', 'RSA', 'sha256'],
  ['1.2.840.113549.1.1.12', 'SHA384-RSA', 'RSA', 'sha384'],
  ['1.2.840.113549.1.1.13', 'SHA512-RSA', 'RSA', 'sha512'],
  ['1.2.840.10040.4.3', 'DSA-SHA1', 'DSA', 'sha1'],
  ['2.16.840.1.101.3.4.3.2', 'DSA-SHA256', 'DSA', 'sha256'],
  ['1.2.840.10045.4.1', 'ECDSA-SHA1', 'ECDSA', 'sha1'],
  ['1.2.840.10045.4.3.2', 'ECDSA-SHA256', 'ECDSA', 'sha256'],
  ['1.2.840.10045.4.3.3', 'ECDSA-SHA384', 'ECDSA', 'sha384'],
  ['1.2.840.10045.4.3.4', 'ECDSA-SHA512', 'ECDSA', 'sha512'],
  [ED25519, 'Ed25519', 'Ed25519', ''],
];

const ALGORITHMS: ReadonlyMap<string, SignatureAlgorithm> = new Map(
  ROWS.map(([id, name, key, hash]) => [id, { name, key, hash, saltLength: 0 }]),
);

/** The parameters of RSA-PSS over each hash, in hex; a NULL behind the name of a hash may be missing. */
const PSS: ReadonlyMap<string, SignatureAlgorithm> = new Map(
  (
    [
      ['sha256', '01', 32],
      ['sha384', '02', 48],
      ['sha512', '03', 64],
    ] as const
  ).flatMap(([hash, last, saltLength]) => {
    const name = `${hash.toUpperCase()}-RSAPSS`;
    const algorithm = { name, key: 'RSA', hash, saltLength } as const;
    const names = [`06096086480165030402${last}`, `06096086480165030402${last}0500`];
    return names.flatMap((outer) =>
      names.map((inner) => [pssParameters(outer, inner, saltLength), algorithm] as const),
    );
  }),
);

function pssParameters(hash: string, mgfHash: string, saltLength: number): string {
  const mgf = sequence(`06092a864886f70d010108${sequence(mgfHash)}`);
  const salt = `0201${saltLength.toString(16)}`;
  return sequence(`${field(0, sequence(hash))}${field(1, mgf)}${field(2, salt)}`);
}

function sequence(hex: string): string {
  return `30${lengthOf(hex)}${hex}`;
}

function field(number: number, hex: string): string {
  return `a${String(number)}${lengthOf(hex)}${hex}`;
}

/** All are shorter than 128 bytes. */
function lengthOf(hex: string): string {
  return (hex.length / 2).toString(16).padStart(2, '0');
}

/** undefined: an unknown algorithm. @param parameters with their tag. */
export function signatureAlgorithm(id: string, parameters: Buffer): SignatureAlgorithm | undefined {
  if (id === RSA_PSS) return PSS.get(parameters.toString('hex'));
  if (id === ED25519 && parameters.length > 0) return undefined;
  return ALGORITHMS.get(id);
}
