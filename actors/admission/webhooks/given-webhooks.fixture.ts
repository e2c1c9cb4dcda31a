/**
 * For tests: a control plane whose webhooks are functions. A webhook is called by the name in its
 * address; what it is asked and what it answers are reviews, as on the wire.
 */
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import { givenControlPlane } from '../../registry/given-registry.fixture.ts';
import type {
  WebhookAnswer,
  WebhookCall,
  WebhookClient,
  WebhookTarget,
} from '../../../api/kinds/custom/webhook-client.ts';
import type { AdmissionStep } from '../admission-plugin.ts';
import { mutatingWebhook } from './mutating-webhook.ts';
import { testMeters } from '../test-meters.fixture.ts';
import { validatingWebhook } from './validating-webhook.ts';

export interface AskedReview {
  readonly name: string;
  readonly request: JsonObject;
  readonly apiVersion: string;
  readonly timeoutMs: number;
}

/** The response without its uid; a text is a failure to call; bytes are the whole body. */
export type AnswerReview = (request: JsonObject) => JsonObject | string | Buffer;

/** @param before what another plug-in does in front of all webhooks, each time it is asked. */
export async function givenWebhooks(authorizer?: Authorizer, before?: AdmissionStep) {
  const asked: AskedReview[] = [];
  const answers = new Map<string, AnswerReview>();
  const meters = testMeters();
  const client: WebhookClient = {
    post: (target, body, call) => Promise.resolve(answered(target, body, call)),
  };
  function answered(target: WebhookTarget, body: Buffer, call?: WebhookCall): WebhookAnswer {
    const name = new URL(target.url).pathname.slice(1);
    const { apiVersion, request } = JSON.parse(body.toString()) as Review;
    asked.push({ name, request, apiVersion, timeoutMs: call?.timeoutMs ?? 0 });
    const answer = answers.get(name)?.(request) ?? 'connection refused';
    if (typeof answer === 'string') return { ok: false, message: answer, failure: 'unreached' };
    if (answer instanceof Buffer) return { ok: true, body: answer };
    const response = Object.assign({ uid: request['uid'] ?? '' }, answer);
    const review = { kind: 'AdmissionReview', apiVersion, response };
    return { ok: true, body: Buffer.from(JSON.stringify(review)) };
  }
  const plane = await givenControlPlane({
    plugins: (world) => {
      const wired = { ...world, webhooks: client, meters };
      const other = { name: 'Other', mutatesAt: () => before };
      return [other, mutatingWebhook(wired), validatingWebhook(wired)];
    },
    ...(authorizer === undefined ? {} : { authorizer }),
  });
  return {
    ...plane,
    asked,
    meters,
    names: () => asked.map(({ name }) => name),
    /** Configures one webhook under its own name, which answers as said. */
    async hook(sort: 'mutating' | 'validating', given: GivenHook, answer: AnswerReview) {
      const { name, ...more } = given;
      answers.set(name, answer);
      const told = await plane.post(`${ADMISSION}/${sort}webhookconfigurations`, {
        kind:
          sort === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
        apiVersion: 'admissionregistration.k8s.io/v1',
        metadata: { name },
        webhooks: [{ ...webhook(name), ...more }],
      });
      if (told.code !== 201) throw new Error(told.message);
    },
  };
}

export interface GivenHook extends JsonObject {
  readonly name: string;
}

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

interface Review {
  readonly apiVersion: string;
  readonly request: JsonObject;
}

function webhook(name: string): JsonObject {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: `https://hooks.example.com/${name}` },
    rules: [configMaps()],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
}

export function configMaps(more: JsonObject = {}): JsonObject {
  return {
    operations: ['*'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
    ...more,
  };
}

export function patchResponse(...operations: JsonValue[]): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}
