/** The bytes of an object as they are stored. */
import { formatJsonInParts } from '../../../api/json/json-text-parts.ts';
import { remembered } from '../../../api/json/work-in-slices.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { requestEntityTooLarge, type Status } from '../../../api/meta/status.ts';
import { doneInSlices, inSlices, LARGE_BYTES } from '../../request/large-work.ts';
import { canonicalObject, jsonOf } from '../objects/candidate.ts';
import { isNewInTimesAlone, keepEntries } from '../objects/managed-times.ts';
import { isApply } from '../paths/patch-media.ts';
import { noted, waitingStage, type StageResult } from '../stage.ts';
import type { HasExisting, HasJson, HasObject, HasRequirements, Received } from '../write.ts';
import { BODY_BYTES_MAX } from '../write-context.ts';

type Admitted = Received & HasObject & HasRequirements;

export const encodeNew = waitingStage<Admitted, Admitted & HasJson, KubeObject>('encode', {
  find: ({ served, object, sizeBytes }) =>
    doneInSlices(sizeBytes, () => canonicalObject(served, object)),
  take: encoded,
});

type AdmittedReplacement = Admitted & HasExisting;

export const encodeReplacement = waitingStage<
  AdmittedReplacement,
  AdmittedReplacement & HasJson,
  KubeObject
>('encode', {
  find: ({ served, object, sizeBytes }) =>
    doneInSlices(sizeBytes, () => {
      remembered(() => served.definition.strategy.canonicalize?.(object));
      return canonicalObject(served, object);
    }),
  take(write, canonical) {
    if (isNewInTimesAlone(canonical, write.old)) keepEntries(canonical, write.old);
    return encoded(write, canonical);
  },
});

function encoded<Write extends Received>(
  write: Write,
  canonical: KubeObject,
): StageResult<Write & HasJson> {
  if (write.sizeBytes < LARGE_BYTES) {
    const json = jsonOf(canonical);
    if (fits(write, canonical, json)) return noted(write, { json });
    delete canonical.metadata.managedFields;
  }
  return encodedInTurns(write, canonical);
}

async function encodedInTurns<Write extends Received>(
  write: Write,
  canonical: KubeObject,
): Promise<Write & HasJson> {
  const json = await inSlices(formatJsonInParts(canonical));
  if (fits(write, canonical, json)) return noted(write, { json });
  delete canonical.metadata.managedFields;
  return noted(write, { json: await inSlices(formatJsonInParts(canonical)) });
}

/**
 * Whether these bytes of the object are taken. An object that is too large is written without its
 * managers, unless the request is all about them; {@link sizeProblem} refuses what is too large then.
 *
 * In Kubernetes: isTooLargeError, apiserver/pkg/endpoints/handlers/rest.go.
 */
function fits({ request }: Received, { metadata }: KubeObject, json: Buffer): boolean {
  if (sizeProblem(json) === undefined) return true;
  return metadata.managedFields === undefined || isApply(request);
}

/**
 * What says that an object has grown too large for the log, patch by patch or by its defaults; what
 * a delete adds to an object always fits. In Kubernetes it is etcd that refuses.
 */
export function sizeProblem(json: Uint8Array): Status | undefined {
  if (json.length <= BODY_BYTES_MAX) return undefined;
  return requestEntityTooLarge(`limit is ${String(BODY_BYTES_MAX)}`);
}
