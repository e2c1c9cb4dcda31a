/**
 * What a claim is filled from, said twice: `dataSource` is the old field, `dataSourceRef` the
 * new one, and a claim that has one gets the other.
 *
 * In Kubernetes: EnforceDataSourceBackwardsCompatibility and NormalizeDataSources,
 * pkg/api/persistentvolumeclaim.
 */
import { isJsonObject, stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { isMissing, specOf } from '../../rules/value-validation.ts';

/** Changes `claim`; `old` is undefined on create. */
export function prepareDataSources(claim: KubeObject, old: KubeObject | undefined): void {
  const spec = { ...specOf(claim) };
  const reference = spec['dataSourceRef'];
  const oldReference = old === undefined ? undefined : specOf(old)['dataSourceRef'];
  // Sources in other namespaces are off by default, and stay where they already are.
  if (isJsonObject(reference) && isElsewhere(reference) && isMissing(oldReference)) {
    Reflect.deleteProperty(spec, 'dataSourceRef');
  }
  const isInUse = old !== undefined && hasDataSource(specOf(old));
  // Other sources were once dropped in silence; clients that only know the old field rely on it.
  if (!isInUse && isMissing(spec['dataSourceRef']) && !isClaimOrSnapshot(spec['dataSource'])) {
    Reflect.deleteProperty(spec, 'dataSource');
  }
  claim['spec'] = spec;
  claim['spec'] = specOf(pairDataSources(claim));
}

/** A claim that has both fields or neither; the one given does not change. */
export function pairDataSources(claim: KubeObject): KubeObject {
  const spec = specOf(claim);
  const { dataSource, dataSourceRef } = spec;
  if (isJsonObject(dataSource) && isMissing(dataSourceRef)) {
    return { ...claim, spec: { ...spec, dataSourceRef: referenceOf(dataSource) } };
  }
  if (isJsonObject(dataSourceRef) && isMissing(dataSource) && !isElsewhere(dataSourceRef)) {
    return { ...claim, spec: { ...spec, dataSource: referenceOf(dataSourceRef) } };
  }
  return claim;
}

/** The old field cannot name another namespace. */
function isElsewhere(reference: JsonObject): boolean {
  return stringAt(reference, 'namespace') !== '';
}

function referenceOf(source: JsonObject): JsonObject {
  const { apiGroup } = source;
  return {
    // Go always writes this one.
    apiGroup: apiGroup ?? null,
    kind: stringAt(source, 'kind'),
    name: stringAt(source, 'name'),
  };
}

function hasDataSource(spec: JsonObject): boolean {
  return !isMissing(spec['dataSource']) || !isMissing(spec['dataSourceRef']);
}

function isClaimOrSnapshot(source: JsonObject[string]): boolean {
  if (!isJsonObject(source)) return false;
  const group = stringAt(source, 'apiGroup');
  const kind = stringAt(source, 'kind');
  return (
    (kind === 'PersistentVolumeClaim' && group === '') ||
    (kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io')
  );
}
