/**
 * POST of something that is answered and never stored: a review, a binding, an eviction. It is
 * read as any new object is read; what becomes of it is up to its answerer.
 *
 * The surprise: a subresource speaks a type of its own (`pods/binding` takes a Binding), so the
 * body is read as that, while the answer is about the resource.
 *
 * In Kubernetes: createHandler, apiserver/pkg/endpoints/handlers/create.go, in front of a
 * rest.Creater or rest.NamedCreater.
 */
import { mergeTypeOf } from '../../../api/merge/built-in-merge-types.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { CreateOptions } from '../../../api/options/options.ts';
import { badRequest } from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { attributesOf, mutating, validateSeen } from '../stages/admit.ts';
import { toStorage, wipeSystemFields } from '../objects/candidate.ts';
import { type ManagedEntries, withEntries } from '../objects/managed-fields.ts';
import { type Stage, waitingStage, writePath, type WritePath, type Writes } from '../stage.ts';
import { decodeAs, readBody } from '../stages/decode-object.ts';
import { managersOf } from '../stages/manage-fields.ts';
import { namespaceMismatch } from '../stages/place-object.ts';
import { type HasAttempt, type HasOptions, type HasSent, noted, type Received } from '../write.ts';
import type { WriteContext } from '../write-context.ts';
import { createOptions } from './create.ts';

/** A request that is answered and never stored, with what it posted in the type of its place. */
export interface Posted<Kind = KubeObject> {
  /** The views, the clock and the rest of what the control plane of the request has. */
  readonly context: WriteContext;
  /** For an answerer that writes. */
  readonly writes: Writes;
  /** As it came, for its path, its user and its warnings. */
  readonly request: AuthenticatedRequest;
  /** The resource of the path, also where its subresource was posted to. */
  readonly served: ServedResource;
  /** What was posted, in the version it was posted in. Belongs to the answerer. */
  readonly object: Kind;
  /** What the query says: a dry run, and the field manager. */
  readonly options: CreateOptions;
}

/** Decides at once where it can. What it throws, or rejects with, is answered 500. */
export type PostAnswerer<Kind = KubeObject> = (posted: Posted<Kind>) => Answer | Promise<Answer>;

/** How a body is read that is not simply an object of the served version. */
export interface PostOptions {
  /** Group versions whose objects are taken as if they were of the one that is served. */
  readonly alsoSpeaks?: readonly string[];
  /** Whether what is answered is what was posted, and so says which manager set which of its fields. */
  readonly managesFields?: boolean;
  /** Defaults of what a subresource takes; undefined: those of the resource. */
  readonly setDefaults?: (object: JsonObject) => void;
}

type Begun = Received & HasAttempt & HasOptions<CreateOptions>;

interface HasPosted {
  readonly posted: KubeObject;
}

type Taken = Begun & HasPosted;

/** What is posted is never stored, so nothing stands between the phases of admission. */
export function posting(answerer: PostAnswerer, options: PostOptions = {}): WritePath {
  const { alsoSpeaks = [], managesFields = false } = options;
  const spoken = spokenBy(options);

  const manage = waitingStage<Taken, Taken, ManagedEntries>('manage fields', {
    find(write, { clock }) {
      if (!managesFields) return undefined;
      const { request, options: asked, sizeBytes, posted } = write;
      const served = spoken(write);
      served.setDefaults?.(posted);
      const asCreated = { request, served, options: asked, sizeBytes };
      return managersOf(asCreated, clock, { candidate: posted, old: undefined });
    },
    take(write, managed) {
      if (!managesFields) return write;
      const { posted } = write;
      return noted(write, { posted: toStorage(spoken(write), withEntries(posted, managed)) });
    },
  });

  const mutate = mutating(
    (write: Taken, context) => {
      const { request, sizeBytes, served, options: asked, attempt, posted } = write;
      return attributesOf(context, {
        request,
        sizeBytes,
        served,
        options: asked,
        attempt,
        operation: 'CREATE',
        kind: spoken(write).facts,
        object: posted,
        oldObject: undefined,
        name: request.info.name || (posted.metadata.name ?? ''),
      });
    },
    (_write, posted): HasPosted => ({ posted }),
  );

  const answer: Stage<Taken, Taken> = {
    name: 'answer',
    run: ({ request, served, options: asked, posted }, context, writes) =>
      answerer({ context, writes, request, served, object: posted, options: asked }),
  };

  return writePath<Received & HasAttempt>('post').once(
    createOptions,
    readBody,
    decodeAs({ spoken, alsoSpeaks }),
    takePosted,
    manage,
    mutate,
    validateSeen,
    answer,
  );
}

const takePosted: Stage<Begun & HasSent, Begun & HasSent & HasPosted> = {
  name: 'take what was sent',
  run(write) {
    const posted = write.sent.take();
    // Preconditions are read off what is posted to a subresource, so there they stay.
    if (write.request.info.subresource === '') wipeSystemFields(posted.metadata);
    const mismatch = namespaceMismatch(write.request, write.served, posted);
    return mismatch === undefined ? noted(write, { posted }) : statusAnswer(badRequest(mismatch));
  },
};

/** The object as an answer of its type: keys in their order, what is empty left out. */
export function virtualAnswer(served: ServedResource, code: number, object: JsonObject): Answer {
  const { typeId } = served.facts;
  const decoded = typedCodec(typeId).decode(object);
  if (!decoded.ok) throw new Error(`what would be answered is no ${typeId}: ${decoded.message}`);
  return { kind: 'Value', code, typeId, value: decoded.value, served };
}

/** The same resource, in the type that the subresource takes; of that there is one version. */
function spokenBy(options: PostOptions): (write: Received) => ServedResource {
  const known = new WeakMap<ServedResource, ServedResource>();
  return ({ served, request }) => {
    let spoken = known.get(served);
    if (spoken === undefined) {
      spoken = spokenTo(served, request.info.subresource, options);
      known.set(served, spoken);
    }
    return spoken;
  };
}

function spokenTo(
  served: ServedResource,
  subresource: string,
  { setDefaults }: PostOptions,
): ServedResource {
  if (subresource === '') return served;
  const facts = served.facts.subresources.find(({ name }) => name === subresource);
  if (facts === undefined) throw new Error(`no facts of the subresource ${subresource}`);
  const { group, version, kind, typeId } = facts;
  const spoken: ServedResource = {
    ...served,
    apiVersion: group === '' ? version : `${group}/${version}`,
    definition: { ...served.definition, versions: () => [spoken] },
    facts: { ...served.facts, group, version, kind, typeId },
    codec: typedCodec(typeId),
    mergeType: () => mergeTypeOf(typeId),
    conversion: undefined,
    setDefaults,
  };
  return spoken;
}
