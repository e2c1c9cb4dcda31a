/** The bytes of an object as they are stored. */
import { formatJsonInParts } from '../../../api/json/json-text-parts.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { remembered } from '../../../api/json/work-in-slices.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { requestEntityTooLarge, type Status } from '../../../api/meta/status.ts';
import { doneInSlices, inSlices, LARGE_BYTES } from '../../request/large-work.ts';
import { canonicalObject, jsonOf } from '../objects/candidate.ts';
import { isNewInTimesAlone, keepEntries } from '../objects/managed-times.ts';
import { isApply } from '../paths/patch-media.ts';
import { noted, type Stage, type StageResult } from '../stage.ts';
import type { HasExisting, HasJson, HasObject, HasRequirements, Received } from '../write.ts';
import { BODY_BYTES_MAX } from '../write-context.ts';

type Admitted = Received & HasObject & HasRequirements;

export const encodeNew: Stage<Admitted, Admitted & HasJson> = {
  name: 'encode',
  run(write) {
    const { served, object, sizeBytes } = write;
    const canonical = doneInSlices(sizeBytes, () => canonicalObject(served, object));
    return canonical instanceof Promise
      ? canonical.then((settled) => encoded(write, settled))
      : encoded(write, canonical);
  },
};

type AdmittedReplacement = Admitted & HasExisting;

export const encodeReplacement: Stage<AdmittedReplacement, AdmittedReplacement & HasJson> = {
  name: 'encode',
  run(write) {
    const { served, object, old, sizeBytes } = write;
    const canonical = doneInSlices(sizeBytes, () => {
      remembered(() => served.definition.strategy.canonicalize?.(object));
      return canonicalObject(served, object);
    });
    const go = (settled: KubeObject): StageResult<AdmittedReplacement & HasJson> => {
      if (isNewInTimesAlone(settled, old)) keepEntries(settled, old);
      return encoded(write, settled);
    };
    return canonical instanceof Promise ? canonical.then(go) : go(canonical);
  },
};

function encoded<Write extends Received>(
  write: Write,
  canonical: KubeObject,
): StageResult<Write & HasJson> {
  const json = fittingJson(write, canonical);
  if (!(json instanceof Promise)) return noted(write, { json });
  return json.then((fitting) => noted(write, { json: fitting }));
}

/**
 * The bytes of the object; if they are too many, without its managers, unless this is all about them.
 * What says that they still are too many is up to {@link sizeProblem}.
 *
 * In Kubernetes: isTooLargeError, apiserver/pkg/endpoints/handlers/rest.go.
 */
function fittingJson(
  { request, sizeBytes }: Received,
  canonical: KubeObject,
): MaybePromise<Buffer> {
  return andThen(bytesOf(canonical, sizeBytes), (json) => {
    const { metadata } = canonical;
    const mayForget = metadata['managedFields'] !== undefined && !isApply(request);
    if (sizeProblem(json) === undefined || !mayForget) return json;
    delete metadata['managedFields'];
    return bytesOf(canonical, json.length);
  });
}

/** In slices where the object is about so large. */
function bytesOf(canonical: KubeObject, sizeBytes: number): MaybePromise<Buffer> {
  return sizeBytes < LARGE_BYTES ? jsonOf(canonical) : inSlices(formatJsonInParts(canonical));
}

/**
 * What says that an object has grown too large for the log, patch by patch or by its defaults; what
 * a delete adds to an object always fits. In Kubernetes it is etcd that refuses.
 */
export function sizeProblem(json: Uint8Array): Status | undefined {
  if (json.length <= BODY_BYTES_MAX) return undefined;
  return requestEntityTooLarge(`limit is ${String(BODY_BYTES_MAX)}`);
}
