/**
 * The scale subresource: how many replicas, whatever the kind. What a write asks for becomes an
 * ordinary update of the object, with all its rules.
 *
 * In Kubernetes: ScaleREST of each workload's storage.
 */
import type { ReplicasPaths } from '../../../api/managed-fields/scale-fields.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { failedPrecondition } from '../../../api/options/preconditions.ts';
import {
  badRequest,
  conflict,
  invalid,
  type GroupResource,
  type Status,
} from '../../../api/meta/status.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { copyJson } from '../../../api/json/json-tree.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { attributesOf, mutating, validateSeen } from '../stages/admit.ts';
import { dryRunAnswer } from '../objects/dry-run.ts';
import {
  managedScale,
  managedScaleUpdate,
  replicasPathsOf,
  SCALE_TYPE,
  scaleErrors,
  type ScaleRead,
  shownScale,
  withParentEntries,
  withScale,
  withScaleEntries,
  writtenScale,
} from '../objects/managed-scale.ts';
import { dropDuplicateOwners } from '../objects/owner-references.ts';
import { LOOK_UP, showing } from '../reads/get.ts';
import { readPath, type Stage, waitingStage, writePath } from '../stage.ts';
import { decodeAs, readBody } from '../stages/decode-object.ts';
import { encodeReplacement } from '../stages/encode.ts';
import {
  appliedObject,
  applyOptions,
  decodeConfiguration,
  type HasConfiguration,
} from '../stages/read-configuration.ts';
import {
  keyOfUrl,
  nameMismatch,
  namespaceMismatch,
  placeAtUrl,
  takeSent,
} from '../stages/place-object.ts';
import {
  checkVersion,
  prepareReplacement,
  warnOfReplacement,
  type HasRules,
} from '../stages/prepare.ts';
import { convertChange, proposeReplacement } from '../stages/propose.ts';
import { decodePatch, type HasPatch, patchedObject, patchOptions } from '../stages/read-patch.ts';
import { convertStored, lookUp, refuseMissing } from '../stages/stored-object.ts';
import {
  type HasAttempt,
  type HasCandidate,
  type HasExisting,
  type HasObject,
  type HasOptions,
  type HasShowing,
  noted,
  type Received,
  type Showing,
  type WriteOptions,
} from '../write.ts';
import type { WriteContext } from '../write-context.ts';
import { updateOptions } from './update.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** Under these names Scales have columns, which differ in how a name is shown. */
const SCALES = { group: 'autoscaling', resource: 'scale' };
const CUSTOM_SCALES = { group: 'autoscaling', resource: 'customscale' };

/** Of every kind that has replicas: spec, status and selector are found by the kind's own paths. */
export const GET_SCALE = readPath('get scale')(...LOOK_UP, showing(shown));

/** The client is shown the scale of what was written. */
const AS_SCALE: Showing = {
  stored: (served, _code, object) => shown(served, object),
  dryRun(served, code, { json, version }) {
    const { value } = dryRunAnswer(served, json, code, version);
    return scaleAnswer(served, shownScale(served, value));
  },
};

const showScales: Stage<Received, Received & HasShowing> = {
  name: 'show scales',
  run: (write) => noted(write, { showing: AS_SCALE }),
};

/** The rules of the object itself: all of it is updated. */
const rulesOfParent: Stage<Received, Received & HasRules> = {
  name: 'rules',
  run: (write) => noted(write, { rules: write.served.definition.strategy }),
};

type Found = Received & HasAttempt & HasExisting;

interface HasView {
  /** The scale before, without its managers. */
  readonly view: KubeObject;
  readonly paths: ReplicasPaths;
}

const viewScale: Stage<Found, Found & HasView> = {
  name: 'view as scale',
  run(write) {
    const view = writtenScale(write.served, write.old);
    if (!view.ok) return statusAnswer(view.status);
    return noted(write, { view: view.object, paths: replicasPathsOf(write.served) });
  },
};

type Viewed = Found & HasView & HasOptions<WriteOptions>;

interface HasScale {
  /** The scale that is asked for. */
  readonly scale: KubeObject;
}

/** A scale of its own each time, with the managers of its replicas. */
function liveScale({ view, old, paths }: Viewed): KubeObject {
  return withScaleEntries(copyJson(view), old, paths); // The copy is one, too.
}

function wanting<Needs>(
  name: string,
  wanted: (write: Viewed & Needs, context: WriteContext) => MaybePromise<ScaleRead>,
): Stage<Viewed & Needs, Viewed & Needs & HasScale> {
  return waitingStage(name, {
    find: wanted,
    take: (write, read: ScaleRead) =>
      read.ok ? noted(write, { scale: read.object }) : statusAnswer(read.status),
  });
}

const wantSentScale = wanting<HasCandidate>('want what was sent', (write, context) =>
  managed(context, write, write.candidate),
);

const patchScale = wanting<HasPatch>('apply patch', (write, context) => {
  const { request, served, patch } = write;
  const patched = patchedObject(request, speakingScale(served), liveScale(write), patch);
  return patched.ok ? managed(context, write, patched.object) : patched;
});

