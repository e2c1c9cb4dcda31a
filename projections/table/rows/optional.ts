/**
 * Rows of kinds that are served only where they are switched on.
 *
 * In Kubernetes: printLeaseCandidate and its neighbours, pkg/printers/internalversion.
 */
import type { ClusterTrustBundle } from '../../../api/generated/kinds/certificates-v1beta1.ts';
import type { LeaseCandidate } from '../../../api/generated/kinds/coordination-v1beta1.ts';
import type { StorageVersionMigration } from '../../../api/generated/kinds/storagemigration-v1beta1.ts';
import { items } from '../../../api/json/go-values.ts';
import { ageOf, type Cell, nameOf } from '../cells.ts';

/** Name, SignerName. */
export function clusterTrustBundleCells(bundle: ClusterTrustBundle): Cell[] {
  return [nameOf(bundle), bundle.spec.signerName ?? '<none>'];
}

/** Name, LeaseName, BinaryVersion, EmulationVersion, Age. */
export function leaseCandidateCells(candidate: LeaseCandidate, now: number): Cell[] {
  const { leaseName, binaryVersion, emulationVersion = '' } = candidate.spec;
  return [nameOf(candidate), leaseName, binaryVersion, emulationVersion, ageOf(candidate, now)];
}

const STATES: readonly string[] = ['Running', 'Failed', 'Succeeded'];

/** Name, Resource, Status. The last of its conditions that holds is its status. */
export function storageVersionMigrationCells({
  metadata,
  spec,
  status,
}: StorageVersionMigration): Cell[] {
  const { group, resource } = spec.resource;
  const holding = items(status.conditions).filter(
    (one) => one.status === 'True' && STATES.includes(one.type),
  );
  const name = group === '' ? resource : `${resource}.${group}`;
  return [nameOf({ metadata }), name, holding.at(-1)?.type ?? 'Unknown'];
}
