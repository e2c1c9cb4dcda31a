/** What a control plane serves: what is built in, and what its own definitions say. */
import { CompiledDefinitions } from '../../../api/kinds/custom/compiled-definitions.ts';
import { compileDefinition } from '../../../api/kinds/custom/compile-definition.ts';
import {
  CustomDefinitions,
  DEFINITIONS,
} from '../../../actors/served-resources/custom-definitions.ts';
import type { DefinitionSummary } from '../../../api/kinds/custom/definition-summary.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { RuleMeters } from '../../../api/kinds/custom/version-schema.ts';
import { nameOf } from '../../../streams/event.ts';
import type { WatchSessions } from '../../watch/watch-sessions.ts';
import { HttpsWebhooks } from '../../outbound/https-webhooks.ts';
import type { ControlPlane } from './control-plane.ts';
import { STRAIGHT } from '../../configuration/egress.ts';
import type { EgressSettings } from '../../flags/egress-settings.ts';
import type { OpenViews } from '../views/open-views.ts';
import { serviceAddresses } from './service-addresses.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';

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

/**
 * Ends the watches of objects that would be shown otherwise from now on. Their clients begin anew,
 * as they do when upstream tears down the storage of a definition that was changed.
 */
export function endOutdatedWatches(
  { opened, listen }: Pick<ControlPlane, 'opened' | 'listen'>,
  { custom }: ServedResources,
  sessions: WatchSessions,
): void {
  if (custom === undefined) return;
  listen(({ resource, type, path, object, previous }) => {
    if (resource !== DEFINITIONS || previous === undefined) return;
    const storage = storageOf(nameOf(path));
    // Mostly nobody watches, and then nothing has to be read.
    if (!sessions.hasAny(opened.applied, storage)) return;
    const isSame =
      type !== 'deleted' && servesTheSame(custom.summaryOf(previous), custom.summaryOf(object));
    if (!isSame) sessions.endOf(opened.applied, storage);
  });
}

/** `stable.example.com/crontabs` of `crontabs.stable.example.com`. */
function storageOf(definition: string): string {
  const dot = definition.indexOf('.');
  return `${definition.slice(dot + 1)}/${definition.slice(0, dot)}`;
}

/** In Kubernetes: updateCustomResourceDefinition of crdHandler. */
function servesTheSame(before: DefinitionSummary, now: DefinitionSummary): boolean {
  return (
    before.uid === now.uid &&
    before.generation === now.generation &&
    JSON.stringify(before.names) === JSON.stringify(now.names)
  );
}
