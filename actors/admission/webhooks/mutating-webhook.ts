/**
 * MutatingAdmissionWebhook: asks webhooks outside what is to be changed of an object before it is
 * written, one behind the other, each seeing what those before it have made of it. The audit record
 * is told which were asked, whether and how they changed the object, and which could not be asked.
 *
 * In Kubernetes: plugin/webhook/mutating, apiserver/pkg/admission, with its webhookAnnotator.
 */
import { internalError, type Status, timedOut } from '../../../api/meta/status.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { MutatingPlugin } from '../admission-plugin.ts';
import { decodePatch, keepManagers, patchedObject, Reinvoked } from '../matching/patched-object.ts';
import { type VersionedObjects, WorkingObjects } from '../matching/versioned-objects.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { type Asked, askWebhook, failedCalling, type WebhookAskers } from './ask-webhook.ts';
import { isSelected, isWanted, type PlacedHook, webhookSteps } from './configured-hooks.ts';
import type { WebhookHook } from './webhook-hook.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { goJson } from '../../../api/json/go-format.ts';

const NAME = 'MutatingAdmissionWebhook';
const SAME: PatchOutcome = { isChanged: false };

export function mutatingWebhook(world: AdmissionWorld): MutatingPlugin {
  const mutatesAt = webhookSteps(
    world,
    { resource: 'mutatingwebhookconfigurations', users: world.webhookUsers?.(NAME) },
    (askers) => (attributes, placed) => new MutatingRound(world, askers, attributes).ask(placed),
  );
  return { name: NAME, mutatesAt };
}

/** What came of a patch: whether it changed anything, or why it could not be applied. */
interface PatchOutcome {
  readonly isChanged: boolean;
  readonly failure?: Asked;
}

/** All webhooks, asked about one request for the first or the second time. */
class MutatingRound {
  readonly #world: AdmissionWorld;
  readonly #askers: WebhookAskers;
  readonly #attributes: AdmissionAttributes;
  readonly #reinvoked: Reinvoked;
  readonly #working: WorkingObjects;

  constructor(world: AdmissionWorld, askers: WebhookAskers, attributes: AdmissionAttributes) {
    this.#world = world;
    this.#askers = askers;
    this.#attributes = attributes;
    this.#working = new WorkingObjects(attributes);
    this.#reinvoked = attributes.reinvocation.noteOf(NAME, () => new Reinvoked());
  }

  async ask(placed: readonly PlacedHook[]): Promise<Status | undefined> {
    const attributes = this.#attributes;
    const { isSecond } = attributes.reinvocation;
    if (isSecond && this.#reinvoked.isChangedSince(attributes.object)) {
      this.#reinvoked.objectChanged();
    }
    const managers = attributes.object?.metadata['managedFields'];
    for (const one of placed) {
      const problem = await this.#askOne(one);
      if (problem !== undefined) return problem;
    }
    const problem = await this.#working.settle();
    if (problem !== undefined) return problem;
    keepManagers(attributes, managers);
    this.#reinvoked.leave(attributes.object);
    return undefined;
  }

  async #askOne({ hook, target }: PlacedHook): Promise<Status | undefined> {
    const attributes = this.#attributes;
    const selected = isSelected(hook, attributes, this.#working.object);
    if (selected !== 'yes') return selected === 'no' ? undefined : selected;
    if (hook.conditions.length > 0) {
      const shown = await this.#working.shownAt(target);
      if (!shown.ok) return internalError(shown.message);
      const wanted = await isWanted(hook, attributes, shown.versioned, this.#world);
      if (wanted === 'no') this.#world.meters.webhooks.excluded(this.#about(hook));
      if (wanted !== 'yes') return wanted === 'no' ? undefined : wanted;
    }
    const { isSecond } = attributes.reinvocation;
    if (isSecond && !this.#reinvoked.isWanted(hook.uid)) return undefined;
    const shown = await this.#working.shownAt(target);
    if (!shown.ok) return internalError(shown.message);
    return this.#call(hook, shown.versioned);
  }

  async #call(hook: WebhookHook, versioned: VersionedObjects): Promise<Status | undefined> {
    const begun = this.#askers.clock.now();
    const notes = new MutationNotes(this.#attributes, hook);
    const answer = await askWebhook(this.#askers, hook, this.#attributes, {
      versioned,
      isMutating: true,
    });
    const { isChanged, failure = answer } = this.#apply(answer, hook, versioned, notes);
    notes.mutated(isChanged);
    this.#count(hook, failure, begun);
    if (isChanged) {
      this.#reinvoked.objectChanged();
      this.#attributes.reinvocation.ask();
    }
    if (hook.isReinvoked) this.#reinvoked.wasAsked(hook.uid);
    return this.#verdict(hook, failure, notes);
  }

  #apply(
    answer: Asked,
    hook: WebhookHook,
    versioned: VersionedObjects,
    notes: MutationNotes,
  ): PatchOutcome {
    if (answer.kind !== 'allowed' || answer.response.patch === undefined) return SAME;
    const decoded = decodePatch(answer.response.patch);
    if (!decoded.ok) {
      const message = `received undecodable patch in webhook response: ${decoded.message}`;
      return { isChanged: false, failure: { kind: 'failed', message, code: 503 } };
    }
    const { operations } = decoded;
    if (operations.length === 0) return SAME;
    if (versioned.object === undefined) return fault(modifiesNothing(hook.name));
    const { patchType } = answer.response;
    if (patchType !== 'JSONPatch') {
      const message = `unsupported patch type "${patchType}"`;
      return { isChanged: false, failure: { kind: 'failed', message, code: 400 } };
    }
    const { target, object } = versioned;
    const patched = patchedObject(target, this.#attributes.subresource, object, operations);
    if (!patched.ok) return fault(patched.message);
    notes.patched(operations);
    this.#working.replace(versioned, patched.object);
    return { isChanged: patched.isChanged };
  }

  #count(hook: WebhookHook, answer: Asked, begun: number): void {
    const { webhooks: meters } = this.#world.meters;
    const about = this.#about(hook);
    const isIgnored = answer.kind === 'failed' && hook.failurePolicy === 'Ignore';
    const isRejected = answer.kind !== 'allowed' && !isIgnored;
    const code = codeOf(answer);
    if (isRejected) meters.rejected(about, causeOf(answer), code);
    const tookMs = this.#askers.clock.now() - begun;
    meters.asked(about, code, isRejected, tookMs);
    this.#attributes.request.took('mutating-webhook', tookMs);
  }

