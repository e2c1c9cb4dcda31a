/**
 * Names a parameter that operations of the v2 document share, as upstream does: its own name and a
 * hash of its JSON. Go escapes the characters in JSON that HTML would take for markup, and hashes
 * the escaped text.
 *
 * In Kubernetes: base64Hash of kube-openapi's builder, over FNV-1 with 64 bits.
 */
const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
/** Of the hash's eight; they make eight letters of base64. */
const BYTES_SHOWN = 6;

/** @param json the parameter, its fields in the order in which upstream writes them. */
export function sharedName(name: string, json: string): string {
  const hash = fnv1(Buffer.from(json.replaceAll(/[<>&\u2028\u2029]/g, escaped)));
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(hash);
  return `${name}-${bytes.subarray(0, BYTES_SHOWN).toString('base64url')}`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function fnv1(bytes: Uint8Array): bigint {
  let hash = FNV_OFFSET;
  for (const byte of bytes) hash = BigInt.asUintN(64, hash * FNV_PRIME) ^ BigInt(byte);
  return hash;
}
