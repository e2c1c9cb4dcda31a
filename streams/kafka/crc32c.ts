/**
 * CRC-32C (Castagnoli), the checksum of Kafka's record batches, eight bytes at a step. node:zlib has
 * the other CRC-32 only, and kafkajs goes byte by byte, which half of an append would be spent on.
 */
const POLYNOMIAL = 0x82f63b78;
const STEP = 8;
const TABLES = makeTables();

export function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  let at = 0;
  for (const end = bytes.length - (bytes.length % STEP); at < end; at += STEP) {
    crc ^= byte(bytes, at) | (byte(bytes, at + 1) << 8);
    crc ^= (byte(bytes, at + 2) << 16) | (byte(bytes, at + 3) << 24);
    crc =
      table(7, crc & 0xff) ^
      table(6, (crc >>> 8) & 0xff) ^
      table(5, (crc >>> 16) & 0xff) ^
      table(4, crc >>> 24) ^
      table(3, byte(bytes, at + 4)) ^
      table(2, byte(bytes, at + 5)) ^
      table(1, byte(bytes, at + 6)) ^
      table(0, byte(bytes, at + 7));
  }
  for (; at < bytes.length; at += 1) crc = table(0, (crc ^ byte(bytes, at)) & 0xff) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

function table(step: number, index: number): number {
  return TABLES[step * 256 + index] ?? 0;
}

function makeTables(): Int32Array {
  const tables = new Int32Array(STEP * 256);
  for (let index = 0; index < 256; index += 1) {
    let crc = index;
    for (let bit = 0; bit < 8; bit += 1)
      crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[index] = crc;
  }
  for (let at = 256; at < tables.length; at += 1) {
    const before = tables[at - 256] ?? 0;
    tables[at] = (tables[before & 0xff] ?? 0) ^ (before >>> 8);
  }
  return tables;
}
