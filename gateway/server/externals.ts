/**
 * What a server has of the world outside its process: time, chance, and the way out to webhooks. Made
 * once, with the log, and handed to the phases behind it, so that a test can give others.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { WebhookClient } from '../../api/kinds/custom/webhook-client.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { STRAIGHT } from '../configuration/egress.ts';
import type { EgressSettings } from '../flags/sections/egress-settings.ts';
import { HttpsWebhooks, type HttpsWebhooksParts } from '../outbound/https-webhooks.ts';
import { systemClock, systemRandom } from '../process/system-clock.ts';
import { serviceAddresses } from './views/service-addresses.ts';

export interface Externals {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Calls webhooks, for a control plane with these objects: webhooks may be named as its services.
   *
   * @param deprecated told of a certificate that upstream has deprecated.
   */
  webhooks(
    objects: Pick<ObjectView, 'get' | 'of'>,
    deprecated?: HttpsWebhooksParts['deprecated'],
  ): WebhookClient;
}

export function systemExternals({ egressSelectorConfigFile }: EgressSettings): Externals {
  const proxies = egressSelectorConfigFile ?? STRAIGHT;
  return {
    clock: systemClock,
    random: systemRandom,
    webhooks(objects, deprecated) {
      const resolve = serviceAddresses(objects);
      const told = deprecated === undefined ? {} : { deprecated };
      return new HttpsWebhooks({ clock: systemClock, resolve, proxies, ...told });
    },
  };
}
