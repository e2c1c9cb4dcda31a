/**
 * Whether a bundle of certificates in PEM is one that a webhook can be trusted by.
 *
 * In Kubernetes: ValidateCABundle, apiserver/pkg/util/webhook. Whatever is wrong inside of a
 * certificate is told in one sentence here, where Go has several.
 */
import { X509Certificate } from 'node:crypto';

const UNLOADED = 'unable to load root certificates';
/** The line ends in one way only: of two, each line break would be tried as the end of the first. */
const BLOCK = /-----BEGIN ([^-\n]*)-----[^\S\n]*\n([^-]*)-----END \1-----/g;
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

/**
 * Undefined when there is nothing wrong, or nothing at all.
 *
 * @param bundle base64 of the PEM text
 */
export function caBundleProblem(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('latin1');
  if (text === '') return undefined;
  const blocks = [...text.matchAll(BLOCK)].filter(([, , body = '']) => BASE64.test(body));
  const certificates = blocks.filter(([, type]) => type === 'CERTIFICATE').map(([pem]) => pem);
  if (certificates.some(isCertificate)) return undefined;
  if (certificates.length > 0) {
    return `${UNLOADED}: failed to parse certificate: x509: malformed certificate`;
  }
  // Go reads on behind the last block, where something else may stand.
  const isReadToItsEnd = blocks.length > 0 && text.replaceAll(BLOCK, '').trim() === '';
  return isReadToItsEnd
    ? `${UNLOADED}: no valid certificate authority data seen`
    : `${UNLOADED}: unable to parse bytes as PEM block`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
