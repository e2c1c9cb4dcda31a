/**
 * Authorities whose certificates are believed just now, and whether a certificate leads to one of
 * them. They can be exchanged while the server runs; what was found out about a certificate is
 * remembered until then or until a certificate begins or ceases to be valid, so that to ask again is a
 * comparison.
 *
 * In Kubernetes: x509.Certificate.Verify with the pool of DynamicFileCAContent.
 */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../api/meta/clock.ts';
import { CertificateError } from '../../api/x509/certificate-error.ts';
import { poolOf, type CertificatePool } from '../../api/x509/certificate-pool.ts';
import { parseCertificate } from '../../api/x509/certificate.ts';
import { clientProblem } from '../../api/x509/peer-judgement.ts';
import type { ClientCertificate } from '../request/request-line.ts';

interface Judged {
  /** '': it leads to one of the authorities. */
  readonly problem: string;
  /** When it was judged, in milliseconds since 1970. A clock that was set back may be in front of that. */
  readonly from: number;
  /** Milliseconds since 1970: the first moment from which on that may be otherwise. */
  readonly until: number;
}

export class AuthorityPool {
  readonly #clock: Pick<Clock, 'now'>;
  #pem = '';
  #roots: CertificatePool = poolOf('');
  #judged = new WeakMap<ClientCertificate, Judged>();

  /** @param pem one authority or several. @throws Error when one of them is none. */
  constructor(pem: string, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.replace(pem);
  }

  get pem(): string {
    return this.#pem;
  }

  /** From now on these are believed. @throws Error when one is none: then the old ones are. */
  replace(pem: string): void {
    for (const { raw } of certificatesIn(pem)) parseCertificate(raw);
    this.#roots = poolOf(pem);
    this.#pem = pem;
    this.#judged = new WeakMap();
  }

  /** Why the certificate is not to be believed, in Go's words; '': it is. */
  problemOf(certificate: ClientCertificate): string {
    const now = this.#clock.now();
    let judged = this.#judged.get(certificate);
    if (judged === undefined || now < judged.from || now >= judged.until) {
      judged = this.#judge(certificate, now);
      this.#judged.set(certificate, judged);
    }
    return judged.problem;
  }

  #judge(certificate: ClientCertificate, now: number): Judged {
    const roots = this.#roots;
    const shown = [certificate.raw, ...(certificate.intermediates?.() ?? [])];
    const turns = [...roots.all, ...shown.flatMap(readable)]
      .flatMap(({ notBefore, notAfter }) => [notBefore, notAfter + 1])
      .filter((turn) => turn > now);
    return {
      problem: clientProblem({ shown, roots, now }),
      from: now,
      until: Math.min(Number.POSITIVE_INFINITY, ...turns),
    };
  }
}

function readable(raw: Uint8Array) {
  try {
    return [parseCertificate(raw)];
  } catch (error) {
    if (error instanceof CertificateError) return [];
    throw error;
  }
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** @throws Error when one of them is none. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return certificateTextsIn(pem).map((one) => new X509Certificate(one));
}

/** Each as PEM of its own. What else lies there is passed over, and nothing is parsed. */
export function certificateTextsIn(pem: string): string[] {
  const parts = pem.split(BEGIN).slice(1);
  return parts.flatMap((part) => {
    const end = part.indexOf('-');
    return end > 0 && part.startsWith(END, end) ? [BEGIN + part.slice(0, end) + END + '\n'] : [];
  });
}
