/** What there is around the plug-ins of admission: the control plane that they stand in. */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { FollowedObjects } from '../../projections/followed-objects.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Faults } from '../request/faults.ts';
import type { Loopback } from '../loopback/loopback.ts';
import type { KeySlots } from '../slots/key-slots.ts';
import type { WebhookClient } from '../../api/kinds/custom/webhook-client.ts';
import type { ServedResources } from '../served-resources/served-resources.ts';
import type { ReviewClient } from '../request/webhook-review.ts';
import type { WebhookUsers } from './webhooks/webhook-configuration.ts';
import type { AdmissionMeters } from './admission-meters.ts';

/** How long a pod stays on a node that fails, where it does not say itself. */
export interface TolerationSeconds {
  /** For the taint `node.kubernetes.io/not-ready`. */
  readonly notReadySeconds: number;
  /** For the taint `node.kubernetes.io/unreachable`. */
  readonly unreachableSeconds: number;
}

/** What plug-ins look at. */
export interface AdmissionWorld {
  /** What there is now, of all resources. */
  readonly objects: ObjectView;
  /** Indexes of objects that are kept up to date by the fold. */
  readonly followed: FollowedObjects;
  /** The resources of the control plane, custom ones among them. */
  readonly served: ServedResources;
  readonly authorizer: Authorizer;
  /** Of this control plane: a plug-in that counts (quotas) holds the slots of what it counts. */
  readonly slots: KeySlots;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of what fails without a client to hear of it. */
  readonly faults: Pick<Faults, 'record'>;
  /** The way in of this control plane, for what a plug-in writes. */
  readonly loopback: Loopback;
  /** The way out, to webhooks. */
  readonly webhooks: WebhookClient;
  /** Figures of webhooks, policies and pod security. */
  readonly meters: AdmissionMeters;
  /** The users with which a plug-in calls webhooks; undefined: it calls without credentials. */
  readonly webhookUsers?: ((plugin: string) => WebhookUsers | undefined) | undefined;
  /** The way out to the server that judges images, where one is configured. */
  readonly imageReviews?: ReviewClient | undefined;
  /** Nodes get tokens for audiences that their pods do not name: without ServiceAccountNodeAudienceRestriction. */
  readonly givesNodesAnyAudience?: boolean | undefined;
  /** How long pods stay on nodes that fail; undefined: as long as upstream has it. */
  readonly tolerationSeconds?: TolerationSeconds | undefined;
}
