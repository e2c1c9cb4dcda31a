/** Everything that befell one object, read from a log. */
import { revisionsOf, type ObjectRevision } from '../../../projections/past/object-revisions.ts';
import type { LogQuery } from '../../../projections/past/log-source.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { StartupError } from '../startup-error.ts';
import { namedObject, type NamedObject } from './resource-kinds.ts';
import type { Tool } from './run-tool.ts';

export interface ObjectLife {
  readonly named: NamedObject;
  readonly revisions: readonly ObjectRevision[];
}

/**
 * @param to the last version that is looked at; undefined: now.
 * @throws StartupError when there never was such an object.
 */
export async function readLife(
  { source, kinds, signal, opened }: Tool,
  words: readonly string[],
  { namespace, to }: { readonly namespace: string | undefined; readonly to?: ResourceVersion },
): Promise<ObjectLife> {
  const within = namespace ?? opened.namespace;
  const named = await namedObject(kinds, words, within);
  const query: LogQuery = {
    from: resourceVersion(0),
    resource: named.storage,
    path: named.path,
    effectiveOnly: true,
    ...(to === undefined ? {} : { to }),
  };
  const events: LoggedEvent[] = [];
  for await (const batch of source.events(query, signal)) {
    events.push(...batch.map(({ event }) => event));
  }
  if (events.length > 0) return { named, revisions: [...revisionsOf(events)] };
  const where = named.namespaced ? ` in namespace ${JSON.stringify(within)}` : '';
  const { oldest } = await source.bounds();
  const since = oldest > 1 ? `; the log reaches back to version ${String(oldest)}` : '';
  throw new StartupError(`there never was a ${named.shown}${where}${since}`);
}
