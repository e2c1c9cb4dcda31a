/** Resources of the core group as they are served, for tests of whatever carries objects to clients. */
import { testClock } from '../actors/request/given.fixture.ts';
import { builtInResources } from '../api/kinds/built-in.ts';
import type { ServedResource } from '../api/kinds/resource-definition.ts';
import { ServedResources } from '../actors/served-resources/served-resources.ts';

const served = new ServedResources(builtInResources(testClock()));
export const configMaps = servedOfCore('configmaps');

/** @throws where there is none of that name. */
export function servedOfCore(resource: string): ServedResource {
  const found = served.lookup({ apiGroup: '', apiVersion: 'v1', resource });
  if (found === undefined) throw new Error(`no ${resource} are served`);
  return found;
}

/** Every built-in resource. */
export function servedBuiltIn(): Iterable<ServedResource> {
  return served.builtIn();
}
