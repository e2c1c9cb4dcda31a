/** A disk that takes every page of a file of LMDB but the one that makes others part of it. For a process of its own. */
import { closeSync, openSync, readFileSync, readlinkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** In octal, as /proc shows the flags of a descriptor. */
const O_DSYNC = 0o10000;

/**
 * From now on the last step of every commit fails: LMDB has a descriptor of its own for it, in whose place there is a device that
 * is always full. Linux only.
 *
 * @param folder of the file, which this process has open.
 */
export function failMetaWrites(folder: string): void {
  const descriptor = readdirSync('/proc/self/fd').find((one) =>
    isOfMeta(one, join(folder, 'data.mdb')),
  );
  if (descriptor === undefined) throw new Error(`nothing in ${folder} is open`);
  closeSync(Number(descriptor));
  // The lowest number that is free is given to what is opened next.
  for (let opened = -1; opened !== Number(descriptor);) opened = openSync('/dev/full', 'r+');
}

function isOfMeta(descriptor: string, path: string): boolean {
  try {
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) return false;
    const [, flags = '0'] =
      /flags:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & O_DSYNC) !== 0;
  } catch {
    return false; // It was that of the folder that is read.
  }
}
