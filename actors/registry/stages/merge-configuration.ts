/** What an apply configuration makes of an object, with its managers. */
import { managedApply } from '../../../api/managed-fields/field-manager.ts';
import type { Applied, ManagedResource } from '../../../api/managed-fields/managed-resource.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import {
  applyConflict,
  badRequest,
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { doneInSlices, LARGE_BYTES, restOf } from '../../request/large-work.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { candidateOf, type Candidate } from '../objects/candidate.ts';
import { warnOf } from '../objects/strict-decoding.ts';
import type { WriteContext } from '../write-context.ts';
import type { Configuration } from './read-configuration.ts';

export interface Application {
  readonly request: AuthenticatedRequest;
  /** The resource in the version of the configuration. */
  readonly served: ServedResource;
  readonly configuration: Configuration;
  /** Of the configuration or of what it is applied to, whichever is more. */
  readonly sizeBytes: number;
}

export type AppliedObject =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly status: Status };

/**
 * What the configuration makes of the live object, with its managers: of its type, without its
 * defaults. What it made may share parts with the live object, which is not to be used any more.
 *
 * @param live in the version of the configuration; undefined when there is no object yet.
 */
export function appliedObject(
  context: Pick<WriteContext, 'clock'>,
  application: Application,
  resource: ManagedResource,
  live: JsonObject | undefined,
): MaybePromise<AppliedObject> {
  const { configuration, sizeBytes } = application;
  const { options } = configuration;
  const applied = managedApply(resource, {
    live,
    applied: configuration.applied(),
    manager: options.fieldManager,
    force: options.force,
    now: formatTime(context.clock.now()),
    rest: restOf(sizeBytes),
  });
  if (applied instanceof Promise || sizeBytes >= LARGE_BYTES) {
    return fittedInTurns(application, applied);
  }
  if (!applied.ok) return { ok: false, status: statusOf(applied) };
  const refused = strictRefusal(application);
  if (refused !== undefined) return { ok: false, status: refused };
  return fitting(candidateOf(application.served, applied.object));
}

/** What an apply of a large object, or of one that a webhook converts, makes. */
async function fittedInTurns(
  application: Application,
  applying: MaybePromise<Applied>,
): Promise<AppliedObject> {
  const { served, sizeBytes } = application;
  const applied = await applying;
  await restOf(sizeBytes)?.();
  if (!applied.ok) return { ok: false, status: statusOf(applied) };
  const refused = strictRefusal(application);
  if (refused !== undefined) return { ok: false, status: refused };
  return fitting(await doneInSlices(sizeBytes, () => candidateOf(served, applied.object)));
}

/** Refuses what YAML has against the configuration, or warns of it. */
function strictRefusal({ request, configuration }: Application): Status | undefined {
  const { options, yamlProblem } = configuration;
  if (yamlProblem === '') return undefined;
  const strict = `error converting YAML to JSON: ${yamlProblem}`;
  if (options.fieldValidation === 'Strict') {
    return badRequest(`error strict decoding YAML: ${strict}`);
  }
  warnOf(request, [strict]);
  return undefined;
}

function fitting(candidate: Candidate): AppliedObject {
  if (candidate.ok) return candidate;
  const { misfit, status } = candidate;
  if (misfit === undefined) return { ok: false, status };
  const what = 'failed to convert new typed object to object';
  return { ok: false, status: unclassifiedFailure(`${what}: ${misfit}`) };
}

function statusOf(refused: Extract<Applied, { readonly ok: false }>): Status {
  switch (refused.reason) {
    case 'Conflict':
      return applyConflict(refused.message, refused.conflicts);
    case 'BadRequest':
      return badRequest(refused.message);
    case 'Unknown':
      return unclassifiedFailure(refused.message);
  }
}
