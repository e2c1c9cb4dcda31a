/**
 * POST of something that is answered and never stored: a review, a binding, an eviction. It is
 * read as any new object is read; what becomes of it is the business of whoever answers.
 *
 * The surprise: a subresource speaks a type of its own (`pods/binding` takes a Binding), so the
 * body is read as that, while the answer is about the resource.
 *
 * In Kubernetes: createHandler, apiserver/pkg/endpoints/handlers/create.go, in front of a
 * rest.Creater or rest.NamedCreater.
 */
import { mergeTypeOf } from '../../api/merge/built-in-merge-types.ts';
import { isJsonObject, stringAt, type JsonObject } from '../../api/meta/json.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { parseCreateOptions, type CreateOptions } from '../../api/meta/options.ts';
import { badRequest, internalError, type Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { attributesOf } from './admitted.ts';
import { wipeSystemFields } from './candidate.ts';
import { namespaceMismatch } from './create.ts';
import { managedForStorage } from './managed-fields.ts';
import { readCandidate } from './read-candidate.ts';
import { AttemptTurn } from './turn.ts';
import type { VerbHandler } from './verb-handler.ts';
import type { WriteRoom } from './write-room.ts';

export interface Posted {
  readonly room: WriteRoom;
  readonly request: AuthenticatedRequest;
  /** The resource of the path, also where its subresource was posted to. */
  readonly served: ServedResource;
  /** What was posted, in the version it was posted in. Belongs to whoever answers. */
  object: KubeObject;
  readonly options: CreateOptions;
}

/** Decides at once where it can. What it throws, or rejects with, is answered 500. */
export type PostAnswerer = (posted: Posted) => Answer | Promise<Answer>;

export interface PostOptions {
  /** Group versions whose objects are taken as if they were of the one that is served. */
  readonly alsoSpeaks?: readonly string[];
  /** Whether what is answered is what was posted, and so says who set which of its fields. */
  readonly managesFields?: boolean;
  /** Defaults of what a subresource takes; undefined: those of the resource. */
  readonly setDefaults?: (object: JsonObject) => void;
}

export function posting(answerer: PostAnswerer, options: PostOptions = {}): VerbHandler {
  const { alsoSpeaks = [], managesFields = false } = options;
  const spokenOf = new WeakMap<ServedResource, ServedResource>();
  return (room, request, served, done) => {
    const parsed = parseCreateOptions(request.query);
    if (!parsed.ok) {
      done(statusAnswer(parsed.status));
      return;
    }
    let spoken = spokenOf.get(served);
    if (spoken === undefined) {
      spoken = spokenTo(served, request.info.subresource, options);
      spokenOf.set(served, spoken);
    }
    const type = spoken;
    const { fieldValidation } = parsed.options;
    const reading = alsoSpeaks.length === 0 ? room : understanding(room, type, alsoSpeaks);
    readCandidate(reading, { request, served: type, fieldValidation }, done, (sent) => {
      const object = sent();
      // Preconditions are read off what is posted to a subresource, so there they stay.
      if (request.info.subresource === '') wipeSystemFields(object.metadata);
      const mismatch = namespaceMismatch(request, served, object);
      if (mismatch !== undefined) {
        done(statusAnswer(badRequest(mismatch)));
        return;
      }
      const posted = { room, request, served, object, options: parsed.options };
      settle(
        andThen(managesFields ? managed(posted, type) : posted, (ready) =>
          andThen(admitted(ready, type), (problem) =>
            problem === undefined ? answerer(ready) : statusAnswer(problem),
          ),
        ),
        done,
      );
    });
  };
}

function managed(posted: Posted, served: ServedResource): MaybePromise<Posted> {
  const entered = managedForStorage(posted.room, { ...posted, served }, posted.object, undefined);
  return andThen(entered, (object) => ({ ...posted, object }));
}

/** Through both rooms of admission. What is posted is never stored, so nothing stands between them. */
function admitted(posted: Posted, spoken: ServedResource): MaybePromise<Status | undefined> {
  const { room, object } = posted;
  const { admission } = room;
  const turn = new AttemptTurn();
  const attributes = attributesOf(room, {
    ...posted,
    operation: 'CREATE',
    kind: spoken.facts,
    oldObject: undefined,
    name: posted.request.info.name || (object.metadata.name ?? ''),
    turn,
  });
  const ask = (): MaybePromise<Status | undefined> =>
    andThen(admission.mutate(attributes), (problem) => {
      if (attributes.object !== undefined) posted.object = attributes.object;
      return problem ?? admission.validate(attributes);
    });
  // Whatever a plug-in took is given back, also where one of them throws.
  let asked: MaybePromise<Status | undefined>;
  try {
    asked = ask();
  } catch (error) {
    turn.end();
    throw error;
  }
  if (asked instanceof Promise) {
    return asked.finally(() => {
      turn.end();
    });
  }
  turn.end();
  return asked;
}

/** The object as an answer of its type: keys in their order, what is empty left out. */
export function virtualAnswer(served: ServedResource, code: number, object: JsonObject): Answer {
  const { typeId } = served.facts;
  const decoded = typedCodec(typeId).decode(object);
  if (!decoded.ok) throw new Error(`what would be answered is no ${typeId}: ${decoded.message}`);
  return { kind: 'Value', code, typeId, value: decoded.value, served };
}

/** The same resource, in the type that the subresource takes; of that there is one version. */
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

function understanding(
  room: WriteRoom,
  { apiVersion }: ServedResource,
  alsoSpeaks: readonly string[],
): WriteRoom {
  return {
    ...room,
    decoder: {
      decode(bytes, contentType, strict) {
        const decoded = room.decoder.decode(bytes, contentType, Boolean(strict));
        if (!decoded.ok || !isJsonObject(decoded.value)) return decoded;
        if (!alsoSpeaks.includes(stringAt(decoded.value, 'apiVersion'))) return decoded;
        decoded.value['apiVersion'] = apiVersion;
        return decoded;
      },
    },
  };
}

function settle(answer: Answer | Promise<Answer>, done: (answer: Answer) => void): void {
  if (!(answer instanceof Promise)) {
    done(answer);
    return;
  }
  answer.then(done, (error: unknown) => {
    done(statusAnswer(internalError(error)));
  });
}