const applyScale = wanting<HasConfiguration>('merge', (write, context) => {
  const { request, served, configuration } = write;
  const sizeBytes = request.bodySizeBytes;
  const application = { request, served: speakingScale(served), configuration, sizeBytes };
  return appliedObject(context, application, managedScale, liveScale(write));
});

function managed(context: WriteContext, write: Viewed, scale: KubeObject): ScaleRead {
  return { ok: true, object: managedScaleUpdate(context, write, liveScale(write), scale) };
}

type Asked = Viewed & HasScale;

/** What is admitted is the scale: admission does not see its object. */
const mutateScale = mutating(
  ({ request, served, options, attempt, scale, view }: Asked, context) =>
    attributesOf(context, {
      request,
      served,
      options,
      attempt,
      kind: SCALE,
      operation: 'UPDATE',
      object: scale,
      oldObject: view,
    }),
  ({ request }, scale): HasScale => {
    dropDuplicateOwners(request, scale, 'result');
    return { scale };
  },
);

/** The object that the scale asks for. */
const scaleObject: Stage<Asked, Asked & HasObject> = {
  name: 'scale the object',
  run(write) {
    const { request, served, scale, old, paths } = write;
    const problem = problemOf(request, served, scale, old);
    if (problem !== undefined) return statusAnswer(problem);
    const scaled = withScale(served, old, scale);
    if (!scaled.ok) return statusAnswer(scaled.status);
    const { object } = scaled;
    withParentEntries(object, served, scale, paths);
    return noted(write, { object });
  },
};

/** Why this scale cannot be that of the object, or undefined. */
function problemOf(
  request: AuthenticatedRequest,
  served: ServedResource,
  scale: KubeObject,
  { metadata }: KubeObject,
): Status | undefined {
  const { name } = request.info;
  const mismatch = namespaceMismatch(request, served, scale) ?? nameMismatch(scale, name);
  if (mismatch !== undefined) return badRequest(mismatch);
  const errors = scaleErrors(served, scale);
  const { group, kind } = SCALE;
  if (errors.length > 0) return invalid({ group, resource: kind }, name, errors);
  const uid = scale.metadata.uid ?? '';
  const wanted = uid === '' ? undefined : { uid, resourceVersion: undefined };
  const failed = failedPrecondition(wanted, metadata);
  return failed === undefined ? undefined : conflict(scaleResource(served), name, failed);
}

const FINDING = [convertStored, lookUp, refuseMissing, viewScale] as const;

const SCALING = [
  mutateScale,
  scaleObject,
  checkVersion,
  prepareReplacement,
  warnOfReplacement,
  validateSeen,
  encodeReplacement,
  proposeReplacement,
  convertChange,
] as const;

const decodeScale = decodeAs({ spoken: ({ served }) => speakingScale(served), alsoSpeaks: [] });

/** PUT: 409 where the Scale names another resourceVersion than the object's. */
export const UPDATE_SCALE = writePath('update scale')
  .once(updateOptions, showScales, rulesOfParent, readBody, decodeScale, keyOfUrl)
  .eachAttempt(takeSent, placeAtUrl, ...FINDING, wantSentScale, ...SCALING);

/** PATCH by JSON patch, merge patch or strategic merge patch, onto the Scale. */
export const PATCH_SCALE = writePath('patch scale')
  .once(
    patchOptions(() => SCALE_TYPE),
    showScales,
    rulesOfParent,
    readBody,
    decodePatch,
    keyOfUrl,
  )
  .eachAttempt(...FINDING, patchScale, ...SCALING);

/** Server-side apply of a Scale; conflicts are about the object's replicas. */
export const APPLY_SCALE = writePath('apply scale')
  .once(applyOptions, showScales, rulesOfParent, readBody, decodeConfiguration, keyOfUrl)
  .eachAttempt(...FINDING, applyScale, ...SCALING);

/** The same resource, whose objects are read as scales. */
function speakingScale(served: ServedResource): ServedResource {
  const { group, version, kind } = SCALE;
  const facts = { ...served.facts, group, version, kind, typeId: SCALE_TYPE };
  // The defaults are those of the object; a Scale has none.
  const codec = typedCodec(SCALE_TYPE);
  return { ...served, facts, apiVersion: `${group}/${version}`, codec, setDefaults: undefined };
}

function scaleResource({ facts }: ServedResource): GroupResource {
  return { group: facts.group, resource: `${facts.resource}/scale` };
}

function shown(served: ServedResource, stored: StoredObject): Answer {
  return scaleAnswer(served, shownScale(served, parsedObject(stored))); // Written by a server.
}

function scaleAnswer({ custom }: ServedResource, read: ScaleRead): Answer {
  if (!read.ok) return statusAnswer(read.status);
  return {
    kind: 'Value',
    code: 200,
    typeId: SCALE_TYPE,
    value: read.object,
    printedAs: custom === undefined ? SCALES : CUSTOM_SCALES,
    ...(custom === undefined ? {} : { goType: 'v1.Scale' }),
  };
}
