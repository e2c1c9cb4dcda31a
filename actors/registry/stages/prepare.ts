/** The rules of the kind, and the metadata that only the server writes. */
import {
  badRequest,
  conflict,
  invalid,
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import { parseUint64 } from '../../../api/json/go-numbers.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { UpdateRules } from '../../../api/kinds/strategy.ts';
import { type FieldErrors, invalidValue, tooLong } from '../../../api/field/field-errors.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import {
  kindOf,
  prepareCreate,
  prepareUpdate,
  stampNew,
  type Preparation,
  wipeSystemFields,
} from '../objects/candidate.ts';
import { slicedStage, type Stage, waitingStage } from '../stage.ts';
import type { WriteContext } from '../write-context.ts';
import {
  type HasAttributes,
  type HasCandidate,
  type HasExisting,
  type HasObject,
  type HasOptions,
  type IsPrepared,
  noted,
  type Received,
  type WriteOptions,
} from '../write.ts';
import { nameTaken, objectKey, otherNamespace } from './place-object.ts';

/** Kinds that take any path segment for a name have no limit of their own; an index key has. */
const PATH_BYTES_MAX = 1_024;

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

type Meant = Received & HasCandidate;

/** Takes away what only the server writes: uid, creationTimestamp, deletion and the like. */
export const wipeSystem: Stage<Meant, Meant> = {
  name: 'wipe system fields',
  run(write) {
    wipeSystemFields(write.candidate.metadata);
    return write;
  },
};

type Mutated = Received & HasObject & HasOptions<WriteOptions>;

/** Uid and creationTimestamp. */
export const stamp: Stage<Mutated, Mutated> = {
  name: 'stamp',
  run(write, { clock, random }) {
    stampNew(write.object, clock, random);
    return write;
  },
};

/** Tells the client what the kind has to say of an object before its rules are asked. */
export const warnBeforeRules = slicedStage<Mutated, Mutated, Sentences>('warn before the rules', {
  work: ({ served, object }) => served.definition.strategy.warningsBeforeCreate?.(object),
  take: warned,
});

type Admitted = Mutated & HasAttributes;

/** What the kind itself sets, and validates. */
export const prepareNew = waitingStage<Admitted, Admitted & IsPrepared, Status | undefined>(
  'prepare',
  {
    find: (write, context) =>
      prepareCreate(write.served, withRights(write, context), write.request.user),
    take: unlessProblem,
  },
);

/** With the rights that plug-ins ask for beside the rules. */
function withRights(
  { object, sizeBytes, attributes }: Admitted | (Replacing & HasAttributes),
  { admission }: WriteContext,
): Preparation {
  const step = admission.rightsAt(attributes);
  if (step === undefined) return { object, sizeBytes };
  const rights = (): MaybePromise<FieldErrors> => {
    attributes.object = object;
    return step(attributes);
  };
  return { object, sizeBytes, rights };
}

function unlessProblem<Write extends object>(
  write: Write,
  problem: Status | undefined,
): (Write & IsPrepared) | Answer {
  return problem === undefined ? noted(write, { isPrepared: true }) : statusAnswer(problem);
}

/** What only a store can have against it: a name that is too long, a version of what is new. */
export const refuseUnstorable: Stage<Mutated, Mutated> = {
  name: 'refuse what cannot be stored',
  run(write) {
    const { request, served, object, options } = write;
    const { metadata } = object;
    const { name = '' } = metadata;
    const { path } = objectKey(served, request.info.namespace, name);
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
      return statusAnswer(
        invalid(kindOf(served), name, [tooLong('metadata.name', PATH_BYTES_MAX)]),
      );
    }
    if (!isPosted(request) || options.dryRun) return write;
    // Upstream's store refuses it, which a dry run does not reach and which passes over what is no number.
    const version = versionOf(metadata.resourceVersion);
    if (typeof version === 'string' || version === 0n) return write;
    const sentence = 'resourceVersion should not be set on objects to be created';
    return statusAnswer(unclassifiedFailure(sentence));
  },
};

/** A PUT reads the version that it is to replace before it knows that there is none. */
export const readPutVersion: Stage<Mutated, Mutated> = {
  name: 'read resourceVersion',
  run(write) {
    const version = isPosted(write.request) ? 0n : versionOf(write.object.metadata.resourceVersion);
    return typeof version === 'string' ? statusAnswer(unclassifiedFailure(version)) : write;
  },
};

