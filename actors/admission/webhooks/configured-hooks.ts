/**
 * All webhooks of one sort, and which of them could want to see what is done at a place in the API.
 *
 * In Kubernetes: mutatingWebhookConfigurationManager and ShouldCallHook,
 * apiserver/pkg/admission/configuration and plugin/webhook/generic.
 */
import type { FollowedObjects } from '../../../projections/followed-objects.ts';
import type { AdmissionPlace } from '../admission-attributes.ts';
import { Configured, whenChanged } from '../matching/configured.ts';
import type { NamedPlace } from '../matching/equivalent-places.ts';
import { matchesAt } from '../matching/resource-rules.ts';
import { compileHooks, type WebhookHook } from './webhook-hook.ts';

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

export function isExempt({ served: { facts } }: AdmissionPlace): boolean {
  return facts.group === GROUP && EXEMPT.has(facts.kind);
}

export class ConfiguredHooks {
  readonly #configured: Configured<readonly Omit<WebhookHook, 'index'>[]>;
  readonly #all: () => readonly WebhookHook[];

  /** @param resource `mutatingwebhookconfigurations` or `validatingwebhookconfigurations`. */
  constructor(followed: FollowedObjects, resource: string) {
    this.#configured = new Configured(followed, `${GROUP}/${resource}`, compileHooks);
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
