/** How a text is told apart in messages and figures that must not say it. */
import { createHash } from 'node:crypto';

/**
 * `sha256:` and the digest in hexadecimal; '' of nothing.
 *
 * In Kubernetes: the labels that end in `_hash`, such as `key_id_hash` and `jwt_issuer_hash`.
 */
export function hashText(text: string | Uint8Array): string {
  return text.length === 0 ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
