/**
 * Persistent volume claims: storage that is asked for. The storage class is not among the defaults:
 * admission chooses it. What a claim is filled from is said twice: `dataSource` is the old field,
 * `dataSourceRef` the new one, and a claim that has one gets the other.
 *
 * In Kubernetes: registry/core/persistentvolumeclaim; EnforceDataSourceBackwardsCompatibility,
 * NormalizeDataSources and GetWarningsForPersistentVolumeClaim, pkg/api/persistentvolumeclaim.
 */
import { defineKind } from '../../kind.ts';
import { validateClaim, validateClaimChange, validateClaimStatus } from './validation.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '../../../generated/kinds/core-v1.ts';
import { setClaimDefaults } from '../../pod-spec/volumes/volume-defaults.ts';
import { claimSpecWarnings } from '../../rules/resource-names.ts';

/** The kind PersistentVolumeClaim. */
export const persistentVolumeClaims = defineKind('v1/persistentvolumeclaims', {
  rules: {
    returnsDeletedObject: true,
    status: { initial: () => ({ phase: 'Pending' }), validateUpdate: validateClaimStatus },
    warningsOnCreate: claimWarnings,
    warningsOnUpdate: claimWarnings,
    prepareForCreate: (claim) => prepareDataSources(claim, undefined),
    prepareForUpdate: prepareDataSources,
    validate: (claim) => validateClaim(claim),
    validateUpdate: (claim, old) => [
      ...validateClaim(claim, old),
      ...validateClaimChange(claim, pairDataSources(old)),
    ],
  },
});

/** SetDefaults_PersistentVolumeClaim and SetDefaults_PersistentVolumeClaimSpec. */
export function setPersistentVolumeClaimDefaults(claim: PersistentVolumeClaim): void {
  setClaimDefaults(claim);
}

/** Changes `claim`; `old` is undefined on create. */
function prepareDataSources(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim | undefined,
): void {
  const spec = { ...claim.spec };
  // Sources in other namespaces are off by default, and stay where they already are.
  if (isElsewhere(spec.dataSourceRef) && old?.spec.dataSourceRef === undefined) {
    delete spec.dataSourceRef;
  }
  const isInUse = old !== undefined && hasDataSource(old.spec);
  // Other sources were once dropped in silence; clients that only know the old field rely on it.
  if (!isInUse && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec.dataSource)) {
    delete spec.dataSource;
  }
  claim.spec = spec;
  claim.spec = pairDataSources(claim).spec;
}

/** A claim that has both fields or neither; the one given does not change. */
function pairDataSources<Claim extends PersistentVolumeClaim>(claim: Claim): Claim {
  const { spec } = claim;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) {
    return { ...claim, spec: { ...spec, dataSourceRef: referenceOf(dataSource) } };
  }
  if (dataSourceRef !== undefined && dataSource === undefined && !isElsewhere(dataSourceRef)) {
    return { ...claim, spec: { ...spec, dataSource: referenceOf(dataSourceRef) } };
  }
  return claim;
}

/** The old field cannot name another namespace. */
function isElsewhere(reference: TypedObjectReference | undefined): boolean {
  return (reference?.namespace ?? '') !== '';
}

function referenceOf({
  apiGroup,
  kind,
  name,
}: TypedLocalObjectReference | TypedObjectReference): TypedLocalObjectReference {
  return { apiGroup, kind, name };
}

function hasDataSource(spec: PersistentVolumeClaimSpec): boolean {
  return spec.dataSource !== undefined || spec.dataSourceRef !== undefined;
}

function isClaimOrSnapshot(source: TypedLocalObjectReference | undefined): boolean {
  const group = source?.apiGroup ?? '';
  return (
    (source?.kind === 'PersistentVolumeClaim' && group === '') ||
    (source?.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io')
  );
}

const STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** An annotation that is a field today, and storage that is no whole bytes. */
function claimWarnings(claim: PersistentVolumeClaim): readonly string[] {
  const isOld = claim.metadata.annotations?.[STORAGE_CLASS] !== undefined;
  const message = 'deprecated since v1.8; use "storageClassName" attribute instead';
  return [
    ...(isOld ? [`metadata.annotations[${STORAGE_CLASS}]: ${message}`] : []),
    ...claimSpecWarnings('spec', claim.spec),
  ];
}
