/** What the other end of a TLS connection showed, of what Node tells of it. */

/** A certificate as Node gives it, with the one that issued it. */
export interface LinkedCertificate {
  /** DER of the certificate. */
  readonly raw: Uint8Array;
  /** undefined: it was not shown. The last one may be its own. */
  readonly issuerCertificate?: LinkedCertificate | undefined;
}

/** More of them are not looked at. */
const LENGTH_MAX = 100;

/** DER of each, from the leaf on. Node follows one way among those that were shown. */
export function shownChain(leaf: LinkedCertificate): readonly Uint8Array[] {
  const shown: Uint8Array[] = [];
  const seen = new Set<LinkedCertificate>();
  let next: LinkedCertificate | undefined = leaf;
  while (next !== undefined && !seen.has(next) && shown.length < LENGTH_MAX) {
    seen.add(next);
    shown.push(next.raw);
    next = next.issuerCertificate;
  }
  return shown;
}
