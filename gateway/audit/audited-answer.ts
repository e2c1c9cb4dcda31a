/**
 * What was answered, as it stands in an event of the audit: JSON in the form that the client asked
 * for. A table is written down as a table, a list whole; a watch, and what is no object, not at all.
 * The bytes of a stored object are taken as they are.
 *
 * In Kubernetes: LogResponseObject, apiserver/pkg/audit.
 */
import { allOf } from '../../api/json/json-parts.ts';
import { formatJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { trimEnd } from '../../api/meta/trim-end.ts';
import type { ListAnswer, ObjectAnswer, ValueAnswer } from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import type { ResponseJson } from '../../actors/audit/audit-trail.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { listInParts, StoredList } from '../responses/list-writer.ts';
import { isStoredForm, partialObject, servedValue, tableOf } from '../responses/object-form.ts';

/** @param clock for the ages in tables. The JSON is undefined for what events do not show. */
export function auditedAnswers(clock: Clock): ResponseJson {
  return (request, answer) => {
    const media = plainJson(request);
    const now = request.momentTime ?? clock.now();
    switch (answer.kind) {
      case 'Status':
        return formatJson(answer.status);
      case 'Object':
        return objectJson(answer, media, now);
      case 'Value':
        return valueJson(answer, media);
      case 'List':
        // The event is one line, and the list ends with the end of its own.
        return trimEnd(listBytes(answer, media, now).toString(), '\n');
      case 'Watch':
      case 'Document':
      case 'Stream':
      case 'Upgrade':
        return undefined;
    }
  };
}

function listBytes(list: ListAnswer, media: AcceptedMedia, now: number): Buffer {
  const { served } = list;
  if (isStoredForm(served, media)) return Buffer.concat([...new StoredList(list).chunks()]);
  return allOf(listInParts(list, media, now));
}

/** In the same form, without the line breaks of one that is made to be read. */
function plainJson({ accepted }: ReceivedRequest): AcceptedMedia {
  const { transform = 'none', includeObject = 'Metadata' } = accepted ?? {};
  return { ...accepted, type: 'json', transform, includeObject, pretty: false };
}

function objectJson({ served, object }: ObjectAnswer, media: AcceptedMedia, now: number): string {
  if (isStoredForm(served, media)) return object.json.toString();
  if (media.transform === 'Table') {
    return formatJson(tableOf(served, [parsedObject(object)], media, { now }));
  }
  return formed(servedValue(served, object), media);
}

/** Values that are no resource's, and those that are shown in a table, are written down whole. */
function valueJson({ value }: ValueAnswer, media: AcceptedMedia): string {
  return media.transform === 'Table' ? formatJson(value) : formed(value, media);
}

function formed(value: JsonObject, media: AcceptedMedia): string {
  const isWhole = media.transform === 'none' || value['kind'] === 'Status';
  return formatJson(isWhole ? value : partialObject(value, media));
}
