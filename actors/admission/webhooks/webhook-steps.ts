/** What the two plug-ins that ask webhooks have in common: where they are asked, and by what means. */
import type { AdmissionPlace } from '../admission-attributes.ts';
import type { AdmissionStep } from '../admission-plugin.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { configuredStep, type AskConfigured } from '../matching/configured-step.ts';
import type { WebhookAskers } from './ask-webhook.ts';
import { ConfiguredHooks, isExempt, type PlacedHook } from './configured-hooks.ts';
import { WebhookCalls } from './webhook-calls.ts';
import type { WebhookUsers } from './webhook-users.ts';

export interface AskedHooks {
  /** `mutatingwebhookconfigurations` or `validatingwebhookconfigurations`. */
  readonly resource: string;
  /** As whom the server asks. */
  readonly users: WebhookUsers | undefined;
}

export function webhookSteps(
  world: AdmissionWorld,
  { resource, users }: AskedHooks,
  askWith: (askers: WebhookAskers) => AskConfigured<PlacedHook>,
): (place: AdmissionPlace) => AdmissionStep | undefined {
  const hooks = new ConfiguredHooks(world.followed, resource);
  const { clock, random, webhooks: client } = world;
  const ask = askWith({ clock, random, calls: new WebhookCalls({ client, clock }), users });
  return (place) => (isExempt(place) ? undefined : configuredStep(hooks.at(place), ask));
}
