/** Reads of stored objects as their resource shows them, which for built-in ones is as they are. */
import { unclassifiedFailure } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { StoredObject } from '../../streams/event.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import { guarded } from './guarded.ts';
import { shownObjects, type ShownNow } from './shown-objects.ts';
import type { ReadRoom } from './write-room.ts';

export interface ShownRead {
  readonly served: ServedResource;
  readonly objects: readonly StoredObject[];
}

/** Either it is answered why they cannot be shown, or `show` is called: at once where possible. */
export function whenShown(
  room: ReadRoom,
  { served, objects }: ShownRead,
  done: (answer: Answer) => void,
  show: (objects: readonly StoredObject[]) => void,
): void {
  const shown = shownObjects(served, objects);
  const go = (now: ShownNow): void => {
    if (now.ok) show(now.objects);
    else done(statusAnswer(unclassifiedFailure(now.message)));
  };
  if (shown instanceof Promise) void shown.then(guarded(room, done, go));
  else go(shown);
}
