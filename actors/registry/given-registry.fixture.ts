/**
 * For tests of the registries: a control plane as a server has it, without the filters, and short
 * words for requests and answers.
 *
 * The surprise: everything up to the append happens before a call like `put(…)` returns its
 * promise. So what a test does right behind it, as with `elsewhere`, comes first in the log.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { AcceptedMedia } from '../request/request-line.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { asKubeObject, type KubeObject, type StringMap } from '../../api/meta/object-meta.ts';
import type { Status } from '../../api/meta/status.ts';
import { givenPlane, type GivenPlane } from '../../gateway/server/given-plane.fixture.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { EventType } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { Ref } from '../request/actor.ts';
import { givenAuthenticated } from '../request/given.fixture.ts';
import type { Answer, ListAnswer, WatchPlan } from '../request/answer.ts';
import type { AuthenticatedRequest, Door, UserInfo } from '../request/request.ts';
import type { WebhookAnswer, WebhookClient } from '../../api/kinds/custom/webhook-client.ts';
import { fromStorage } from './objects/candidate.ts';

/** An answer as a test looks at it. What the kind of answer does not have is empty. */
export interface Told {
  readonly code: number;
  readonly message: string;
  readonly reason: string;
  readonly status: Status | undefined;
  /** In the served version; of a list the items. */
  readonly object: KubeObject;
  readonly items: readonly KubeObject[];
  readonly names: readonly string[];
  readonly list: ListAnswer | undefined;
  readonly plan: WatchPlan | undefined;
  readonly warnings: readonly string[];
  readonly answer: Answer;
}

export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body?: JsonValue;
  /** The body as it stands, where no value says it. */
  readonly text?: string;
  readonly bytes?: Buffer;
  /** Why the body cannot be read. */
  readonly unreadable?: Status;
  readonly contentType?: string;
  readonly userAgent?: string;
  /** Left out: plain JSON. */
  readonly accepted?: AcceptedMedia;
  /** Left out: jane, with the rights of any authenticated user. */
  readonly user?: UserInfo;
  /** Milliseconds since 1970; for ever. */
  readonly deadline?: number;
  /** Told what is sent, as a record of audit that keeps it is. */
  readonly requested?: (object: JsonObject) => void;
}

type ContentType = 'json' | 'merge' | 'strategic-merge' | 'apply';

/** As servers have them that were told nothing else. */
export const CONTINUE_TOKEN_TTL_MS = 300_000;
export const WATCH_TIMEOUT_MIN_MS = 1_800_000;

const ACCEPTED = { type: 'json', transform: 'none', pretty: false, includeObject: 'None' } as const;
const USER = { name: 'jane', uid: '', groups: ['system:authenticated'], extra: {} };

let writers = 0;

/**
 * @param given what a test wants otherwise; webhooks answer what the test says.
 * @param accepted what clients accept that do not say it.
 */
export async function givenControlPlane(
  given: Omit<GivenPlane, 'webhooks'> = {},
  accepted: AcceptedMedia = ACCEPTED,
) {
  const webhooks = givenWebhooks();
  const plane = await givenPlane({ ...given, webhooks });
  const { dispatch, log, objects } = plane;
  const send = (sent: Sent): Promise<Told> => sendTo(dispatch, { accepted, ...sent });
  return {
    ...plane,
    webhooks,
    send,
    ...verbs(send),
    /** Another server on the same log changes an object; its change is in the log when this returns. */
    elsewhere(
      storage: string,
      path: string,
      change: (object: KubeObject) => EventType | undefined,
    ) {
      const stored = objects.get(storage, path);
      const object: KubeObject =
        stored === undefined ? { kind: '', apiVersion: '', metadata: {} } : parsedObject(stored);
      const type = change(object) ?? (stored === undefined ? 'added' : 'modified');
      delete object.metadata.resourceVersion;
      writers += 1;
      return log.append([
        {
          writer: `elsewhere-${String(writers)}`,
          sequence: 1,
          type,
          resource: storage,
          path,
          previousResourceVersion: stored?.resourceVersion ?? (0 as ResourceVersion), // A create.
          requires: [],
          json: Buffer.from(JSON.stringify(object)),
          time: 0,
          uid: object.metadata.uid ?? '',
          user: 'somebody',
          verb: 'update',
          auditID: '',
          fieldManager: '',
        },
      ]);
    },
  };
}

/** A webhook answers what the test says, which gets the request of each review. */
function givenWebhooks() {
  const webhooks = {
    /** The objects of every review that was asked. */
    asked: [] as JsonObject[][],
    answer: (_objects: JsonObject[]): JsonObject | string => 'connection refused',
    post(_target: unknown, body: Buffer): Promise<WebhookAnswer> {
      const { apiVersion, request } = JSON.parse(body.toString()) as Review;
      webhooks.asked.push(request.objects);
      const answer = webhooks.answer(structuredClone(request.objects));
      if (typeof answer === 'string') return Promise.resolve({ ok: false, message: answer });
      const response = { uid: request.uid, ...answer };
      const review = { kind: 'ConversionReview', apiVersion, response };
      return Promise.resolve({ ok: true, body: Buffer.from(JSON.stringify(review)) });
    },
  };
  return webhooks satisfies WebhookClient;
}

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly objects: JsonObject[] };
}

