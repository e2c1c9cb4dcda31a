/** Makes the context of writes from the opened views of a control plane. */
import type { AdmissionMeters } from '../../../actors/admission/admission-meters.ts';
import type { Authorizer } from '../../../actors/authorization/authorizer.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { Loopback } from '../../../actors/loopback/loopback.ts';
import { Committer } from '../../../actors/registry/commit/committer.ts';
import { KeySlots } from '../../../actors/slots/key-slots.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { WriteContext } from '../../../actors/registry/write-context.ts';
import {
  OwnLogMoment,
  ReportedEndMoment,
  type ReadMoment,
} from '../../../projections/read-moment.ts';
import type { StorageFigures } from '../../metrics/storage-figures.ts';
import { bodyDecoder } from '../../negotiation/body-decoder.ts';
import { HttpsWebhooks } from '../../outbound/https-webhooks.ts';
import { admissionOf, type AdmissionWays } from './admission.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { STRAIGHT } from '../../configuration/egress.ts';
import { serviceAddresses } from '../views/service-addresses.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';

const CONTINUE_TOKEN_TTL_MS = 5 * 60_000;

/** What a control plane is told. */
export type PlaneOptions = Pick<
  ServeOptions,
  'log' | 'requests' | 'features' | 'admission' | 'egress'
>;

export interface WriteContextParts {
  readonly options: PlaneOptions;
  readonly faults: Faults;
  readonly served: ServedResources;
  readonly authorizer: Authorizer;
  /** The way in to the control plane that this is the context of, once it is there. */
  readonly loopback: Loopback;
  readonly meters: AdmissionMeters;
  readonly admissionWays: AdmissionWays;
  readonly storage?: StorageFigures;
}

export function writeContext(opened: OpenViews, parts: WriteContextParts): WriteContext {
  const { options, faults, served, authorizer, loopback, meters, admissionWays } = parts;
  const { followed } = opened;
  const slots = new KeySlots();
  const { resourceViews, objects, applied, log, store } = opened;
  const webhooks = new HttpsWebhooks({
    clock: systemClock,
    resolve: serviceAddresses(objects),
    proxies: options.egress.egressSelectorConfigFile ?? STRAIGHT,
    deprecated: meters.webhooks.deprecatedCertificate.bind(meters.webhooks),
  });
  const world = {
    objects,
    followed,
    served,
    authorizer,
    slots,
    faults,
    loopback,
    webhooks,
    meters,
    ...admissionWays,
    tolerationSeconds: {
      notReadySeconds: options.admission.defaultNotReadyTolerationSeconds,
      unreachableSeconds: options.admission.defaultUnreachableTolerationSeconds,
    },
  };
  const { storage } = parts;
  const times = { clock: systemClock, random: systemRandom };
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
    },
    committer,
    slots,
    decoder: bodyDecoder,
    admission: admissionOf(options.admission, { ...world, ...times }),
    authorizer,
    faults,
  };
}

/** The place that tells what "now" is. */
function momentOf(
  { hasOtherWriters, log, applied }: OpenViews,
  { readConsistency, readOnly }: ServeOptions['log'],
  committer: Committer,
): ReadMoment {
  if (!hasOtherWriters) return new OwnLogMoment(applied);
  if (readOnly || readConsistency === 'fresh') return new ReportedEndMoment(log, applied);
  return { newest: () => committer.reach() };
}
