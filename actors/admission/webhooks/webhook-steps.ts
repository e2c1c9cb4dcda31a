/** What the two plug-ins that ask webhooks have in common: where they are asked, and by what means. */
import type { AdmissionPlace } from '../admission-attributes.ts';
import type { AdmissionStep } from '../admission-plugin.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { configuredStep, type AskConfigured } from '../matching/configured-step.ts';
import type { WebhookAskers } from './ask-webhook.ts';
import { ConfiguredHooks, isExempt, type PlacedHook } from './configured-hooks.ts';
import { WebhookCalls } from './webhook-calls.ts';

/** @param resource `mutatingwebhookconfigurations` or `validatingwebhookconfigurations`. */
export function webhookSteps(
  world: AdmissionWorld,
  resource: string,
  askWith: (askers: WebhookAskers) => AskConfigured<PlacedHook>,
): (place: AdmissionPlace) => AdmissionStep | undefined {
  const hooks = new ConfiguredHooks(world.followed, resource);
  const { clock, random, webhooks: client } = world;
  const ask = askWith({ clock, random, calls: new WebhookCalls({ client, clock }) });
  return (place) => (isExempt(place) ? undefined : configuredStep(hooks.at(place), ask));
}
