/** What of a live object stays in memory when its bytes do not, by what holds it: each made for so many objects, and weighed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PathMap } from '../../projections/objects/path-map.ts';
import { SortedPaths } from '../../projections/objects/sorted-paths.ts';
import { WarmObjects } from '../../projections/objects/warm-objects.ts';
import type { StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { NAMESPACE_OBJECTS, namespaceName, objectName } from './filled-log.ts';

export interface Held {
  readonly what: string;
  /** For each object. */
  readonly bytes: number;
}

/** Takes a few seconds, and half a gigabyte for a million. */
export function heldBytes(count: number): Held[] {
  const log = { at: () => undefined };
  const warm = new WarmObjects(log);
  const rows: Held[] = [];
  const weighed = <Made>(what: string, make: () => Made): Made => {
    const before = heapBytes();
    const made = make();
    rows.push({ what, bytes: (heapBytes() - before) / count });
    return made;
  };
  const paths = weighed('the text of its path', () => {
    return Array.from({ length: count }, (_, at) => {
      const path = `${namespaceName(Math.floor(at / NAMESPACE_OBJECTS))}/${objectName(at)}`;
      // As a text that was read, and not as one that was put together.
      return Buffer.from(path).toString();
    });
  });
  const objects = weighed('what is known of it', () => {
    return paths.map((path, at) => {
      return warm.known({ resource: 'core/configmaps', path }, resourceVersion(at + 1));
    });
  });
  const map = weighed('its place in the map by paths', () => {
    const byPath = new PathMap<StoredObject>();
    for (const object of objects) byPath.set(object.path, object);
    return byPath;
  });
  const sorted = weighed('its place in the order of paths', () => {
    const inOrder = new SortedPaths<StoredObject>();
    for (const object of objects) inOrder.set(object);
    return inOrder;
  });
  if (sorted.size !== count || map.get(paths[0] ?? '') === undefined)
    throw new Error('they are not there');
  // The arrays of the first two are no server's.
  return rows.map(({ what, bytes }, nth) => ({
    what,
    bytes: nth < 2 ? bytes - POINTER_BYTES : bytes,
  }));
}

const POINTER_BYTES = 8;

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // What the flag has put there.
  collect();
  return process.memoryUsage().heapUsed;
}
