/** The kinds whose rules are measured, each with objects of it that are right in different ways. */
import type { JsonObject } from '../../../api/meta/json.ts';
import { accessKinds } from './objects/access.ts';
import { batchKinds } from './objects/batch.ts';
import { certificateKinds } from './objects/certificates.ts';
import { coreClusterKinds } from './objects/core-cluster.ts';
import { coreDataKinds } from './objects/core-data.ts';
import { coreServiceKinds } from './objects/core-services.ts';
import { coreVolumeKinds } from './objects/core-volumes.ts';
import { deviceKinds } from './objects/devices.ts';
import { networkingKinds } from './objects/networking.ts';
import { podKinds } from './objects/pods.ts';
import { policyKinds } from './objects/policies.ts';
import { storageKinds } from './objects/storage.ts';
import { workloadKinds } from './objects/workloads.ts';

export interface ParityKind {
  /** As the table calls it: `Pod`; with its group where two groups have one: `Event (events.k8s.io)`. */
  readonly name: string;
  /** Objects that kube-apiserver takes as they are. Each is also an old object of updates. */
  readonly bases: readonly JsonObject[];
  /** What the registry does to an object before the strategy has its turn; changes it. */
  readonly beforehand?: (object: JsonObject, old: JsonObject | undefined) => void;
  /** Top-level fields in which faults are made; all but `status` unless said otherwise. */
  readonly sections?: readonly string[];
}

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
];
