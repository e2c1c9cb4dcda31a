/**
 * For tests of plug-ins: one plug-in in a control plane with some objects, asked about a request as
 * the registries would ask it, without what stands around it there.
 */
import type { JsonObject } from '../../api/json/json.ts';
import { asKubeObject, type KubeObject } from '../../api/meta/object-meta.ts';
import type { Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { GivenPlane } from '../../gateway/server/given-plane.fixture.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import { givenAuthenticated } from '../request/given.fixture.ts';
import type { AuthenticatedRequest, UserInfo } from '../request/request.ts';
import { canonicalObject } from '../registry/objects/candidate.ts';
import { givenControlPlane, type ControlPlane } from '../registry/given-registry.fixture.ts';
import { RunningAttempt } from '../slots/key-slots.ts';
import { AdmissionAttributes, type AdmissionOperation } from './admission-attributes.ts';
import type { AdmissionPlugin } from './admission-plugin.ts';
import type { AdmissionWorld } from './admission-world.ts';

export interface Asked {
  /** As `/api/v1/namespaces/default/pods`, with name and subresource where it has them. */
  readonly url: string;
  readonly operation?: AdmissionOperation;
  readonly object?: JsonObject;
  readonly oldObject?: JsonObject;
  readonly user?: Partial<UserInfo>;
  readonly dryRun?: boolean;
  /** What the write is said to be about: of much the plug-in works in slices. */
  readonly sizeBytes?: number;
}

export interface AdmissionResult {
  /** undefined: it was let through. */
  readonly status: Status | undefined;
  /** '' where it was let through. */
  readonly message: string;
  readonly object: KubeObject;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

const METHODS = { CREATE: 'POST', UPDATE: 'PUT', DELETE: 'DELETE', CONNECT: 'GET' } as const;
const NOTHING: KubeObject = { kind: '', apiVersion: '', metadata: {} };

/** @param objects that there are, each with the URL that it is posted to. */
export async function givenPlugin(
  make: (world: AdmissionWorld) => AdmissionPlugin,
  objects: readonly (readonly [url: string, object: JsonObject])[] = [],
  given: Omit<GivenPlane, 'plugins' | 'webhooks'> = {},
) {
  let plugin: AdmissionPlugin = { name: '' };
  const plane = await givenControlPlane({
    ...given,
    plugins(world) {
      plugin = make(world);
      return [];
    },
  });
  for (const [url, object] of objects) {
    const { code, message } = await plane.post(url, object);
    if (code !== 201) throw new Error(`${url}: ${message}`);
  }
  return {
    ...plane,
    async admit(asked: Asked): Promise<AdmissionResult> {
      const { operation = 'CREATE', url, user = {} } = asked;
      const { request } = givenAuthenticated({ method: METHODS[operation], url }, user);
      const attributes = attributesFor(plane, request, asked);
      const status =
        (await plugin.mutatesAt?.(attributes)?.(attributes)) ??
        (await plugin.validatesAt?.(attributes)?.(attributes));
      const { object, served } = attributes;
      return {
        status,
        message: status?.message ?? '',
        object: object === undefined ? NOTHING : shown(served, attributes.subresource, object),
        warnings: request.warnings,
        annotations: Object.fromEntries(request.annotations),
      };
    },
  };
}

function attributesFor(
  { served: all, context }: ControlPlane,
  request: AuthenticatedRequest,
  { operation = 'CREATE', object, oldObject, dryRun = false, sizeBytes = 0 }: Asked,
): AdmissionAttributes {
  const { info } = request;
  const served = all.lookup(info);
  if (served === undefined) throw new Error(`nothing is served at ${info.path}`);
  const sent = object === undefined ? undefined : decoded(served, info.subresource, object);
  const old = oldObject === undefined ? undefined : decoded(served, info.subresource, oldObject);
  const name = info.name === '' ? (sent?.metadata.name ?? '') : info.name;
  return new AdmissionAttributes({
    ...{ request, served, operation, name, oldObject: old, object: sent, sizeBytes },
    subresource: info.subresource,
    namespace: served.definition.storage === 'core/namespaces' ? name : info.namespace,
    kind: served.facts,
    options: { dryRun },
    attempt: new RunningAttempt(),
    objects: context.objects,
  });
}

/** As a registry reads what was sent: with defaults, in its type. */
function decoded(served: ServedResource, subresource: string, object: JsonObject): KubeObject {
  const facts = served.facts.subresources.find(({ name }) => name === subresource);
  const codec = facts === undefined ? served.codec : typedCodec(facts.typeId);
  const read = codec.decode(structuredClone(object));
  if (!read.ok) throw new Error(read.message);
  const { metadata = {} } = read.value;
  const value = asKubeObject({ ...read.value, metadata }); // Decoded in its type.
  if (codec === served.codec) served.setDefaults?.(value);
  return value;
}

/** What a subresource takes has a type of its own. */
function shown(served: ServedResource, subresource: string, object: KubeObject): KubeObject {
  const facts = served.facts.subresources.find(({ name }) => name === subresource);
  const isOwn = facts === undefined || facts.typeId === served.facts.typeId;
  return isOwn ? canonicalObject(served, object) : object;
}

const IN_DEFAULT = '/api/v1/namespaces/default';
export const PODS_URL = `${IN_DEFAULT}/pods`;