function isPosted({ info }: AuthenticatedRequest): boolean {
  return info.verb === 'create';
}

/** Upstream has no answer of its own to a text that is no number: it says what Go does. */
function versionOf(resourceVersion = ''): bigint | string {
  const version = resourceVersion === '' ? 0n : parseUint64(resourceVersion);
  if (typeof version !== 'string') return version;
  return `strconv.ParseUint: parsing ${goQuote(resourceVersion)}: ${version}`;
}

/** What a kind has to say about a write. */
type Sentences = readonly string[] | undefined;

function warned<Write extends Received>(write: Write, sentences: Sentences): Write {
  for (const sentence of sentences ?? []) write.request.warn(sentence);
  return write;
}

type Named = Received & HasObject;

/** Behind admission, since what admission refuses is refused first. */
export const refuseTaken: Stage<Named, Named> = {
  name: 'refuse a taken name',
  run(write, { objects }) {
    const { request, served, object } = write;
    const { metadata } = object;
    const key = objectKey(served, request.info.namespace, metadata.name ?? '');
    const existing = objects.get(key.resource, key.path);
    return existing === undefined ? write : statusAnswer(nameTaken(served, metadata, existing));
  },
};

/** Tells the client what the kind has to say of a new object, also where admission or the store refuses it. */
export const warnOfNew = slicedStage<Named, Named, Sentences>('warn', {
  work: ({ served, object }) => served.definition.strategy.warningsOnCreate?.(object),
  take: warned,
});

/** What a write may change, and how that is checked. */
export interface HasRules {
  /** Those of the object itself, or of one of its subresources that are views of it. */
  readonly rules: UpdateRules;
}

/** The rules of the object itself, or of one of its subresources that are views of it. */
export function rulesOf({ definition }: ServedResource, subresource: string): UpdateRules {
  const { strategy } = definition;
  if (subresource === '') return strategy;
  const rules = strategy.subresources.get(subresource);
  if (rules === undefined) throw new Error(`no rules for the subresource ${subresource}`);
  return rules;
}

/** The rules of what the URL names. */
export const rulesOfUrl: Stage<Received, Received & HasRules> = {
  name: 'rules',
  run: (write) => noted(write, { rules: rulesOf(write.served, write.request.info.subresource) }),
};

type Replacing = Received & HasExisting & HasObject & HasRules;

/** 409 unless the client knew what it replaces, as far as it has to. */
export const checkVersion: Stage<Replacing, Replacing> = {
  name: 'check resourceVersion',
  run(write) {
    const { object, old, stored } = write;
    const stale = versionProblem(write);
    if (stale !== undefined) return statusAnswer(stale);
    object.metadata.resourceVersion = String(stored.resourceVersion);
    const elsewhere = otherNamespace(old.metadata.namespace ?? '', object.metadata);
    return elsewhere === undefined ? write : statusAnswer(badRequest(elsewhere));
  },
};

type AdmittedReplacing = Replacing & HasAttributes;

/** What the rules set themselves, and validate. */
export const prepareReplacement = waitingStage<
  AdmittedReplacing,
  AdmittedReplacing & IsPrepared,
  Status | undefined
>('prepare', {
  find: (write, context) =>
    prepareUpdate(write.served, write.rules, withRights(write, context), write.old),
  take: unlessProblem,
});

/** The same of what the server itself changes, for which no user needs a right. */
export const prepareOwnReplacement = waitingStage<
  Replacing,
  Replacing & IsPrepared,
  Status | undefined
>('prepare', {
  find: ({ served, rules, object, sizeBytes, old }) =>
    prepareUpdate(served, rules, { object, sizeBytes }, old),
  take: unlessProblem,
});

/** Tells the client what the rules have to say of the update, also where admission refuses it. */
export const warnOfReplacement = slicedStage<Replacing, Replacing, Sentences>('warn', {
  work: ({ rules, object, old }) => rules.warningsOnUpdate?.(object, old),
  take: warned,
});

function versionProblem({ request, served, object, stored }: Replacing): Status | undefined {
  const { facts, definition } = served;
  const { name } = request.info;
  const version = versionOf(object.metadata.resourceVersion);
  if (typeof version === 'string') return unclassifiedFailure(version);
  if (version !== 0n) {
    if (version === BigInt(stored.resourceVersion)) return undefined;
    return conflict(facts, name, MODIFIED);
  }
  if (definition.strategy.allowsUnconditionalUpdate) return undefined;
  const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalid(facts, name, [error]);
}
