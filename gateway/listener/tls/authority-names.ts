/**
 * Names of authorities, in the only form in which Node tells them to clients: that of certificates. A
 * client that has several certificates chooses one by them.
 *
 * The surprise: these certificates hold a name and nothing that could be believed. OpenSSL judges a chain
 * before it is asked to, and where a certificate is not signed by the authority that it names, the
 * connection may end without an answer. No signature is of X25519, so OpenSSL finds no authority here, and
 * a chain is judged by peer-judgement.ts alone: a client that is not believed gets 401.
 *
 * In Go: certificateAuthorities of certificateRequestMsg, crypto/tls.
 */
import { X509Certificate } from 'node:crypto';
import { TAG } from '../../../api/x509/der-reader.ts';
import { derElement, derSequence, derTime } from '../../../api/x509/der-writer.ts';
import { parseCertificate } from '../../../api/x509/certificate.ts';

/** PEM of a certificate of its name for each authority, PEM too. @throws CertificateError where Go reads none. */
export function authorityNames(authorities: readonly string[]): string[] {
  return authorities.map((pem) => {
    const { rawSubject } = parseCertificate(new X509Certificate(pem).raw);
    return certificateOf(Buffer.from(rawSubject, 'hex'));
  });
}

/** ecdsa-with-SHA256, by which nothing is signed. */
const ALGORITHM = Buffer.from('300a06082a8648ce3d040302', 'hex');
/** X25519, a key that is zero. */
const KEY = Buffer.from(`302a300506032b656e032100${'00'.repeat(32)}`, 'hex');
/** All of 2000 to 2049. */
const VALIDITY = derSequence(
  derTime(Date.UTC(2000, 0, 1)),
  derTime(Date.UTC(2049, 11, 31, 23, 59, 59)),
);

/** @param name DER of a distinguished name. */
function certificateOf(name: Buffer): string {
  const serial = derElement(TAG.integer, Buffer.of(1));
  const parts = [serial, ALGORITHM, name, VALIDITY, name, KEY];
  const noSignature = derElement(TAG.bitString, Buffer.of(0));
  const whole = derSequence(derSequence(...parts), ALGORITHM, noSignature);
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`;
}
