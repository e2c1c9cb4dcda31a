/**
 * Where an object is to stand: nothing that a client, a patch, a conversion or admission says moves
 * it from where the request put it. A client that may update may not always create there.
 *
 * In Kubernetes: withAuthorization, apiserver/pkg/endpoints/handlers/update.go.
 */
import {
  alreadyExists,
  badRequest,
  forbidden,
  generateNameConflict,
  internalError,
  type Status,
} from '../../../api/meta/status.ts';
import { statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { type Attributes, type Decision, refusalText } from '../../authorization/authorizer.ts';
import { type Stage, waitingStage } from '../stage.ts';
import {
  type HasCandidate,
  type HasGeneratedName,
  type HasKey,
  type HasObject,
  type HasSent,
  noted,
  type Received,
} from '../write.ts';
import { generatedName } from '../../../api/meta/names.ts';
import { otherThan } from '../../../api/meta/identity.ts';
import type { KubeObject, ObjectMeta } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { metadataOf } from '../../../projections/objects/object-metadata.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';
import type { ObjectKey } from '../write-context.ts';

/** A PUT, or an apply, that finds nothing makes the object under the name of the URL. */
export const authorizeCreate = waitingStage<Received, Received & HasGeneratedName, Decision>(
  'authorize create',
  {
    find: ({ request }, { authorizer }) => authorizer.authorize(creationBy(request)),
    take(write, decision) {
      if (decision.verdict === 'allow') return noted(write, { generated: undefined });
      if (decision.error !== undefined) return statusAnswer(internalError(decision.error));
      const { apiGroup: group, resource, name } = write.request.info;
      const why = refusalText(creationBy(write.request), decision.reason);
      return statusAnswer(forbidden({ group, resource }, name, why));
    },
  },
);

function creationBy({ user, info }: AuthenticatedRequest): Attributes {
  return { user, request: { ...info, verb: 'create' } };
}

/** @param namespace is left out where the kind has none, whatever a client says. */
export function objectKey(
  { definition }: ServedResource,
  namespace: string,
  name: string,
): ObjectKey {
  const { storage, namespaced } = definition;
  return { resource: storage, path: pathOf(namespaced ? namespace : '', name) };
}

/** The key of the object that the URL names. */
export const keyOfUrl: Stage<Received, Received & HasKey> = {
  name: 'key',
  run(write) {
    const { namespace, name } = write.request.info;
    return noted(write, { key: objectKey(write.served, namespace, name) });
  },
};

type Sent = Received & HasSent;

/** What was sent, for this attempt alone. */
export const takeSent: Stage<Sent, Sent & HasCandidate> = {
  name: 'take what was sent',
  run: (write) => noted(write, { candidate: write.sent.take() }),
};

/** Before the write waits for anything: an object that says it is elsewhere is refused. */
export const checkNamespace: Stage<Sent, Sent> = {
  name: 'check namespace',
  run(write) {
    const mismatch = namespaceMismatch(write.request, write.served, write.sent.first);
    return mismatch === undefined ? write : statusAnswer(badRequest(mismatch));
  },
};

type Meant = Received & HasCandidate;

/** The namespace of the URL. */
export const placeInNamespace: Stage<Meant, Meant> = {
  name: 'place in namespace',
  run(write) {
    const mismatch = namespaceMismatch(write.request, write.served, write.candidate);
    return mismatch === undefined ? write : statusAnswer(badRequest(mismatch));
  },
};

/** The namespace and the name of the URL. */
export const placeAtUrl: Stage<Meant, Meant> = {
  name: 'place at URL',
  run(write) {
    const { request, served, candidate } = write;
    const mismatch =
      namespaceMismatch(request, served, candidate) ?? nameMismatch(candidate, request.info.name);
    return mismatch === undefined ? write : statusAnswer(badRequest(mismatch));
  },
};

type Nameless = Received & HasObject & HasGeneratedName;

/**
 * Gives a new object its name, where admission left it to be generated, and sees that it stays
 * where the request put it. A POST may get another name from admission, a PUT may not.
 *
 * In Kubernetes: Store.create and BeforeCreate; that a PUT is stored under the name on its URL,
 * whatever name it has got, is not followed (docs/decisions/0043-admission-moves-nothing.md).
 */
export const placeNew: Stage<Nameless, Nameless> = {
  name: 'place',
  run(write, { random }) {
    const { request, served, generated, object } = write;
    const { metadata } = object;
    const { generateName = '' } = metadata;
    if ((metadata.name ?? '') === '' && generateName !== '') {
      if (generated === undefined) {
        return statusAnswer(internalError(new Error('metadata.name was not generated')));
      }
      const isSameBase = generated.base === generateName;
      metadata.name = isSameBase ? generated.name : generatedName(generateName, random);
    }
    const elsewhere = namespaceMismatch(request, served, object);
    if (elsewhere !== undefined) return statusAnswer(badRequest(elsewhere));
    if ((metadata.name ?? '') === '' && served.definition.strategy.isNamedByUuid === true) {
      metadata.name = generated?.name ?? random.uuid();
    }
    // A name that is missing is for the rules of the kind to refuse.
    if (generated !== undefined || (metadata.name ?? '') === '') return write;
    const other = nameMismatch(object, request.info.name);
    return other === undefined ? write : statusAnswer(badRequest(other));
  },
};

/** As {@link otherNamespace}, for the place that the request names. */
export function namespaceMismatch(
  { info }: AuthenticatedRequest,
  { definition }: ServedResource,
  { metadata }: KubeObject,
): string | undefined {
  return otherNamespace(definition.namespaced ? info.namespace : '', metadata);
}

/**
 * Why an object of this metadata cannot stand in the namespace; '' for cluster scope. Metadata that
 * names none gets the namespace, and in cluster scope whatever it names goes.
 *
 * In Kubernetes: EnsureObjectNamespaceMatchesRequestNamespace, apiserver/pkg/registry/rest/meta.go.
 */
export function otherNamespace(expected: string, metadata: ObjectMeta): string | undefined {
  const said = otherThan(expected, metadata, 'namespace');
  if (said === undefined || said === '') {
    if (expected !== '') metadata.namespace = expected;
    return undefined;
  }
  if (expected === '') {
    delete metadata.namespace;
    return undefined;
  }
  return 'the namespace of the provided object does not match the namespace sent on the request';
}

/** In Kubernetes: checkName, apiserver/pkg/endpoints/handlers/rest.go. */
export function nameMismatch({ metadata }: KubeObject, name: string): string | undefined {
  const said = otherThan(name, metadata, 'name');
  if (said === undefined) return undefined;
  if (said === '') {
    const why = 'was undeterminable: name must be provided';
    return `the name of the object (${name} based on URL) ${why}`;
  }
  return `the name of the object (${said}) does not match the name on the URL (${name})`;
}

/** A client that names a base for the name is told that the server could not find one. */
export function nameTaken(
  { facts }: ServedResource,
  { name = '', generateName = '' }: ObjectMeta,
  existing: StoredObject,
): Status {
  const about = { group: facts.group, resource: facts.resource };
  const status =
    generateName === '' ? alreadyExists(about, name) : generateNameConflict(about, name);
  const isGoing = metadataOf(existing).deletionTimestamp !== undefined;
  if (!isGoing) return status;
  return { ...status, message: `object is being deleted: ${status.message ?? ''}` };
}
