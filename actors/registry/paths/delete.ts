/**
 * DELETE of one object.
 *
 * The surprise: what has a grace period and goes at once goes in two parts. It is stored with its deletionTimestamp first
 * and removed behind that, so that watches tell of both; a server that stops between them leaves an object that
 * the next delete removes.
 *
 * In Kubernetes: DeleteResource, apiserver/pkg/endpoints/handlers/delete.go, and Store.Delete.
 */
import { type DeleteOptions, parseDeleteOptions } from '../../../api/options/options-delete.ts';
import { isJsonObject } from '../../../api/json/json.ts';
import { andThen } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ParsedOptions } from '../../../api/options/options.ts';
import {
  failedDeletePrecondition,
  failedPrecondition,
} from '../../../api/options/preconditions.ts';
import { conflict, forbidden, notFound, success, type Status } from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { isSameState } from '../../../projections/objects/served-bytes.ts';
import type { CommittedEvent, StoredObject } from '../../../streams/event.ts';
import type { AdmissionAttributes } from '../../admission/admission-attributes.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
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
import { refuseUnsafe } from './unsafe-delete.ts';

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
interface HasName {
  readonly name: string;
}

/** The first part of this delete, once it has taken effect. */
interface HasMarked {
  /** undefined: there was none. */
  readonly marked: Marked | undefined;
}

interface Marked {
  readonly object: KubeObject;
  readonly json: Buffer;
  readonly stored: StoredObject;
}

/** The object that is to be removed, and that nothing was done to it yet. */
export type Target = HasName & HasKey & HasMarked;

/** Where the delete of an object begins. */
export function targetOf(served: ServedResource, namespace: string, name: string): Target {
  return { name, key: objectKey(served, namespace, name), marked: undefined };
}

const targetOfUrl: Stage<Asked, Asked & Target> = {
  name: 'key',
  run(write) {
    const { namespace, name } = write.request.info;
    return noted(write, targetOf(write.served, namespace, name));
  },
};

type Sought = Asked & Target & HasAttempt;

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
  find({ key, marked }, { objects }) {
    const stored = objects.get(key.resource, key.path);
    if (stored === undefined) return undefined;
    if (stored.resourceVersion === marked?.stored.resourceVersion) {
      return { stored, object: marked.object };
    }
    return andThen(readStored(stored), (object) => ({ stored, object }));
  },
  take(write, found, context) {
    const { served, options, name, marked } = write;
    if (marked !== undefined) return decideOnMarked(write, found, marked);
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

/**
 * The second part takes what was marked, with what was changed in it meanwhile unless the client has named a version.
 * What another client has removed since then is gone, as this one wanted.
 */
function decideOnMarked(
  write: Sought,
  found: Found | undefined,
  { object, stored }: Marked,
): (Sought & HasDeletion) | Answer {
  const { served, options, name } = write;
  const { uid = '' } = object.metadata;
  if (found === undefined || (found.object.metadata.uid ?? '') !== uid) {
    return removedAnswer(served, name, { uid, stored });
  }
  const isSame = found.stored.resourceVersion === stored.resourceVersion;
  const isAny = isSame || options.preconditions?.resourceVersion === undefined;
  const wanted = isAny ? undefined : { uid, resourceVersion: String(stored.resourceVersion) };
  const failed = failedPrecondition(wanted, found.object.metadata);
  if (failed !== undefined) return statusAnswer(conflict(served.facts, name, failed));
  return noted(write, { stored: found.stored, object: found.object, deletion: 'remove' });
}

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
  find: ({ served, object, sizeBytes, marked }) =>
    object === marked?.object ? marked.json : canonicalBytes(served, object, sizeBytes),
  take: (write, json) => noted(write, { json }),
});

const proposeDeletion: Stage<Admitted & HasJson, Admitted & HasJson & HasChange> = {
  name: 'propose',
  run(write, { allocation }) {
    const { request, served, options, stored, object, deletion, requires, json } = write;
    const { uid = '', labels = {} } = object.metadata;
    const stays = deletion === 'update';
    const code = stays ? stayingCode(write) : 200;
    if (options.dryRun) {
      const showsObject = stays || served.definition.strategy.returnsDeletedObject;
      return showsObject
        ? dryRunAnswer(served, json, code, stored.resourceVersion)
        : goneAnswer(served.facts, write.name, uid);
    }
    if (stays && isSameState(stored, json)) return unchangedAnswer(write, stored);
    const change: Change = {
      type: deletion === 'remove' ? 'deleted' : 'modified',
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
        stays
          ? { kind: 'Object', code, served, object: committed }
          : removedAnswer(served, write.name, { uid, stored: committed }),
      goesOn:
        deletion === 'mark'
          ? ({ object: marked }: CommittedEvent): void => {
              noted(write, { marked: { object, json, stored: marked } });
            }
          : undefined,
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

/** Of an object that is gone, which some kinds show once more. */
function removedAnswer(
  served: ServedResource,
  name: string,
  { uid, stored }: { readonly uid: string; readonly stored: StoredObject },
): Answer {
  return served.definition.strategy.returnsDeletedObject
    ? { kind: 'Object', code: 200, served, object: stored }
    : goneAnswer(served.facts, name, uid);
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
export const DELETE_CHOSEN = writePath<Asked & Target>('delete chosen')
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
export const DELETE_ADMITTED = writePath<Asked & Target>('delete admitted')
  .once()
  .eachAttempt(
    convertStored,
    decideDeletion,
    isAdmitted,
    encodeDeleted,
    proposeDeletion,
    convertChange,
  );
