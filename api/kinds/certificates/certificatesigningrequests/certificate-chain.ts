/**
 * The certificates that a signer has written. Go has many words for what is wrong inside of one.
 *
 * In Kubernetes: validateCertificate, pkg/apis/certificates/validation.
 */
import { X509Certificate } from 'node:crypto';
import { goQuote } from '../../../json/go-format.ts';
import { pemBlocksIn, type PemBlock } from '../../rules/pem-blocks.ts';

/** undefined when there is nothing wrong, or nothing at all. */
export function chainProblem(pem: string): string | undefined {
  if (pem === '') return undefined;
  const blocks = pemBlocksIn(pem);
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const block of blocks) {
    const problem = blockProblem(block);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') {
    return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
  }
  if (hasHeaders) return 'no PEM block headers are permitted';
  if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
  try {
    return new X509Certificate(bytes).raw.length > 0 ? undefined : 'x509: malformed certificate';
  } catch {
    return 'x509: malformed certificate';
  }
}
