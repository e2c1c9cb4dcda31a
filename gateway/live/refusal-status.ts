/** Answers that refuse, as the Status that a subscription is told. */
import type { Answer } from '../../actors/request/answer.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { isJsonObject } from '../../api/json/json.ts';
import { parseJson } from '../../api/json/json-text.ts';
import { pageNotFound, type Status, unclassifiedFailure } from '../../api/meta/status.ts';

const REFUSED_FROM = 400;
const NOT_FOUND = 404;

/** undefined: it is none that refuses. @param request with the header Retry-After, where there is one. */
export function statusOfRefusal(request: ReceivedRequest, answer: Answer): Status | undefined {
  if (answer.kind === 'Status') return answer.status;
  if (answer.kind !== 'Document' || answer.code < REFUSED_FROM) return undefined;
  if (answer.code === NOT_FOUND) return pageNotFound();
  const text = Buffer.from(answer.body).toString().trim();
  const seconds = Number(request.responseHeaders['Retry-After'] ?? 0);
  const details = seconds > 0 ? { details: { retryAfterSeconds: seconds } } : {};
  return { ...unclassifiedFailure(sentenceIn(text)), ...details, code: answer.code };
}

function sentenceIn(text: string): string {
  try {
    const value = parseJson(text);
    const message = isJsonObject(value) ? value['message'] : undefined;
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}
