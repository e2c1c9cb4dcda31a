/** What has to be made before others can be: namespaces, and the definitions of other resources. */
import type { LoggedEvent } from '../../streams/event.ts';

const FIRST: ReadonlySet<string> = new Set([
  'core/namespaces',
  'apiextensions.k8s.io/customresourcedefinitions',
]);

/** Those that come first, or the others. */
export function inWritingOrder(
  events: readonly LoggedEvent[],
  isFirst: boolean,
): readonly LoggedEvent[] {
  return events.filter(({ resource }) => FIRST.has(resource) === isFirst);
}
