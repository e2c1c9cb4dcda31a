/**
 * DELETE of one object.
 *
 * In Kubernetes: DeleteResource, apiserver/pkg/endpoints/handlers/delete.go, and Store.Delete.
 */
import {
  type DeleteOptions,
  parseDeleteOptions,
  UNSAFE_OPTION,
} from '../../../api/options/options-delete.ts';
import { invalidValue } from '../../../api/field/field-errors.ts';
import { isJsonObject } from '../../../api/json/json.ts';
import { andThen } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ParsedOptions } from '../../../api/options/options.ts';
import {
  failedDeletePrecondition,
  failedPrecondition,
} from '../../../api/options/preconditions.ts';
import {
  conflict,
  forbidden,
  internalError,
  invalid,
  notFound,
  success,
  type Status,
} from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { isSameState } from '../../../projections/objects/served-bytes.ts';
import type { CommittedEvent, StoredObject } from '../../../streams/event.ts';
import type { AdmissionAttributes } from '../../admission/admission-attributes.ts';
import type { Attributes, Decision } from '../../authorization/authorizer.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { attributesOf, unlessRefused } from '../stages/admit.ts';
import { type Change, replacing } from '../commit/change.ts';
import { prepareDelete } from '../objects/deletion.ts';
import { dryRunAnswer } from '../objects/dry-run.ts';
import { type Stage, waitingStage, writePath } from '../stage.ts';
import { decodeBody, readBody } from '../stages/decode-object.ts';
import { objectKey } from '../stages/place-object.ts';
import { convertChange, originOf } from '../stages/propose.ts';
import { canonicalBytes } from '../stages/encode.ts';
import { convertStored, readStored } from '../stages/stored-object.ts';
import {
  type HasAttempt,
  type HasBody,
  type HasChange,
  type HasJson,
  type HasKey,
  type HasOptions,
  type HasRequirements,
  noted,
  type Received,
} from '../write.ts';
import type { WriteContext } from '../write-context.ts';

const STATUS_TYPE = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';

type Asked = Received & HasOptions<DeleteOptions>;

/** From the body, or where there is none from the query. */
export const deleteOptions: Stage<Received & HasBody, Asked & HasBody> = {
  name: 'options',
  run(write, context) {
    const parsed = optionsIn(write, context);
    return parsed.ok ? noted(write, { options: parsed.options }) : statusAnswer(parsed.status);
  },
};

function optionsIn(
  { request, bytes }: Received & HasBody,
  { decoder, deletes }: WriteContext,
): ParsedOptions<DeleteOptions> {
  if (bytes.length === 0) return parseDeleteOptions(request.query, undefined, deletes);
  const decoded = decodeBody(decoder, request, bytes);
  if (!decoded.ok) return decoded;
  if (isJsonObject(decoded.value)) request.record?.requested(decoded.value);
  return parseDeleteOptions('', decoded.value, deletes);
}

const UNSAFE_VERB = 'unsafe-delete-ignore-read-errors';
/** Upstream has a store of their own in front of these, which knows no such delete: `resource.group`. */
const WITHOUT_UNSAFE: ReadonlySet<string> = new Set([
  'namespaces.',
  ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
    (resource) => `${resource}.rbac.authorization.k8s.io`,
  ),
]);
const NO_UNSAFE = `no unsafe deleter provided, can not honor ${UNSAFE_OPTION}`;

/**
 * A delete that means an object which cannot be read needs a right of its own, and then finds none: each object that
 * this server serves was read from its log, and a log with another one is not served.
 *
 * In Kubernetes: authorizeUnsafeDelete, and corruptObjectDeleter, registry/generic/registry.
 */
const refuseUnsafe = waitingStage<Asked, Asked, Decision | undefined>('refuse unsafe', {
  find({ request, options, served }, { authorizer }) {
    if (options.ignoresReadErrors !== true) return undefined;
    request.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '');
    if (isWithoutUnsafe(served)) return undefined;
    return authorizer.authorize(unsafeDeletionBy(request));
  },
  take(write, decision) {
    const { facts } = write.served;
    if (write.options.ignoresReadErrors === true && isWithoutUnsafe(write.served)) {
      return statusAnswer(internalError(new Error(NO_UNSAFE)));
    }
    if (decision === undefined) return write;
    const { name } = write.request.info;
    if (decision.verdict === 'allow') {
      const why =
        'is exclusively used to delete corrupt object(s), try again by removing this option';
      return statusAnswer(invalid(facts, name, [invalidValue(UNSAFE_OPTION, true, why)]));
    }
    const why =
      decision.error === undefined
        ? `not permitted to do "${UNSAFE_VERB}", reason: ${decision.reason}`
        : `error while checking permission for "${UNSAFE_VERB}", ${decision.error.message}`;
    return statusAnswer(forbidden(facts, name, why));
  },
});

