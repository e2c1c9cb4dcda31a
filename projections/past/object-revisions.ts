/** The life of one object: every state it had, and what each changed of the one before. */
import { parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject } from '../../api/json/json.ts';
import { isChange, type LoggedChange, type LoggedEvent } from '../../streams/event.ts';
import { summarizeChanges } from './change-summary.ts';
import { fieldChanges, type FieldChange } from './field-changes.ts';
import { schemaOfObject } from './field-schema.ts';
import { isSecret, redactedChanges } from './secret-redaction.ts';

export interface ObjectRevision {
  readonly event: LoggedChange;
  /** As of this revision; for a delete the last state. */
  readonly object: JsonObject;
  /** What it replaced; undefined for a create, and where that is not in the log any more. */
  readonly before: JsonObject | undefined;
  /** From `before` to `object`; none where there is no `before`. */
  readonly changes: readonly FieldChange[];
  /** Whether it was deleted before, and is another object of the same name. */
  readonly isCreatedAgain: boolean;
}

/** @param events the effective ones of one object, in order. */
export function* revisionsOf(events: Iterable<LoggedEvent>): Generator<ObjectRevision> {
  let before: JsonObject | undefined;
  let wasDeleted = false;
  for (const event of events) {
    if (!isChange(event)) continue;
    const object = objectOf(event);
    const isCreatedAgain = wasDeleted && event.type === 'added';
    const changes =
      before === undefined ? [] : fieldChanges(before, object, schemaOfObject(object));
    yield { event, object, before, changes, isCreatedAgain };
    wasDeleted = event.type === 'deleted';
    before = wasDeleted ? undefined : object;
  }
}

/** The object in the record, as the log has it: without resourceVersion. */
export function objectOf(event: LoggedEvent): JsonObject {
  const bytes = Buffer.from(event.json.buffer, event.json.byteOffset, event.json.byteLength);
  const value = parseJson(bytes.toString());
  if (isJsonObject(value)) return value;
  throw new Error(`the record at ${String(event.resourceVersion)} holds no object`);
}

/** One line: what happened, and what is different since. Never shows a Secret's values. */
export function summarizeRevision(revision: ObjectRevision): string {
  const { event, object, before, isCreatedAgain } = revision;
  const changes = isSecret(object) ? redactedChanges(revision.changes) : revision.changes;
  const what = summarizeChanges(changes);
  if (event.type === 'deleted') return what === '' ? 'deleted' : `deleted (${what})`;
  if (isCreatedAgain) return 'created again';
  if (event.type === 'added') return 'created';
  if (before === undefined) return 'what was before is not in the log any more';
  return what === '' ? 'nothing' : what;
}
