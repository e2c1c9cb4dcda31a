/**
 * POST: a new object, under a name that was given or is generated.
 *
 * In Kubernetes: createHandler, apiserver/pkg/endpoints/handlers/create.go, and Store.Create.
 */
import { generatedName } from '../../../api/meta/names.ts';
import { type CreateOptions, parseCreateOptions } from '../../../api/options/options.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { type Stage, writePath } from '../stage.ts';
import { allocateNew } from '../stages/allocate.ts';
import { dropOwners, mutateNew, validateObject } from '../stages/admit.ts';
import { contentTypeOf, decodeObject, readBody } from '../stages/decode-object.ts';
import { encodeNew } from '../stages/encode.ts';
import { intoStorageVersion, manageFields, setDefaults } from '../stages/manage-fields.ts';
import {
  checkNamespace,
  nameTaken,
  objectKey,
  placeInNamespace,
  placeNew,
  takeSent,
} from '../stages/place-object.ts';
import {
  prepareNew,
  readPutVersion,
  refuseTaken,
  refuseUnstorable,
  stamp,
  warnBeforeRules,
  warnOfNew,
  wipeSystem,
} from '../stages/prepare.ts';
import { convertChange, proposeNew } from '../stages/propose.ts';
import { showObjects } from '../objects/dry-run.ts';
import { convertStored } from '../stages/stored-object.ts';
import type { WriteContext } from '../write-context.ts';
import {
  type HasAttempt,
  type HasKey,
  type HasOptions,
  type HasSent,
  type HasStored,
  noted,
  type Received,
} from '../write.ts';

const NAME_TRIES = 8;

export const createOptions: Stage<Received, Received & HasOptions<CreateOptions>> = {
  name: 'options',
  run(write, { decoder }) {
    const { query, headers } = write.request;
    const parsed = parseCreateOptions(query);
    if (parsed.ok) return noted(write, { options: parsed.options });
    // A body of a type that is not read is refused first, which a decoder says of it anyway.
    return statusAnswer(decoder.refusal(contentTypeOf(headers)) ?? parsed.status);
  },
};

interface HasNames extends HasKey {
  readonly names: {
    /** '' when it is to be generated. */
    readonly given: string;
    readonly base: string;
    /** That are left, for generated names. */
    readonly tries: number;
  };
  readonly generated: { readonly name: string; readonly base: string };
}

type Named = Received & HasNames;

/** The key under which the object will stand, unless admission gives it another name. */
const chooseName: Stage<Received & HasSent, Received & HasSent & HasNames> = {
  name: 'choose a name',
  run(write, context) {
    const { name: given = '', generateName: base = '' } = write.sent.first.metadata;
    return noted(write, chosen(write, { given, base, tries: NAME_TRIES }, context));
  },
};

function chosen(
  { served, request }: Received,
  names: HasNames['names'],
  { random }: WriteContext,
): HasNames {
  const { given, base } = names;
  const isGenerated = given === '' && base !== '';
  const { isNamedByUuid = false } = served.definition.strategy;
  const name = isGenerated
    ? generatedName(base, random)
    : given || (isNamedByUuid ? random.uuid() : '');
  return { names, generated: { name, base }, key: objectKey(served, request.info.namespace, name) };
}

/** A generated name that is taken is no fault of the client's: another one is tried. */
export function triesAnotherName(write: Named, answer: Answer, context: WriteContext): boolean {
  const { given, base, tries } = write.names;
  const isTaken = answer.kind === 'Status' && answer.status.reason === 'AlreadyExists';
  if (!isTaken || given !== '' || base === '' || tries <= 1) return false;
  noted(write, chosen(write, { given, base, tries: tries - 1 }, context));
  return true;
}

/** Before anything is done for the object, where its name was generated. */
const refuseTakenEarly: Stage<Named & HasAttempt, Named & HasAttempt & HasStored> = {
  name: 'refuse a taken name',
  run(write, { objects }) {
    const { served, names, generated, key } = write;
    const isGenerated = names.given === '' && names.base !== '';
    const taken = isGenerated ? objects.get(key.resource, key.path) : undefined;
    if (taken === undefined) return noted(write, { stored: undefined, old: undefined });
    const metadata = { name: generated.name, generateName: generated.base };
    return statusAnswer(nameTaken(served, metadata, taken));
  },
};

/** From a candidate with its managers to what the log is told; also where a PUT finds nothing. */
export const CREATING = [
  mutateNew,
  readPutVersion,
  dropOwners,
  placeNew,
  stamp,
  warnBeforeRules,
  allocateNew,
  prepareNew,
  warnOfNew,
  validateObject,
  refuseUnstorable,
  refuseTaken,
  encodeNew,
  proposeNew,
  convertChange,
] as const;

/** From the request to the key. */
export const BEGINNING = [
  createOptions,
  showObjects,
  readBody,
  decodeObject,
  checkNamespace,
  chooseName,
] as const;

/**
 * What each attempt of a create does; the update of an object that is not there yet goes this way
 * too.
 */
export const MAKING = [
  convertStored,
  refuseTakenEarly,
  takeSent,
  placeInNamespace,
  wipeSystem,
  setDefaults,
  manageFields,
  intoStorageVersion,
  ...CREATING,
] as const;

export const CREATE = writePath('create')
  .once(...BEGINNING)
  .eachAttempt(...MAKING)
  .unless(triesAnotherName);
