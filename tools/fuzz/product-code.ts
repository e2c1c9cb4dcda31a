/** Which code is the product's: what the fuzzer looks into, and what of it is no code but facts. */
import { join, relative } from 'node:path';

/** The repository's directory. */
export const ROOT = join(import.meta.dirname, '..', '..');

const PRODUCT = /^(?:api|streams|projections|actors|gateway)[\\/](?!generated[\\/])[^.]*\.ts$/;

/** @param path absolute. */
export function isProduct(path: string): boolean {
  return PRODUCT.test(relative(ROOT, path));
}
