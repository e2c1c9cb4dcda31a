/**
 * The data directory of a control plane that a suite takes from the process: it goes with the control plane, or is kept
 * where the suite has said, in the shape of those that lie with an etcd (kept-logs.ts).
 */
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { outdated, namesIn } from '../kept-logs.ts';

const ONLY_OWNER = 0o700;
const NAME = 'planes-data';

/** Where control planes of a process have their data; what a process has left there that was killed goes. */
export function makePlacesIn(directory: string): string {
  const places = join(directory, NAME);
  rmSync(places, { recursive: true, force: true });
  mkdirSync(places, { recursive: true, mode: ONLY_OWNER });
  return places;
}

/** An empty one. */
export function placeOfPlane(places: string): string {
  return mkdtempSync(join(places, 'plane-'));
}

/**
 * Behind the end of the control plane.
 *
 * @param kept the directory in which it stays, as kept-logs.ts names them; undefined: it goes.
 * @throws Error of the system, where it cannot stay there.
 */
export function leavePlace(place: string, kept: string | undefined): void {
  if (kept === undefined) {
    rmSync(place, { recursive: true, force: true });
    return;
  }
  const logs = dirname(kept);
  for (const name of outdated(namesIn(logs), () => false)) {
    rmSync(join(logs, name), { recursive: true, force: true });
  }
  const to = join(kept, 'everwatch', basename(place));
  mkdirSync(dirname(to), { recursive: true, mode: ONLY_OWNER });
  move(place, to);
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another file system.
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    cpSync(from, to, { recursive: true });
    rmSync(from, { recursive: true, force: true });
  }
}
