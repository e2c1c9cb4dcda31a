/**
 * PATCH: a change described, applied to the object as it is when its turn comes.
 *
 * In Kubernetes: PatchResource, apiserver/pkg/endpoints/handlers/patch.go.
 */
import { badRequest } from '../../../api/meta/status.ts';
import { inOneSlice, remembered } from '../../../api/json/work-in-slices.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { RAW_RESOURCES } from '../../../projections/objects/raw-resources.ts';
import { LARGE_BYTES } from '../../request/large-work.ts';
import { statusAnswer } from '../../request/answer.ts';
import { fromStorage } from '../objects/candidate.ts';
import { keepUnique, uniqueOwners, type UniqueOwners } from '../objects/owner-references.ts';
import { slicedStage, type StageResult, writePath } from '../stage.ts';
import { intoStorageVersion, manageFields, setDefaults } from '../stages/manage-fields.ts';
import { keyOfUrl, nameMismatch, namespaceMismatch } from '../stages/place-object.ts';
import { rulesOfUrl } from '../stages/prepare.ts';
import { readBody } from '../stages/decode-object.ts';
import {
  decodePatch,
  type HasPatch,
  type Patched,
  patchedObject,
  patchOptions,
} from '../stages/read-patch.ts';
import { showObjects } from '../objects/dry-run.ts';
import { convertStored, lookUp, refuseMissing } from '../stages/stored-object.ts';
import { type HasCandidate, type HasExisting, noted, type Received } from '../write.ts';
import { REPLACING } from './update.ts';

type Patchable = Received & HasPatch & HasExisting;

interface Found {
  readonly patched: Patched;
  /** Which of the owners stay, where some are there twice. */
  readonly owners: UniqueOwners | undefined;
}

const applyPatch = slicedStage<Patchable, Patchable & HasCandidate, Found>('apply patch', {
  work(write) {
    const { request, served, patch } = write;
    const document = documentOf(write);
    const patched = remembered(() => patchedObject(request, served, document, patch));
    return { patched, owners: patched.ok ? uniqueOwners(patched.object) : undefined };
  },
  take: checked,
});

/**
 * What the patch is applied to: the very object that its result is compared with later, where that is decoded by a type, or
 * what its bytes say. Decoding a result makes all of it anew, since defaults change maps of amounts in place, but the
 * fields of managers, which no stage changes: a comparison of these ends where both are one value.
 */
function documentOf({ served, stored, old, sizeBytes }: Patchable): KubeObject {
  const isTyped = served.conversion === undefined && served.custom === undefined;
  // Numbers that keep their spelling are marked in place.
  const isSpelled = RAW_RESOURCES.has(stored.resource);
  if (isTyped && !isSpelled && sizeBytes < LARGE_BYTES) return old;
  return inOneSlice(() => fromStorage(served, stored));
}

/** A patch does not move what it changes. */
function checked(
  write: Patchable,
  { patched, owners }: Found,
): StageResult<Patchable & HasCandidate> {
  const { request, served } = write;
  if (!patched.ok) return statusAnswer(patched.status);
  const { object } = patched;
  const mismatch =
    namespaceMismatch(request, served, object) ?? nameMismatch(object, request.info.name);
  if (mismatch !== undefined) return statusAnswer(badRequest(mismatch));
  keepUnique(request, object, { owners, foundIn: 'result' });
  return noted(write, { candidate: object });
}

export const PATCH = writePath('patch')
  .once(
    patchOptions(({ facts }) => facts.typeId),
    showObjects,
    rulesOfUrl,
    readBody,
    decodePatch,
    keyOfUrl,
  )
  .eachAttempt(
    convertStored,
    lookUp,
    refuseMissing,
    applyPatch,
    setDefaults,
    manageFields,
    intoStorageVersion,
    ...REPLACING,
  );
