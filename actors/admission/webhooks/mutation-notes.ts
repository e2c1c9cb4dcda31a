/**
 * What the record of audit is told of mutating webhooks: which were asked, whether they changed the
 * object and how, and which could not be asked. The place of a webhook is that among all there are.
 *
 * In Kubernetes: webhookAnnotator, apiserver/pkg/admission/plugin/webhook/mutating.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import { goJson } from '../../../api/json/go-format.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { WebhookHook } from './webhook-hook.ts';

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
