/** Makes the context of writes from the opened views of a control plane. */
import { Admission } from '../../../actors/admission/admission.ts';
import type { AdmissionMeters } from '../../../actors/admission/admission-meters.ts';
import type { Authorizer } from '../../../actors/authorization/authorizer.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { Loopback } from '../../../actors/loopback/loopback.ts';
import { Committer } from '../../../actors/registry/commit/committer.ts';
import { ServiceAllocation } from '../../../actors/registry/services/service-allocation.ts';
import { KeySlots } from '../../../actors/slots/key-slots.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { ReadMeters, WriteMeters } from '../../../actors/registry/storage-meters.ts';
import type { WriteContext } from '../../../actors/registry/write-context.ts';
import {
  OwnLogMoment,
  ReportedEndMoment,
  SharedEndMoment,
  type ReadMoment,
} from '../../../projections/read-moment.ts';
import { bodyDecoder, bodyDecoderWithCbor } from '../../negotiation/body-decoder.ts';
import type { Externals } from '../externals.ts';
import type { AdmissionSetup } from './admission.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { FeatureSettings } from '../../flags/sections/lifecycle-settings.ts';
import type { RequestSettings } from '../../flags/sections/request-settings.ts';
import type { ServiceSettings } from '../../flags/sections/service-settings.ts';
import type { StorageSettings } from '../../flags/sections/storage-settings.ts';

const CONTINUE_TOKEN_TTL_MS = 5 * 60_000;

/** What a control plane is told. */
export interface PlaneOptions {
  readonly log: ReadSettings;
  readonly requests: Pick<RequestSettings, 'minRequestTimeoutMs'>;
  readonly features: Pick<FeatureSettings, 'featureGates'>;
  readonly services: ServiceSettings;
}

type ReadSettings = Pick<StorageSettings, 'readOnly' | 'readConsistency'>;

export interface WriteContextParts {
  readonly options: PlaneOptions;
  readonly externals: Externals;
  readonly faults: Faults;
  readonly served: ServedResources;
  readonly authorizer: Authorizer;
  /** The way in to the control plane that this is the context of, once it is there. */
  readonly loopback: Loopback;
  readonly meters: AdmissionMeters;
  readonly admission: AdmissionSetup;
  /** What is read and written is counted there; undefined: it is not counted. */
  readonly storage?: (ReadMeters & WriteMeters) | undefined;
}

export function writeContext(opened: OpenViews, parts: WriteContextParts): WriteContext {
  const { options, externals, faults, served, authorizer, loopback, meters, admission } = parts;
  const { clock, random } = externals;
  const slots = new KeySlots();
  const { resourceViews, objects, followed, applied, log, store } = opened;
  const { webhooks } = meters;
  const world = {
    ...{ objects, followed, served, authorizer, slots, faults, loopback, meters, clock, random },
    webhooks: externals.webhooks(objects, webhooks.deprecatedCertificate.bind(webhooks)),
    ...admission.settings,
  };
  const { storage } = parts;
  const times = { clock, random };
  const committer = new Committer({ log, ...times, faults, meters: storage });
  return {
    resourceViews,
    objects,
    history: store,
    applied,
    log,
    moment: momentOf(opened, options.log, committer),
    ...times,
    reads: storage,
    limits: {
      continueTokenTtlMs: CONTINUE_TOKEN_TTL_MS,
      watchTimeoutMinMs: options.requests.minRequestTimeoutMs,
      watchLists: options.features.featureGates.isOn('WatchList'),
      shards: options.features.featureGates.isOn('ShardedListAndWatch'),
    },
    committer,
    slots,
    allocation: new ServiceAllocation({ network: options.services, objects, committer, ...times }),
    decoder: options.features.featureGates.isOn('CBORServingAndStorage')
      ? bodyDecoderWithCbor
      : bodyDecoder,
    admission: new Admission(admission.plugins(world), meters),
    authorizer,
    deletes: {
      allowsUnsafe: options.features.featureGates.isOn('AllowUnsafeMalformedObjectDeletion'),
    },
    faults,
  };
}

/** The place that tells what "now" is. */
function momentOf(
  { hasOtherWriters, beside, log, applied }: OpenViews,
  { readConsistency, readOnly }: ReadSettings,
  committer: Committer,
): ReadMoment {
  if (beside !== undefined) return new SharedEndMoment(() => beside.end(), applied);
  if (!hasOtherWriters) return new OwnLogMoment(applied);
  if (readOnly || readConsistency === 'fresh') return new ReportedEndMoment(log, applied);
  return { newest: () => committer.reach() };
}
