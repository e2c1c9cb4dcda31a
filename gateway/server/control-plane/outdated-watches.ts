/** Watches of custom resources end when their definition is another one. */
import { DEFINITIONS } from '../../../actors/served-resources/custom-definitions.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { DefinitionSummary } from '../../../api/kinds/custom/definition-summary.ts';
import { nameOf } from '../../../streams/event.ts';
import type { WatchSessions } from '../../watch/watch-sessions.ts';
import type { ControlPlane } from './control-plane.ts';

/**
 * Ends the watches of objects that would be shown otherwise from now on. Their clients begin anew,
 * as they do when upstream tears down the storage of a definition that was changed.
 */
export function endOutdatedWatches(
  { opened, listen }: Pick<ControlPlane, 'opened' | 'listen'>,
  { custom }: ServedResources,
  sessions: WatchSessions,
): void {
  if (custom === undefined) return;
  listen(({ resource, type, path, object, previous }) => {
    if (resource !== DEFINITIONS || previous === undefined) return;
    const storage = storageOf(nameOf(path));
    // Mostly there is no watcher, and then nothing has to be read.
    if (!sessions.hasAny(opened.applied, storage)) return;
    const isSame =
      type !== 'deleted' && servesTheSame(custom.summaryOf(previous), custom.summaryOf(object));
    if (!isSame) sessions.endOf(opened.applied, storage);
  });
}

/** `stable.example.com/crontabs` of `crontabs.stable.example.com`. */
function storageOf(definition: string): string {
  const dot = definition.indexOf('.');
  return `${definition.slice(dot + 1)}/${definition.slice(0, dot)}`;
}

/** In Kubernetes: updateCustomResourceDefinition of crdHandler. */
function servesTheSame(before: DefinitionSummary, now: DefinitionSummary): boolean {
  return (
    before.uid === now.uid &&
    before.generation === now.generation &&
    JSON.stringify(before.names) === JSON.stringify(now.names)
  );
}
