/**
 * The context as of a moment: a lookup in it finds the object of then. So a get, a
 * scale, and what a dry run would make of an object need not know that it is the past.
 */
import { ObjectsAt } from '../../../projections/past/objects-at.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import type { WriteContext } from '../write-context.ts';

/** @param moment applied, and with a history that has settled since. */
export function pastContext<Context extends WriteContext>(
  context: Context,
  moment: ResourceVersion,
): Context {
  return {
    ...context,
    objects: new ObjectsAt((resource) => context.resourceViews.of(resource), moment),
  };
}
