/** What kube-apiserver would call itself on this machine; figures show it, hashed. */
import { createHash } from 'node:crypto';

const COMPONENT = 'kube-apiserver';
const HASH_BYTES = 16;
const BASE_32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS = 5;

/** In Kubernetes: NewConfig, apiserver/pkg/server. */
export function serverIdentity(hostname: string): string {
  const parts = [hostname, COMPONENT].flatMap((text) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(text) & 0xffff);
    return [length, Buffer.from(text)];
  });
  const hash = createHash('sha256').update(Buffer.concat(parts)).digest();
  return `apiserver-${base32(hash.subarray(0, HASH_BYTES))}`;
}

/** RFC 4648, without padding. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let text = '';
  for (let at = 0; at < bits.length; at += BITS) {
    text += BASE_32[Number.parseInt(bits.slice(at, at + BITS).padEnd(BITS, '0'), 2)] ?? '';
  }
  return text;
}
