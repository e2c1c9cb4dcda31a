/**
 * ValidatingAdmissionWebhook: asks webhooks outside whether an object may be written as it is, all
 * beside one another. One that says no is enough; where several do, the first of them is heard.
 *
 * In Kubernetes: plugin/webhook/validating, apiserver/pkg/admission.
 */
import type { GroupVersionKind } from '../../../api/meta/object-meta.ts';
import { internalError, type Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { ValidatingPlugin } from '../admission-plugin.ts';
import type { NamedPlace } from '../matching/resource-rules.ts';
import {
  type Versioned,
  versionedFor,
  type VersionedObjects,
} from '../matching/versioned-objects.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { type Asked, askWebhook, failedCalling, type WebhookAskers } from './ask-webhook.ts';
import { isSelected, isWanted, type PlacedHook, webhookSteps } from './configured-hooks.ts';
import type { WebhookHook } from './webhook-hook.ts';
import { causeOf, codeOf, outOfTime } from './mutating-webhook.ts';

const NAME = 'ValidatingAdmissionWebhook';
const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/';

export function validatingWebhook(world: AdmissionWorld): ValidatingPlugin {
  const validatesAt = webhookSteps(
    world,
    { resource: 'validatingwebhookconfigurations', users: world.webhookUsers?.(NAME) },
    (askers) => (attributes, placed) => new ValidatingRound(world, askers, attributes).ask(placed),
  );
  return { name: NAME, validatesAt };
}

/** A webhook that is going to be asked, and what it is shown. */
interface Invocation {
  readonly hook: WebhookHook;
  readonly versioned: VersionedObjects;
}

function isInvocation(one: Invocation | Status): one is Invocation {
  return 'hook' in one;
}

class ValidatingRound {
  readonly #world: AdmissionWorld;
  readonly #askers: WebhookAskers;
  readonly #attributes: AdmissionAttributes;
  readonly #shown = new Map<string, Versioned>();

  constructor(world: AdmissionWorld, askers: WebhookAskers, attributes: AdmissionAttributes) {
    this.#world = world;
    this.#askers = askers;
    this.#attributes = attributes;
  }

  async ask(placed: readonly PlacedHook[]): Promise<Status | undefined> {
    const invocations: Invocation[] = [];
    for (const one of placed) {
      const invocation = await this.#invocationOf(one);
      if (invocation === undefined) continue;
      if (!isInvocation(invocation)) return invocation;
      invocations.push(invocation);
    }
    if (invocations.length === 0) return undefined;
    const begun = this.#askers.clock.now();
    const late = outOfTime(this.#attributes, begun);
    if (late !== undefined) return late;
    const verdicts = await Promise.all(
      invocations.map((invocation, index) => this.#call(invocation, index)),
    );
    this.#attributes.request.took('validating-webhook', this.#askers.clock.now() - begun);
    return verdicts.find((verdict) => verdict !== undefined);
  }

  async #invocationOf({ hook, target }: PlacedHook): Promise<Invocation | Status | undefined> {
    const attributes = this.#attributes;
    const selected = isSelected(hook, attributes, attributes.object);
    if (selected !== 'yes') return selected === 'no' ? undefined : selected;
    const shown = await this.#shownAt(target);
    if (!shown.ok) return internalError(shown.message);
    const { versioned } = shown;
    const wanted = await isWanted(hook, attributes, versioned, this.#world);
    if (wanted === 'no') this.#world.meters.webhooks.excluded(this.#about(hook));
    if (wanted !== 'yes') return wanted === 'no' ? undefined : wanted;
    return { hook, versioned };
  }

  async #shownAt(target: NamedPlace): Promise<Versioned> {
    const key = kindKeyOf(target.kind);
    const known = this.#shown.get(key);
    if (known !== undefined) return known;
    const shown = await versionedFor(this.#attributes, target);
    this.#shown.set(key, shown);
    return shown;
  }

  async #call({ hook, versioned }: Invocation, index: number): Promise<Status | undefined> {
    const { clock } = this.#askers;
    const begun = clock.now();
    const answer = await askWebhook(this.#askers, hook, this.#attributes, {
      versioned,
      isMutating: false,
    });
    this.#count(hook, answer, clock.now() - begun);
    if (answer.kind === 'allowed') return undefined;
    if (answer.kind !== 'failed') return answer.status;
    if (hook.failurePolicy === 'Fail') {
      return internalError(failedCalling(hook.name, answer.message));
    }
    this.#world.meters.webhooks.failedOpen(this.#about(hook));
    const key = `${FAILED_OPEN}round_0_index_${String(index)}`;
    this.#attributes.request.annotate(key, hook.name);
    return undefined;
  }

  #count(hook: WebhookHook, answer: Asked, durationMs: number): void {
    const { webhooks: meters } = this.#world.meters;
    const about = this.#about(hook);
    const isIgnored = answer.kind === 'failed' && hook.failurePolicy === 'Ignore';
    const isRejected = answer.kind !== 'allowed' && !isIgnored;
    const code = codeOf(answer);
    if (isRejected) meters.rejected(about, causeOf(answer), code);
    meters.asked(about, code, isRejected, durationMs);
  }

  #about({ name }: WebhookHook) {
    return { name, type: 'validating', operation: this.#attributes.operation } as const;
  }
}

function kindKeyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}