  #verdict(hook: WebhookHook, answer: Asked, notes: MutationNotes): Status | undefined {
    switch (answer.kind) {
      case 'allowed':
        return undefined;
      case 'refused':
      case 'fault':
        return answer.status;
      case 'failed': {
        const message = failedCalling(hook.name, answer.message);
        if (hook.failurePolicy === 'Fail') return internalError(message);
        this.#world.meters.webhooks.failedOpen(this.#about(hook));
        notes.failedOpen();
        return outOfTime(this.#attributes, this.#askers.clock.now());
      }
    }
  }

  #about({ name }: WebhookHook) {
    return { name, type: 'admit', operation: this.#attributes.operation } as const;
  }
}

function fault(message: string): PatchOutcome {
  return { isChanged: false, failure: { kind: 'fault', status: internalError(message) } };
}

function modifiesNothing(name: string): string {
  return (
    `admission webhook "${name}" attempted to modify the object, ` +
    'which is not supported for this operation'
  );
}

export function outOfTime({ request }: AdmissionAttributes, now: number): Status | undefined {
  if (now < request.deadline) return undefined;
  return timedOut('request did not complete within requested timeout', 0);
}

/** The code that figures show. */
export function codeOf(answer: Asked): number {
  if (answer.kind === 'allowed') return 200;
  if (answer.kind === 'fault') return 0;
  return answer.kind === 'failed' ? answer.code : answer.status.code;
}

export function causeOf({ kind }: Asked) {
  if (kind === 'refused') return 'no_error';
  return kind === 'failed' ? 'calling_webhook_error' : 'apiserver_internal_error';
}

const MUTATION = 'mutation.webhook.admission.k8s.io/';
/** Shows the contents of objects: for records that show requests, not for those of metadata. */
const PATCH = 'patch.webhook.admission.k8s.io/';

export class MutationNotes {
  readonly #attributes: AdmissionAttributes;
  readonly #hook: WebhookHook;
  readonly #place: string;

  constructor(attributes: AdmissionAttributes, hook: WebhookHook) {
    const round = attributes.reinvocation.isSecond ? 1 : 0;
    this.#attributes = attributes;
    this.#hook = hook;
    this.#place = `round_${String(round)}_index_${String(hook.index)}`;
  }

  mutated(isChanged: boolean): void {
    const { configuration, name } = this.#hook;
    const value = { configuration, webhook: name, mutated: isChanged };
    this.#attributes.request.annotate(MUTATION + this.#place, goJson(value));
  }

  patched(operations: readonly JsonObject[]): void {
    if (this.#attributes.request.record?.keepsRequests !== true) return;
    const { configuration, name } = this.#hook;
    const patch = operations.map(sorted);
    const value = { configuration, webhook: name, patch, patchType: 'JSONPatch' };
    this.#attributes.request.annotate(PATCH + this.#place, goJson(value));
  }

  failedOpen(): void {
    const key = `failed-open.${MUTATION}${this.#place}`;
    this.#attributes.request.annotate(key, this.#hook.name);
  }
}

function sorted(operation: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(operation).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
