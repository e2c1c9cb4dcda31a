/**
 * Whether a bundle of certificates in PEM is one that a webhook can be trusted by.
 *
 * In Kubernetes: ValidateCABundle, apiserver/pkg/util/webhook. Whatever is wrong inside of a
 * certificate is told in one sentence here, where Go has several.
 */
import { X509Certificate } from 'node:crypto';

const UNLOADED = 'unable to load root certificates';
const BEGIN = '-----BEGIN ';
/** The line ends in one way only: of two, each line break would be tried as the end of the first. */
const BLOCK = /^([^-\n]*)-----[^\S\n]*\n([^-]*)-----END ([^-\n]*)-----/;
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

/**
 * Undefined when there is nothing wrong, or nothing at all.
 *
 * @param bundle base64 of the PEM text
 */
export function caBundleProblem(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('latin1');
  if (text === '') return undefined;
  const parts = text.split(BEGIN).slice(1).map(partOf);
  const blocks = parts.filter(({ body }) => body !== undefined && BASE64.test(body));
  const certificates = blocks
    .filter(({ type }) => type === 'CERTIFICATE')
    .map(({ block }) => BEGIN + block);
  if (certificates.some(isCertificate)) return undefined;
  if (certificates.length > 0) {
    return `${UNLOADED}: failed to parse certificate: x509: malformed certificate`;
  }
  // Go reads on behind the last block, where something else may stand.
  const isOnlyBlocks = text.slice(0, text.indexOf(BEGIN)).trim() === '' && !parts.some(isMore);
  const isReadToItsEnd = blocks.length > 0 && isOnlyBlocks;
  return isReadToItsEnd
    ? `${UNLOADED}: no valid certificate authority data seen`
    : `${UNLOADED}: unable to parse bytes as PEM block`;
}

interface Part {
  readonly type: string;
  /** undefined: it is no block. */
  readonly body: string | undefined;
  readonly block: string;
  readonly behind: string;
}

/** @param text from behind one BEGIN to the next. */
function partOf(text: string): Part {
  const [block = '', type = '', body, ended] = BLOCK.exec(text) ?? [];
  const isBlock = type === ended;
  return { type, body: isBlock ? body : undefined, block, behind: text.slice(block.length) };
}

function isMore({ body, behind }: Part): boolean {
  return body === undefined || behind.trim() !== '';
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
