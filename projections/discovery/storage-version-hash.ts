/**
 * The short hash by which discovery lets a client see that a resource's storage version changed.
 *
 * In Kubernetes: StorageVersionHash.
 */
import { createHash } from 'node:crypto';

/** Eight bytes in base64, of the group, version and kind that objects are stored in. */
export function storageVersionHash(group: string, version: string, kind: string): string {
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}
