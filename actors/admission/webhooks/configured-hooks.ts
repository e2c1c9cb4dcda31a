/**
 * What the two plug-ins that ask webhooks have in common: all webhooks of one sort, which of them
 * are asked at a place in the API, and whether a webhook wants to see this write by its selectors
 * and conditions.
 *
 * In Kubernetes: mutatingWebhookConfigurationManager and ShouldCallHook,
 * apiserver/pkg/admission/configuration and plugin/webhook/generic.
 */
import { meetsConditions, noteConditions } from '../expressions/match-conditions.ts';
import { type Selected, selects } from '../matching/match-resources.ts';
import { matchesAt, type NamedPlace } from '../matching/resource-rules.ts';
import { compileHooks, type WebhookHook } from './webhook-hook.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { forbidden, type Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes, AdmissionPlace } from '../admission-attributes.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { AdmissionVariables } from '../expressions/evaluation.ts';
import { AskedDecisions } from '../expressions/check-authority.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';
import type { FollowedObjects } from '../../../projections/followed-objects.ts';
import {
  type AskConfigured,
  Configured,
  configuredStep,
  whenChanged,
} from '../matching/configured.ts';
import type { AdmissionStep } from '../admission-plugin.ts';
import type { WebhookAskers } from './ask-webhook.ts';
import { WebhookCalls } from './webhook-calls.ts';
import type { WebhookUsers } from './webhook-configuration.ts';

/** @param object as it is by now. */
export function isSelected(
  { selection }: WebhookHook,
  attributes: AdmissionAttributes,
  object: AdmissionAttributes['object'],
): Selected {
  const { served, operation, subresource, namespace, objects, oldObject } = attributes;
  const where = { served, operation, subresource, namespace, objects };
  return selects(selection, { ...where, object, oldObject });
}

export function isWanted(
  hook: WebhookHook,
  attributes: AdmissionAttributes,
  versioned: VersionedObjects,
  { authorizer, meters }: Pick<AdmissionWorld, 'authorizer' | 'meters'>,
): MaybePromise<Selected> {
  const { conditions, failurePolicy, name, isMutating } = hook;
  if (conditions.length === 0) return 'yes';
  const decisions = new AskedDecisions(authorizer);
  const met = decisions.settled(() => {
    const variables = new AdmissionVariables({ attributes, versioned, decisions });
    return meetsConditions(conditions, variables, { failurePolicy, now: () => meters.now() });
  });
  return andThen(met, (result): Selected => {
    const type = isMutating ? 'admit' : 'validate';
    const { operation } = attributes;
    noteConditions(meters, { name, kind: 'webhook', type, operation }, result);
    if (result.error !== undefined) return unfit(attributes, result.error);
    return result.matches ? 'yes' : 'no';
  });
}

function unfit({ served, name }: AdmissionAttributes, why: string): Status {
  const { group, resource } = served.facts;
  return forbidden({ group, resource }, name, why);
}

/** A webhook that is about a place, and how objects are shown to it. */
export interface PlacedHook {
  readonly hook: WebhookHook;
  readonly target: NamedPlace;
}

const GROUP = 'admissionregistration.k8s.io';

/** What is configured here is not shown to webhooks: one that refuses it could not be repaired. */
const EXEMPT: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

function isExempt({ served: { facts } }: AdmissionPlace): boolean {
  return facts.group === GROUP && EXEMPT.has(facts.kind);
}

type ConfigurationResource = 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';
type ConfigurationPath = `${typeof GROUP}/v1/${ConfigurationResource}`;

class ConfiguredHooks {
  readonly #configured: Configured<readonly Omit<WebhookHook, 'index'>[], ConfigurationPath>;
  readonly #all: () => readonly WebhookHook[];

  constructor(followed: FollowedObjects, resource: ConfigurationResource) {
    this.#configured = new Configured(followed, `${GROUP}/v1/${resource}`, compileHooks);
    this.#all = whenChanged([this.#configured], () =>
      this.#configured.all.flat().map((hook, index) => ({ ...hook, index })),
    );
  }

  /** @returns gives those there are for the place whenever it is asked. */
  at(place: AdmissionPlace): () => readonly PlacedHook[] {
    return whenChanged([this.#configured], () =>
      this.#all().flatMap((hook) => {
        const [match] = matchesAt(hook.rules, hook.matchPolicy, place);
        return match === undefined ? [] : [{ hook, target: match.target }];
      }),
    );
  }
}

interface AskedHooks {
  readonly resource: ConfigurationResource;
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
