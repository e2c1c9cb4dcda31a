/**
 * Authorities whose certificates are believed just now, and whether a certificate leads to one of
 * them. They can be exchanged while the server runs; what was found out about a certificate is
 * remembered until then, so that to ask again is a comparison.
 *
 * The surprise: certificates between the two are taken as the client showed them, but none that has
 * name constraints: what those allow is not looked at here, so they allow nothing.
 *
 * In Kubernetes: x509.Certificate.Verify with the pool of DynamicFileCAContent.
 */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../api/meta/clock.ts';
import type { ClientCertificate } from '../request.ts';

interface Judged {
  /** '': it leads to one of the authorities. */
  readonly problem: string;
  /** Milliseconds since 1970: when the first of the certificates on the way runs out. */
  readonly expiry: number;
}

/** More of them are not looked at. */
const BETWEEN_MAX = 8;
const EXPIRED = 'the certificate has expired';

export class AuthorityPool {
  readonly #clock: Pick<Clock, 'now'>;
  #pem = '';
  #authorities: readonly X509Certificate[] = [];
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
    this.#authorities = certificatesIn(pem);
    this.#pem = pem;
    this.#judged = new WeakMap();
  }

  /** Why the certificate is not to be believed; '': it is. */
  problemOf(certificate: ClientCertificate): string {
    let judged = this.#judged.get(certificate);
    if (judged === undefined) {
      judged = this.#judge(certificate);
      this.#judged.set(certificate, judged);
    }
    if (judged.problem !== '') return judged.problem;
    return this.#clock.now() > judged.expiry ? EXPIRED : '';
  }

  #judge(certificate: ClientCertificate): Judged {
    const now = this.#clock.now();
    let last = new X509Certificate(certificate.raw);
    let expiry = Date.parse(last.validTo);
    if (now > expiry) return { problem: EXPIRED, expiry };
    if (now < Date.parse(last.validFrom))
      return { problem: 'the certificate is not valid yet', expiry };
    if (!isForClients(last)) return { problem: 'the certificate is not for clients', expiry };
    const between = certificate.intermediates?.() ?? [];
    for (let depth = 0; ; depth += 1) {
      const authority = this.#authorities.find((one) => this.#isAnchor(one, last, depth));
      if (authority !== undefined) {
        return { problem: '', expiry: Math.min(expiry, Date.parse(authority.validTo)) };
      }
      const shown = between[depth];
      const next = shown === undefined || depth >= BETWEEN_MAX ? undefined : certificateIn(shown);
      if (next === undefined || !mayIssue(next, depth) || !isIssued(last, next)) break;
      if (!isForClients(next) || !isValid(next, now)) break;
      expiry = Math.min(expiry, Date.parse(next.validTo));
      last = next;
    }
    return { problem: 'certificate signed by unknown authority', expiry };
  }

  /** @param depth how many certificates lie between. */
  #isAnchor(authority: X509Certificate, last: X509Certificate, depth: number): boolean {
    if (!isValid(authority, this.#clock.now())) return false;
    if (depth === 0 && authority.raw.equals(last.raw)) return true;
    return isIssued(last, authority) && depth <= pathLengthOf(authority);
  }
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USE = '2.5.29.37.0';

/** A certificate that does not say what it is for is for everything. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  // Node's types promise a list, and give undefined where the extension is missing.
  const uses = keyUsage as readonly string[] | undefined;
  return uses === undefined || uses.includes(CLIENT_AUTH) || uses.includes(ANY_USE);
}

function isValid({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return now >= Date.parse(validFrom) && now <= Date.parse(validTo);
}

function isIssued(certificate: X509Certificate, by: X509Certificate): boolean {
  return certificate.checkIssued(by) && certificate.verify(by.publicKey);
}

/** As they stand in a certificate: the tag of an object identifier, its length, and itself. */
const NAME_CONSTRAINTS = Buffer.from('0603551d1e', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
/** What follows there: it is critical, or nothing is said of that; a text of so many bytes; a sequence. */
const CONSTRAINTS = /^0603551d13(?:0101ff)?04..30..(?:0101ff)(?:0201(..))?/;
const CONSTRAINTS_BYTES = 24;

function mayIssue(certificate: X509Certificate, depth: number): boolean {
  if (!certificate.ca || certificate.raw.includes(NAME_CONSTRAINTS)) return false;
  return depth <= pathLengthOf(certificate);
}

/** How many certificates may lie between it and the last one. */
function pathLengthOf({ raw }: X509Certificate): number {
  const at = raw.indexOf(BASIC_CONSTRAINTS);
  if (at < 0) return Number.POSITIVE_INFINITY;
  const found = CONSTRAINTS.exec(raw.toString('hex', at, at + CONSTRAINTS_BYTES));
  if (found === null) return 0;
  return found[1] === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(found[1], 16);
}

function certificateIn(raw: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(raw);
  } catch {
    return undefined; // A client may show what it likes, and parsing is the only way to learn of it.
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
