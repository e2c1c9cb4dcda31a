/**
 * For tests of the registries: a whole control plane without doors. The real kinds, dispatch,
 * registries, committer and views stand over a log in memory; only time and chance are made up.
 *
 * The surprise: everything up to the append happens before a call like `put(…)` returns its
 * promise. So what a test does right behind it, as with `elsewhere`, comes first in the log.
 */
import type { Random } from '../../api/meta/clock.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import type { KubeObject, StringMap } from '../../api/meta/object-meta.ts';
import { readEntries } from '../../api/json/json-reader.ts';
import { hasRespelledFloat, parseJson } from '../../api/json/json-text.ts';
import { hasRepeats } from '../../api/json/repeated-keys.ts';
import { badRequest, type Status } from '../../api/meta/status.ts';
import { givenViews } from '../../projections/given.fixture.ts';
import { OwnLogMoment } from '../../projections/read-moment.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { EventType } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { startActor, type Ref } from '../request/actor.ts';
import { Admission } from '../admission/admission.ts';
import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import { testMeters } from '../admission/test-meters.fixture.ts';
import type { AdmissionWorld } from '../admission/admission-world.ts';
import { DEFAULT_SELECTION, pluginsOf } from '../admission/admission-plugins.ts';
import { alwaysAllow } from '../authorization/always-allow.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import { makeSystemNamespaces } from '../controllers/system-namespaces.ts';
import { dispatch } from '../pipeline/dispatch.ts';
import { testFaults, testRandom } from '../request/given.fixture.ts';
import { loopbackTo, type Loopback } from '../loopback/loopback.ts';
import { resolveRequestInfo } from '../request/request-info.ts';
import type { Answer, ListAnswer } from '../request/answer.ts';
import { receivedRequest, type AuthenticatedRequest } from '../request/request.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { compileDefinition } from '../../api/kinds/custom/compile-definition.ts';
import { CompiledDefinitions } from '../../api/kinds/custom/compiled-definitions.ts';
import { CustomDefinitions } from '../served-resources/custom-definitions.ts';
import type { WebhookAnswer, WebhookClient } from '../../api/kinds/custom/webhook-client.ts';
import { ServedResources } from '../served-resources/served-resources.ts';
import { fromStorage } from './objects/candidate.ts';
import { Committer } from './commit/committer.ts';
import { KeySlots } from '../slots/key-slots.ts';
import { Registries } from './registries.ts';
import type { WatchPlan } from '../request/watch-plan.ts';
import type { ReadMeters, WriteMeters } from './storage-meters.ts';
import type { BodyDecoder, WriteContext } from './write-context.ts';

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
  /** Milliseconds since 1970; for ever. */
  readonly deadline?: number;
}

type ContentType = 'json' | 'merge' | 'strategic-merge' | 'apply';

export const CONTINUE_TOKEN_TTL_MS = 300_000;
export const WATCH_TIMEOUT_MIN_MS = 1_800_000;

const ACCEPTED = { type: 'json', transform: 'none', pretty: false, includeObject: 'None' } as const;
const USER = { name: 'jane', uid: '', groups: ['system:authenticated'], extra: {} };

const jsonDecoder: BodyDecoder = {
  decode(bytes, _contentType, strict = false) {
    try {
      const text = bytes.toString();
      const value = parseJson(text);
      const isAmbiguous = (strict !== false && hasRepeats(text, value)) || hasRespelledFloat(text);
      if (!isAmbiguous) return { ok: true, value };
      const read = readEntries(text);
      return { ok: true, value: read.value, repeats: { yamlProblem: '', keys: read.repeated } };
    } catch {
      return { ok: false, status: badRequest('no JSON') };
    }
  },
};

let writers = 0;

export interface GivenControlPlane {
  /** Always the greatest, unless the test wants another. */
  readonly random?: Random;
  /** Those of a server that was told nothing else; but no pod needs a service account. */
  readonly plugins?: (world: AdmissionWorld) => readonly AdmissionPlugin[];
  readonly authorizer?: Authorizer;
  /** Reads JSON without the rules of the door, unless the test wants the real one. */
  readonly decoder?: BodyDecoder;
  readonly storage?: ReadMeters & WriteMeters;
}

/** No controller makes service accounts here. */
function pluginsWithoutAccounts(world: AdmissionWorld): readonly AdmissionPlugin[] {
  const isOn = (name: string): boolean => DEFAULT_SELECTION.isOn(name) && name !== 'ServiceAccount';
  return pluginsOf(world, { ...DEFAULT_SELECTION, isOn });
}

