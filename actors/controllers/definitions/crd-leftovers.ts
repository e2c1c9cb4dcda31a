/**
 * Takes away what a former definition of the same name has left behind. Its cleanup
 * finalizer was taken away by hand, so it went and its objects stayed. They could not be read since, and the
 * new definition is not theirs: so they go before it gets its names, with which reading begins.
 *
 * They are not deleted as a client would, as they are not served: each is one change in the log that
 * takes effect only while the definition is the one that was looked at, and while it serves nothing.
 * In Kubernetes they lie in etcd and are shown again.
 */
import type { CustomResourceDefinition } from '../../../api/generated/kinds/apiextensions-v1.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { pathOf, type Requirement } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { hasCondition } from '../../../api/kinds/apiextensions/customresourcedefinitions/conditions.ts';
import { DEFINITIONS } from './crd-access.ts';
import { removeStored, type RemovalParts } from '../removals.ts';
import type { WorkOutcome } from '../work-queue.ts';

export interface LeftoversParts extends RemovalParts {
  readonly objects: Pick<ObjectView, 'of'>;
  /** Where the objects of built-in resources lie. */
  readonly reserved: ReadonlySet<string>;
}

/** Under way at the same time: enough to share the log's flushes. */
const AT_ONCE = 64;

/** Where the objects of a definition lie: `example.com/widgets`. */
export function storageOf({ spec }: CustomResourceDefinition): string {
  return `${spec.group}/${spec.names.plural}`;
}

/**
 * @param definition as it was looked at.
 * @returns `later`: some may be left. A definition that was changed meanwhile is looked at as well.
 */
export async function removeLeftovers(
  parts: LeftoversParts,
  definition: CustomResourceDefinition,
): Promise<WorkOutcome> {
  const storage = storageOf(definition);
  if (hasServed(definition) || parts.reserved.has(storage)) return 'done';
  const left = [...parts.objects.of(storage).inOrder('')];
  const requirement = requirementOn(definition);
  for (let from = 0; from < left.length; from += AT_ONCE) {
    const removals = left.slice(from, from + AT_ONCE).map((object) => {
      return removeStored(parts, object, [requirement]);
    });
    const commits = await Promise.all(removals);
    if (commits.some(({ kind }) => kind !== 'committed')) return 'later';
  }
  return 'done';
}

/** From then on there may be objects of its own. */
function hasServed(definition: CustomResourceDefinition): boolean {
  return hasCondition(definition, 'NamesAccepted') || hasCondition(definition, 'Established');
}

function requirementOn({ metadata }: CustomResourceDefinition): Requirement {
  return {
    resource: DEFINITIONS,
    path: pathOf('', metadata.name ?? ''),
    resourceVersion: resourceVersion(Number(metadata.resourceVersion)),
  };
}