function isWithoutUnsafe({ facts }: ServedResource): boolean {
  return WITHOUT_UNSAFE.has(`${facts.resource}.${facts.group}`);
}

function unsafeDeletionBy({ user, info }: AuthenticatedRequest): Attributes {
  return { user, request: { ...info, verb: UNSAFE_VERB } };
}

const refuseUndeletable: Stage<Asked, Asked> = {
  name: 'refuse what cannot be deleted',
  run(write) {
    const { served, request } = write;
    const { name } = request.info;
    const refused = served.definition.strategy.deleteRefusal?.(name);
    return refused === undefined ? write : statusAnswer(forbidden(served.facts, name, refused));
  },
};

/** Tells the client what the kind has to say of a delete with these options. */
export const warnOfDelete: Stage<Asked, Asked> = {
  name: 'warn',
  run(write) {
    const { request, served, options } = write;
    const { strategy } = served.definition;
    for (const sentence of strategy.warningsOnDelete?.(options) ?? []) request.warn(sentence);
    return write;
  },
};

/** What is to be removed: the object of the URL, or one of those that a list showed. */
export interface HasName {
  readonly name: string;
}

const targetOfUrl: Stage<Asked, Asked & HasName & HasKey> = {
  name: 'key',
  run(write) {
    const { namespace, name } = write.request.info;
    return noted(write, { name, key: objectKey(write.served, namespace, name) });
  },
};

type Sought = Asked & HasName & HasKey & HasAttempt;

interface HasDeletion {
  readonly stored: StoredObject;
  /** As the deletion leaves it. */
  readonly object: KubeObject;
  readonly deletion: ReturnType<typeof prepareDelete>;
}

interface Found {
  readonly stored: StoredObject;
  readonly object: KubeObject;
}

/** What holds other objects has a delete of its own in kube-apiserver, with words of its own. */
const HOLDERS: ReadonlySet<string> = new Set([
  'core/namespaces',
  'apiextensions.k8s.io/customresourcedefinitions',
]);

function preconditionProblem(
  { served, options: { preconditions }, name }: Sought,
  { metadata }: KubeObject,
): Status | undefined {
  const { storage, storageFacts } = served.definition;
  if (HOLDERS.has(storage)) {
    const failed = failedPrecondition(preconditions, metadata);
    return failed === undefined ? undefined : conflict(served.facts, name, failed);
  }
  const failed = failedDeletePrecondition(preconditions, metadata);
  const { group, kind } = storageFacts;
  return failed === undefined ? undefined : conflict({ group, resource: kind }, name, failed);
}

/** Whether it goes at once, after a grace period, or when its finalizers have let go. */
const decideDeletion = waitingStage<Sought, Sought & HasDeletion, Found | undefined>('decide', {
  find({ key }, { objects }) {
    const stored = objects.get(key.resource, key.path);
    if (stored === undefined) return undefined;
    return andThen(readStored(stored), (object) => ({ stored, object }));
  },
  take(write, found, context) {
    const { served, options, name } = write;
    if (found === undefined) return statusAnswer(notFound(served.facts, name));
    const { stored, object } = found;
    const { definition } = served;
    const failed = preconditionProblem(write, object);
    if (failed !== undefined) return statusAnswer(failed);
    const deletion = prepareDelete(definition.strategy, object, options, context.clock);
    if (deletion === 'pending') return unchangedAnswer(write, stored);
    // To delete a large object is as much work as all of the object.
    const sizeBytes = Math.max(write.sizeBytes, stored.json.length);
    return noted(write, { stored, object, deletion, sizeBytes });
  },
});

type Decided = Sought & HasDeletion;

/** undefined: no plug-in has anything to do with deletions here. */
interface HasDeletionAttributes {
  readonly attributes: AdmissionAttributes | undefined;
}

/** Admission sees the object as it is before the deletion. */
const mutateDeletion = waitingStage<
  Decided,
  Decided & HasDeletionAttributes,
  KubeObject | undefined
