/** What a control plane serves: what is built in, and what its own definitions say. */
import { CompiledDefinitions } from '../../../api/kinds/custom/compiled-definitions.ts';
import { compileDefinition } from '../../../api/kinds/custom/compile-definition.ts';
import { CustomDefinitions } from '../../../actors/served-resources/custom-definitions.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { RuleMeters } from '../../../api/kinds/custom/version-schema.ts';
import { STRAIGHT } from '../../configuration/egress.ts';
import type { EgressSettings } from '../../flags/sections/egress-settings.ts';
import { HttpsWebhooks } from '../../outbound/https-webhooks.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import type { OpenViews } from './open-views.ts';
import { serviceAddresses } from './service-addresses.ts';

/** @param builtIn what is served whatever the definitions say. */
export function servedBy(
  { objects, resourceViews }: Pick<OpenViews, 'objects' | 'resourceViews'>,
  builtIn: ServedResources,
  { egressSelectorConfigFile, meters }: EgressSettings & { readonly meters?: RuleMeters },
): ServedResources {
  const clock = systemClock;
  const proxies = egressSelectorConfigFile ?? STRAIGHT;
  const webhooks = new HttpsWebhooks({ clock, resolve: serviceAddresses(objects), proxies });
  const converter = { webhooks, random: systemRandom, meters };
  const compiled = new CompiledDefinitions({
    clock,
    compile: (definition) => compileDefinition(definition, converter),
  });
  return builtIn.with(
    new CustomDefinitions({
      objects,
      pastOf: (resource) => resourceViews.of(resource),
      compiled,
      reserved: builtIn.storages(),
    }),
  );
}
