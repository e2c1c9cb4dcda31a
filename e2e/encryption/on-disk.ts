/** Looks for what must not lie on the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the value lies anywhere in the folder, as it is or as a Secret has it. */
export function liesIn(folder: string, value: string): boolean {
  const needles = [Buffer.from(value), Buffer.from(Buffer.from(value).toString('base64'))];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name)))
    .some((bytes) => needles.some((needle) => bytes.includes(needle)));
}
