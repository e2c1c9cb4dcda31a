/**
 * What the log is to be told, decided on the object as it is now: a change, or nothing where the
 * client only wanted to see it or where it is so already.
 */
import { isSameState } from '../../../projections/objects/served-bytes.ts';
import type { CommittedEvent } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { andThen } from '../../../api/meta/maybe-promise.ts';
import { statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { type Change, type Origin, replacing } from '../commit/change.ts';
import { managerOf } from '../objects/managed-fields.ts';
import { type Stage, type StageResult, waitingStage } from '../stage.ts';
import {
  type HasChange,
  type HasExisting,
  type HasJson,
  type HasObject,
  type HasOptions,
  type HasRequirements,
  type HasShowing,
  noted,
  type Received,
  type WriteOptions,
} from '../write.ts';
import type { LoggedForm, WriteContext } from '../write-context.ts';
import { canonicalBytes, isLetGo, sizeProblem } from './encode.ts';
import { objectKey } from './place-object.ts';

const NEVER = resourceVersion(0);

type Encoded = Received &
  HasOptions<WriteOptions> &
  HasShowing &
  HasObject &
  HasRequirements &
  HasJson;

/**
 * An `added` event, 413 beyond {@link BODY_BYTES_MAX}, or the answer of a dry run of any size.
 */
export const proposeNew: Stage<Encoded, Encoded & HasChange> = {
  name: 'propose',
  run(write, { allocation, conversion }): StageResult<Encoded & HasChange> {
    const { request, served, options, showing, object, requires, json } = write;
    const oversize = sizeProblem(json, options);
    if (oversize !== undefined) return statusAnswer(oversize);
    const { name = '', labels = {}, uid = '', resourceVersion: version } = object.metadata;
    // Admission may even have given another name than the key is held of.
    const key = objectKey(served, request.info.namespace, name);
    if (options.dryRun) {
      return andThen(conversion?.unwritten({ json, ...key }) ?? json, (shown) =>
        'code' in shown
          ? statusAnswer(shown)
          : showing.dryRun(served, 201, { json: shown, version }),
      );
    }
    const change: Change = {
      type: 'added',
      ...key,
      previousResourceVersion: NEVER,
      requires,
      json,
      labels,
      uid,
      origin: originOf(request, managerOf(write)),
    };
    return noted(write, {
      change: allocation.join(change, object, undefined),
      answerOf: ({ object: written }: CommittedEvent) => showing.stored(served, 201, written),
    });
  },
};

type EncodedReplacement = Encoded & HasExisting;

/** A `modified` event, or `deleted` where the last finalizer of a dying object has gone. */
export const proposeReplacement: Stage<EncodedReplacement, EncodedReplacement & HasChange> = {
  name: 'propose',
  run(write, context): StageResult<EncodedReplacement & HasChange> {
    const { allocation, conversion } = context;
    const { served, options, showing, object, stored, old, json } = write;
    // What is too large may still become smaller: its finalizers must be able to let go.
    const isLarger = json.length > stored.json.length;
    const oversize = isLarger ? sizeProblem(json, options) : undefined;
    if (oversize !== undefined) return statusAnswer(oversize);
    const type = isLetGo(served, object, old) ? 'deleted' : 'modified';
    if (options.dryRun) {
      const { resource, path, resourceVersion: version } = stored;
      return andThen(conversion?.unwritten({ resource, path, json }) ?? json, (shown) =>
        'code' in shown
          ? statusAnswer(shown)
          : showing.dryRun(served, 200, { json: shown, version }),
      );
    }
    if (type === 'deleted') return letGo(write, context);
    if (isSameState(stored, json)) return showing.stored(served, 200, stored);
    const labels = object.metadata.labels ?? {};
    const change = changeOf(write, { type: 'modified', json, labels });
    return noted(write, {
      change: allocation.join(change, object, old),
      answerOf: ({ object: written }: CommittedEvent) => showing.stored(served, 200, written),
    });
  },
};

/**
 * Its client is shown the object as written, which no other client ever sees: what goes, goes as it was before.
 *
 * In Kubernetes: deleteWithoutFinalizers, apiserver/pkg/registry/generic/registry/store.go.
 */
function letGo(
  write: EncodedReplacement,
  { allocation, conversion }: WriteContext,
): StageResult<EncodedReplacement & HasChange> {
  const { served, showing, object, stored, old, json } = write;
  const { resource, path } = stored;
  return andThen(conversion?.unwritten({ resource, path, json }) ?? json, (shown) => {
    if ('code' in shown) return statusAnswer(shown);
    // Other writes may have the same value at hand.
    const asItWas = { ...old, metadata: { ...old.metadata } };
    return andThen(canonicalBytes(served, asItWas, stored.json.length), (before) => {
      const labels = old.metadata.labels ?? {};
      const change = changeOf(write, { type: 'deleted', json: before, labels });
      return noted(write, {
        change: allocation.join(change, object, old),
        // At the version of its end: that is where the write lies in the log.
        answerOf: ({ resourceVersion: version }: CommittedEvent) =>
          showing.dryRun(served, 200, { json: shown, version }),
      });
    });
  });
}

function changeOf(
  write: EncodedReplacement,
  { type, json, labels }: Pick<Change, 'type' | 'json' | 'labels'>,
): Change {
  const { request, stored, old, requires } = write;
  return {
    type,
    requires,
    json,
    labels,
    uid: old.metadata.uid ?? '',
    origin: originOf(request, managerOf(write)),
    ...replacing(stored),
  };
}

/** The author of a change, for its record. */
export function originOf(request: AuthenticatedRequest, fieldManager: string): Origin {
  const { user, info, auditID, deadline } = request;
  return { user: user.name, verb: info.verb, auditID, fieldManager, deadline };
}

/** A custom resource in the version in which it is stored, or the answer that it is so already. */
export const convertChange = waitingStage<
  Received & HasChange,
  Received & HasChange,
  LoggedForm | undefined
>('convert for the log', {
  find: ({ change }, { conversion }) => conversion?.toLog(change),
  take(write, form) {
    const { answerOf } = write;
    switch (form?.kind) {
      case undefined:
        return write;
      case 'refused':
        return statusAnswer(form.status);
      case 'change': {
        const { change, shown } = form;
        return noted(write, {
          change,
          answerOf: (event: CommittedEvent) => answerOf({ ...event, object: shown(event.object) }),
        });
      }
      case 'same': {
        const { object } = form;
        const { resource, path, resourceVersion: version } = object;
        // As if it had been written a moment ago, as indeed it was.
        const event = { type: 'modified', resource, path, object, previous: object } as const;
        return answerOf({ resourceVersion: version, ...event });
      }
    }
  },
});