>('mutate', {
  find({ request, served, stored }, { admission }) {
    const { subresource } = request.info;
    const isConcerned = admission.concerns({ served, operation: 'DELETE', subresource });
    return isConcerned ? readStored(stored) : undefined;
  },
  take(write, oldObject, context) {
    if (oldObject === undefined) return noted(write, { attributes: undefined });
    const { request, sizeBytes, served, options, attempt } = write;
    const attributes = attributesOf(context, {
      operation: 'DELETE',
      object: undefined,
      ...{ request, sizeBytes, served, options, attempt, oldObject },
    });
    return unlessRefused(context.admission.mutate(attributes), () => noted(write, { attributes }));
  },
});

type Mutated = Decided & HasDeletionAttributes;

const validateDeletion: Stage<Mutated, Mutated & HasRequirements> = {
  name: 'validate',
  run(write, { admission }) {
    const { attributes } = write;
    if (attributes === undefined) return noted(write, { requires: [] });
    return unlessRefused(admission.validate(attributes), () =>
      noted(write, { requires: attributes.requires }),
    );
  },
};

type Admitted = Decided & HasRequirements;

const encodeDeleted = waitingStage<Admitted, Admitted & HasJson, Buffer>('encode', {
  find: ({ served, object, sizeBytes }) => canonicalBytes(served, object, sizeBytes),
  take: (write, json) => noted(write, { json }),
});

const proposeDeletion: Stage<Admitted & HasJson, Admitted & HasJson & HasChange> = {
  name: 'propose',
  run(write, { allocation }) {
    const { request, served, options, stored, object, deletion, requires, json } = write;
    const { uid = '', labels = {} } = object.metadata;
    const removed = deletion === 'remove';
    const code = removed ? 200 : stayingCode(write);
    const gone = goneAnswer(served.facts, write.name, uid);
    const showsObject = !removed || served.definition.strategy.returnsDeletedObject;
    if (options.dryRun) {
      return showsObject ? dryRunAnswer(served, json, code, stored.resourceVersion) : gone;
    }
    if (!removed && isSameState(stored, json)) return unchangedAnswer(write, stored);
    const change: Change = {
      type: removed ? 'deleted' : 'modified',
      requires,
      json,
      labels,
      uid,
      origin: originOf(request, ''),
      ...replacing(stored),
    };
    return noted(write, {
      change: allocation.join(change, object, object),
      answerOf: ({ object: committed }: CommittedEvent): Answer =>
        showsObject ? { kind: 'Object', code, served, object: committed } : gone,
    });
  },
};

/** Of an object that stays; the old way to say Background is told that it has to wait. */
function stayingCode({ options }: Asked): number {
  return options.orphanDependents === false ? 202 : 200;
}

function unchangedAnswer(write: Asked, object: StoredObject): Answer {
  return { kind: 'Object', code: stayingCode(write), served: write.served, object };
}

/** The one Status that says no code: it is an object that was answered, not a failure. */
function goneAnswer(
  { group, resource }: ServedResource['facts'],
  name: string,
  uid: string,
): Answer {
  const details = { name, ...(group === '' ? {} : { group }), kind: resource, uid };
  const { code, ...value } = success(details);
  return { kind: 'Value', code, typeId: STATUS_TYPE, value };
}

const DELETING = [
  convertStored,
  decideDeletion,
  mutateDeletion,
  validateDeletion,
  encodeDeleted,
  proposeDeletion,
  convertChange,
] as const;

export const DELETE = writePath('delete')
  .once(readBody, deleteOptions, refuseUnsafe, refuseUndeletable, warnOfDelete, targetOfUrl)
  .eachAttempt(...DELETING);

/** The same of an object that the server has chosen, with options that were read before. */
export const DELETE_CHOSEN = writePath<Asked & HasName & HasKey>('delete chosen')
  .once()
  .eachAttempt(...DELETING);

const isAdmitted: Stage<Decided, Admitted> = {
  name: 'is admitted',
  run: (write) => noted(write, { requires: [] }),
};

/**
 * The same as part of a request that has passed admission as what it is: plug-ins that were asked
 * about an eviction are not asked about a deletion besides.
 */
export const DELETE_ADMITTED = writePath<Asked & HasName & HasKey>('delete admitted')
  .once()
  .eachAttempt(
    convertStored,
    decideDeletion,
    isAdmitted,
    encodeDeleted,
    proposeDeletion,
    convertChange,
  );
