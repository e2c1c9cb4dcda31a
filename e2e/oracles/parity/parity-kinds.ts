/** The kinds whose rules are measured, each with objects of it that are right in different ways. */
import type { ParityKind } from './parity-kind.ts';
import { accessKinds } from './objects/access.ts';
import { batchKinds } from './objects/batch.ts';
import { certificateKinds } from './objects/certificates.ts';
import { coreClusterKinds } from './objects/core-cluster.ts';
import { coreDataKinds } from './objects/core-data.ts';
import { coreServiceKinds } from './objects/core-services.ts';
import { coreVolumeKinds } from './objects/core-volumes.ts';
import { deviceKinds } from './objects/devices.ts';
import { networkingKinds } from './objects/networking.ts';
import { optionalKinds } from './objects/optional.ts';
import { podKinds } from './objects/pods.ts';
import { policyKinds } from './objects/policies.ts';
import { storageKinds } from './objects/storage.ts';
import { workloadKinds } from './objects/workloads.ts';

export const parityKinds: readonly ParityKind[] = [
  ...podKinds,
  ...workloadKinds,
  ...batchKinds,
  ...coreServiceKinds,
  ...coreDataKinds,
  ...coreClusterKinds,
  ...coreVolumeKinds,
  ...networkingKinds,
  ...storageKinds,
  ...accessKinds,
  ...policyKinds,
  ...certificateKinds,
  ...deviceKinds,
  ...optionalKinds,
];
