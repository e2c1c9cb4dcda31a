/**
 * Certificates that are looked up by their subject: anchors, or what lies between them and a leaf. In a
 * pool of anchors each certificate is one, whatever it says of itself.
 *
 * In Go: CertPool, crypto/x509.
 */
import { CertificateError } from './certificate-error.ts';
import { type Certificate, parseCertificate } from './certificate.ts';
import { pemBlocksIn } from './pem-blocks.ts';

export class CertificatePool {
  readonly #bySubject = new Map<string, Certificate[]>();
  readonly #fingerprints = new Set<string>();
  readonly #all: Certificate[] = [];

  /** One that it has already is no second one. */
  add(certificate: Certificate): void {
    if (this.#fingerprints.has(certificate.fingerprint)) return;
    this.#fingerprints.add(certificate.fingerprint);
    this.#all.push(certificate);
    const same = this.#bySubject.get(certificate.rawSubject);
    if (same === undefined) this.#bySubject.set(certificate.rawSubject, [certificate]);
    else same.push(certificate);
  }

  get all(): readonly Certificate[] {
    return this.#all;
  }

  contains({ fingerprint }: Certificate): boolean {
    return this.#fingerprints.has(fingerprint);
  }

  /** Those that may have signed it, the likeliest first: whose key has the id that it names. */
  parentsOf({ rawIssuer, authorityKeyId }: Certificate): readonly Certificate[] {
    const found = this.#bySubject.get(rawIssuer) ?? [];
    const likeliness = ({ subjectKeyId }: Certificate): number => {
      if (subjectKeyId.equals(authorityKeyId)) return 0;
      return (subjectKeyId.length === 0) === (authorityKeyId.length === 0) ? 2 : 1;
    };
    return [...found].sort((one, other) => likeliness(one) - likeliness(other));
  }
}

/** Those in a text of PEM. What else lies there is passed over, certificates that are none as well. */
export function poolOf(pem: string): CertificatePool {
  const pool = new CertificatePool();
  for (const { type, hasHeaders, bytes } of pemBlocksIn(pem)) {
    if (type !== 'CERTIFICATE' || hasHeaders) continue;
    const certificate = certificateIn(bytes);
    if (certificate !== undefined) pool.add(certificate);
  }
  return pool;
}

/**
 * Why a text holds no authority; undefined: it does.
 *
 * In Kubernetes: createErrorParsingCAData, client-go/transport.
 */
export function authoritiesProblem(pem: string): string | undefined {
  if (poolOf(pem).all.length > 0) return undefined;
  const blocks = pemBlocksIn(pem);
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE' || hasHeaders) continue;
    try {
      parseCertificate(bytes);
    } catch (error) {
      if (error instanceof CertificateError) return `failed to parse certificate: ${error.message}`;
      throw error;
    }
  }
  const isRead = pem !== '' && blocks.at(-1)?.end === pem.length;
  return isRead ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block';
}

function certificateIn(bytes: Buffer): Certificate | undefined {
  try {
    return parseCertificate(bytes);
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}