export type ControlPlane = Awaited<ReturnType<typeof givenControlPlane>>;

/** A ConfigMap without a namespace, which the URL gives. */
export function configMap(name: string, data: StringMap = {}, metadata: JsonObject = {}) {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, ...metadata }, data };
}

/** The smallest Pod that is valid. */
export function pod(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const containers = [{ name: 'main', image: 'nginx' }];
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, ...metadata },
    spec: { containers, ...spec },
  };
}

/** The smallest Deployment that is valid. */
export function deployment(name: string, replicas: number): JsonObject {
  const labels = { app: name };
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
    },
  };
}

function verbs(send: (sent: Sent) => Promise<Told>) {
  return {
    get: (url: string) => send({ method: 'GET', url }),
    post: (url: string, body: JsonValue) => send({ method: 'POST', url, body }),
    put: (url: string, body: JsonValue) => send({ method: 'PUT', url, body }),
    patch: (url: string, type: ContentType, body: JsonValue) =>
      send({ method: 'PATCH', url, body, contentType: contentTypeOf(type) }),
    del: (url: string, body?: JsonValue) =>
      send({ method: 'DELETE', url, ...(body === undefined ? {} : { body }) }),
  };
}

function contentTypeOf(type: ContentType): string {
  if (type === 'apply') return 'application/apply-patch+yaml';
  return type === 'json' ? 'application/json-patch+json' : `application/${type}-patch+json`;
}

function sendTo(dispatch: Ref<AuthenticatedRequest>, sent: Sent): Promise<Told> {
  const { method, url, body, text, contentType = 'application/json', deadline } = sent;
  return new Promise((resolve) => {
    const bytes = sent.bytes ?? Buffer.from(text ?? (body === undefined ? '' : formatJson(body)));
    const headers = { 'content-type': contentType, 'user-agent': sent.userAgent ?? 'tests/1.0' };
    const door: Partial<Door> = {
      readBody() {
        const { unreadable } = sent;
        return unreadable === undefined ? { ok: true, bytes } : { ok: false, status: unreadable };
      },
      answer({ warnings }, answer) {
        resolve(told(answer, warnings));
      },
    };
    const asked = { method, url, headers, accepted: sent.accepted ?? ACCEPTED, door };
    const { request } = givenAuthenticated(asked, sent.user ?? USER);
    if (deadline !== undefined) request.until(deadline);
    const { requested } = sent;
    if (requested !== undefined) {
      const ignore = (): void => undefined;
      const others = { patched: ignore, answered: ignore, panicked: ignore, ended: ignore };
      request.recordedBy({ keepsRequests: true, requested, ...others });
    }
    dispatch.send(request);
  });
}

const NOTHING: KubeObject = { kind: '', apiVersion: '', metadata: {} };

function told(answer: Answer, warnings: readonly string[]): Told {
  const empty = {
    code: 200,
    message: '',
    reason: '',
    status: undefined,
    object: NOTHING,
    items: [],
    names: [],
    list: undefined,
    plan: undefined,
    warnings,
    answer,
  };
  switch (answer.kind) {
    case 'Status': {
      const { status } = answer;
      const { code, message = '', reason = '' } = status;
      return { ...empty, code, message, reason, status };
    }
    case 'Object':
      // Read when a test looks at it: to read it is no work of the server.
      return withLazy({ ...empty, code: answer.code }, 'object', () =>
        fromStorage(answer.served, answer.object),
      );
    case 'Value': {
      const { code, json } = answer;
      // The door does not read it either.
      if (json !== undefined)
        return withLazy({ ...empty, code }, 'object', () => asKubeObject(answer.value));
      const object = asKubeObject(answer.value); // All values that are answered are.
      // What is left of a deleted object is told by a Status without a code.
      const status = object.kind === 'Status' ? (answer.value as Status) : undefined;
      return { ...empty, code: answer.code, object, status };
    }
    case 'List': {
      const items = Array.from(answer.items, (item) => fromStorage(answer.served, item));
      const names = items.map(({ metadata }) => metadata.name ?? '');
      return { ...empty, items, names, list: answer };
    }
    case 'Watch':
      return { ...empty, plan: answer.plan };
    case 'Document':
      return { ...empty, code: answer.code };
    case 'Stream':
      return empty;
    case 'Upgrade':
      return { ...empty, code: 101 };
  }
}

function withLazy<Key extends keyof Told>(rest: Told, key: Key, make: () => Told[Key]): Told {
  let made: { readonly value: Told[Key] } | undefined;
  return Object.defineProperty({ ...rest }, key, {
    enumerable: true,
    get: () => (made ??= { value: make() }).value,
  });
}