export async function givenControlPlane({
  random = testRandom(),
  plugins = pluginsWithoutAccounts,
  authorizer = alwaysAllow,
  decoder = jsonDecoder,
  storage,
}: GivenControlPlane = {}) {
  const resourceViews = await givenViews();
  const { log, clock, applied, objects, store, projector, followed } = resourceViews;
  const webhooks = givenWebhooks();
  const builtIn = new ServedResources(builtInResources(clock, { allowPrivileged: true }));
  const served = builtIn.with(
    new CustomDefinitions({
      objects,
      pastOf: (resource) => resourceViews.resourceViews.of(resource),
      compiled: new CompiledDefinitions({
        clock,
        compile: (definition) => compileDefinition(definition, { webhooks, random }),
      }),
      reserved: builtIn.storages(),
    }),
  );
  const slots = new KeySlots();
  const faults = testFaults();
  const tools: AdmissionWorld = {
    ...{ objects, followed, served, authorizer, slots, clock, random, faults },
    loopback: (asked) => loopback(asked),
    webhooks,
    meters: testMeters(),
  };
  const context: WriteContext = {
    resourceViews: resourceViews.resourceViews,
    objects,
    history: store,
    applied,
    moment: new OwnLogMoment(applied),
    log,
    clock,
    random,
    limits: {
      continueTokenTtlMs: CONTINUE_TOKEN_TTL_MS,
      watchTimeoutMinMs: WATCH_TIMEOUT_MIN_MS,
      watchLists: true,
    },
    committer: new Committer({ log, clock, random, faults, meters: storage }),
    reads: storage,
    slots,
    decoder,
    admission: new Admission(plugins(tools), tools.meters),
    authorizer,
    faults,
  };
  projector.listen((event, verdict, committed) => {
    context.committer.folded(event, verdict, committed);
  });
  const registries = new Registries(context);
  const fork = startActor(
    dispatch({
      lookup: served.lookup.bind(served),
      registryOf: (storage) => registries.of(storage),
      route: () => undefined,
      context,
    }),
  );
  const loopback: Loopback = loopbackTo(fork, () => clock.now());
  await makeSystemNamespaces(loopback);
  const send = (sent: Sent): Promise<Told> => sendTo(fork, sent);
  return {
    ...resourceViews,
    context,
    served,
    webhooks,
    loopback,
    send,
    ...verbs(send),
    /** Another server on the same log changes an object; its change is in the log when this returns. */
    elsewhere(
      storage: string,
      path: string,
      change: (object: KubeObject) => EventType | undefined,
    ) {
      const stored = objects.get(storage, path);
      const object = (
        stored === undefined ? { kind: '', apiVersion: '', metadata: {} } : parsedObject(stored)
      ) as KubeObject;
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

function sendTo(fork: Ref<AuthenticatedRequest>, sent: Sent): Promise<Told> {
  const { method, url, body, text, contentType = 'application/json', deadline } = sent;
  const [path = '', ...query] = url.split('?');
  return new Promise((resolve) => {
    const bytes =
      sent.bytes ?? Buffer.from(text ?? (body === undefined ? '' : JSON.stringify(body)));
    const request = receivedRequest(
      {
        method,
        path,
        query: query.join('?'),
        headers: { 'content-type': contentType, 'user-agent': sent.userAgent ?? 'tests/1.0' },
        connection: { remoteAddress: '192.0.2.1', clientCertificate: () => undefined },
        accepted: ACCEPTED,
        isWebSocket: false,
      },
      {
        readBody() {
          const { unreadable } = sent;
          return unreadable === undefined ? { ok: true, bytes } : { ok: false, status: unreadable };
        },
        answer({ warnings }, answer) {
          resolve(told(answer, warnings));
        },
      },
    );
    if (deadline !== undefined) request.until(deadline);
    request.routedAs(resolveRequestInfo(method, path, query.join('?')));
    fork.send(request.identifiedAs(USER));
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
      return { ...empty, code: answer.code, object: fromStorage(answer.served, answer.object) };
    case 'Value': {
      const { code, json } = answer;
      // The door does not read it either.
      if (json !== undefined)
        return Object.defineProperty({ ...empty, code }, 'object', {
          get: () => answer.value as KubeObject,
        });
      const object = answer.value as KubeObject; // All values that are answered are.
      // What is left of a deleted object is told by a Status without a code.
      const status = object.kind === 'Status' ? (answer.value as Status) : undefined;
      return { ...empty, code: answer.code, object, status };
    }
    case 'List': {
      const items = answer.items.map((item) => fromStorage(answer.served, item));
      const names = items.map(({ metadata }) => metadata.name ?? '');
      return { ...empty, items, names, list: answer };
    }
    case 'Watch':
      return { ...empty, plan: answer.plan };
    case 'Document':
      return { ...empty, code: answer.code };
    case 'Stream':
      return empty;
  }
}
