/** Reads of stored objects as their resource shows them, which for built-in ones is as they are. */
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { unclassifiedFailure } from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { statusAnswer, type Answer } from '../../request/answer.ts';
import { shownObjects, type ShownNow } from '../custom/shown-objects.ts';

export interface ShownRead {
  readonly served: ServedResource;
  readonly objects: readonly StoredObject[];
}

/** The answer that shows them, or why they cannot be shown; at once unless a webhook is asked. */
export function whenShown(
  { served, objects }: ShownRead,
  show: (objects: readonly StoredObject[]) => Answer,
): MaybePromise<Answer> {
  const go = (now: ShownNow): Answer =>
    now.ok ? show(now.objects) : statusAnswer(unclassifiedFailure(now.message));
  const shown = shownObjects(served, objects);
  return shown instanceof Promise ? shown.then(go) : go(shown);
}
