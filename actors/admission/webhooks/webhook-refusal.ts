/**
 * What a webhook's no becomes, and what it becomes that a webhook could not be asked.
 *
 * In Kubernetes: ToStatusErr, apiserver/pkg/admission/plugin/webhook/errors, and ErrCallingWebhook.
 */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import { badRequest, type Status } from '../../../api/meta/status.ts';
import { goQuote } from '../../request/message-text.ts';

const LEAST_CODE = 400;

/** @param result the Status that it answered; it may say another code and reason. */
export function webhookRefusal(name: string, result: JsonObject | undefined): Status {
  const message = stringAt(result, 'message');
  const reason = stringAt(result, 'reason');
  const denied = `admission webhook ${goQuote(name)} denied the request`;
  const why = message === '' ? reason : message;
  const code = Number(result?.['code'] ?? 0);
  const status = stringAt(result, 'status');
  const details = objectAt(result, 'details');
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: isJsonObject(result?.['metadata']) ? result['metadata'] : {},
    // A webhook may call it what it likes, but not a success.
    status: (status === '' || status === 'Success' ? 'Failure' : status) as Status['status'],
    message: why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code: Number.isInteger(code) && code >= LEAST_CODE ? code : LEAST_CODE,
  };
}

export function dryRunRefusal(name: string): Status {
  return badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
}

export function failedCalling(name: string, why: string): string {
  return `failed calling webhook ${goQuote(name)}: ${why}`;
}
