/** Everything that befell one object, read from a log. */
import { type ObjectRevision, revisionsOf } from '../../../projections/past/object-revisions.ts';
import type { LogQuery, ObjectOfLog } from '../../../projections/past/log-source.ts';
import { namespaceOf, type LoggedEvent } from '../../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { StartupError } from '../../process/startup-error.ts';
import { namedObject, type NamedObject } from './resource-kinds.ts';
import type { Tool } from './run-tool.ts';

export interface ObjectLife {
  /** As the command line names it, resolved. */
  readonly named: NamedObject;
  /** In the order of the log. */
  readonly revisions: readonly ObjectRevision[];
}

/** The object that is named on the command line. @throws StartupError */
export function namedOnCommandLine(
  { kinds, opened }: Tool,
  words: readonly string[],
  namespace: string | undefined,
): Promise<NamedObject> {
  return namedObject(kinds, words, namespace ?? opened.namespace);
}

/** What a server needs to know to ask for no right but that to get the object. */
export function objectOfLog({ storage, path }: NamedObject): ObjectOfLog {
  return { resource: storage, path };
}

/**
 * @param to the last version that is looked at; undefined: now.
 * @throws StartupError when there never was such an object.
 */
export async function readLife(
  { source, signal }: Tool,
  named: NamedObject,
  to: ResourceVersion | undefined,
): Promise<ObjectLife> {
  const query: LogQuery = {
    from: resourceVersion(0),
    ...objectOfLog(named),
    effectiveOnly: true,
    ...(to === undefined ? {} : { to }),
  };
  const events: LoggedEvent[] = [];
  for await (const batch of source.events(query, signal)) {
    events.push(...batch.map(({ event }) => event));
  }
  if (events.length > 0) return { named, revisions: [...revisionsOf(events)] };
  const within = JSON.stringify(namespaceOf(named.path));
  const where = named.namespaced ? ` in namespace ${within}` : '';
  const { oldest } = await source.bounds(objectOfLog(named));
  const since = oldest > 1 ? `; the log reaches back to version ${String(oldest)}` : '';
  throw new StartupError(`there never was a ${named.shown}${where}${since}`);
}
