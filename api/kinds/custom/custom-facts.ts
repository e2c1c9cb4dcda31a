/**
 * A version of a custom resource in the words of discovery, which are those of built-in resources.
 *
 * In Kubernetes: DiscoveryController, apiextensions-apiserver/pkg/apiserver.
 */
import { createHash } from 'node:crypto';
import type { ResourceFacts, SubresourceFacts } from '../../scheme/resource-facts.ts';
import type { DefinitionSummary, VersionSummary } from './definition-summary.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
/** While the definition is being deleted. Only discovery says so: updates go on. */
const VERBS_OF_TERMINATING = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];
const SCALE_TYPE = 'io.k8s.api.autoscaling.v1.Scale';
const HASH_BYTES = 8;

export function customFacts(summary: DefinitionSummary, version: VersionSummary): ResourceFacts {
  const { group, names, namespaced, storageVersion } = summary;
  return {
    group,
    version: version.name,
    resource: names.plural,
    singular: names.singular,
    kind: names.kind,
    listKind: names.listKind,
    namespaced,
    verbs: VERBS,
    shortNames: names.shortNames,
    categories: names.categories,
    // There is no generated type, and so no protobuf and no strategic merge.
    typeId: '',
    listTypeId: '',
    subresources: subresourcesOf(summary, version),
    storageVersionHash: storageVersionHash(group, storageVersion, names.kind),
  };
}

/** What discovery shows, which is less than what is answered. */
export function shownFacts(summary: DefinitionSummary, version: VersionSummary): ResourceFacts {
  const facts = customFacts(summary, version);
  return summary.isTerminating ? { ...facts, verbs: VERBS_OF_TERMINATING } : facts;
}

function subresourcesOf(
  { group, names }: DefinitionSummary,
  { name: version, hasStatus, scale }: VersionSummary,
): SubresourceFacts[] {
  const verbs = SUBRESOURCE_VERBS;
  const found: SubresourceFacts[] = [];
  if (hasStatus) {
    found.push({ name: 'status', kind: names.kind, group, version, verbs, typeId: '' });
  }
  if (scale !== undefined) {
    const typeId = SCALE_TYPE;
    found.push({
      name: 'scale',
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs,
      typeId,
    });
  }
  return found;
}

/** In Kubernetes: StorageVersionHash, apiserver/pkg/endpoints/discovery. */
function storageVersionHash(group: string, version: string, kind: string): string {
  const hash = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return hash.subarray(0, HASH_BYTES).toString('base64');
}
