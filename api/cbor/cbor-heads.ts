/** Numbers of CBOR that its reader and its writer share. RFC 8949, section 3. */

/** What an item is, in the first three bits of it. */
export const MAJOR = {
  ...{ unsigned: 0, negative: 1, bytes: 2, text: 3 },
  ...{ list: 4, map: 5, tag: 6, simple: 7 },
} as const;

/** What is said of the item behind it. */
export const TAG = {
  ...{ time: 0, epoch: 1, bignum: 2, negativeBignum: 3 },
  ...{ laterBase64Url: 21, laterBase64: 22, laterHex: 23 },
} as const;

/** Tells CBOR from other forms, and says nothing: tag 55799. */
export const SELF_DESCRIBED = Buffer.from([0xd9, 0xd9, 0xf7]);
