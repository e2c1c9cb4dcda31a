/**
 * What clients are told of a node that answers with an error instead of a log.
 *
 * In Kubernetes: GenericHttpResponseChecker, apiserver/pkg/registry/generic/rest, and
 * NewGenericServerResponse, apimachinery/pkg/api/errors.
 */
import { badRequest, internalError, type Status } from '../../api/meta/status.ts';
import { serverProblem } from '../outbound/go-http-problem.ts';

const REASONS: ReadonlyMap<number, string> = new Map([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

/** @param name of the pod whose log was asked for. */
export function nodeProblem(code: number, body: Buffer, name: string): Status {
  if (code === 500) return internalError(body.toString());
  if (code === 400) return badRequest(body.toString());
  const reason = REASONS.get(code) ?? (code >= 500 ? 'InternalError' : '');
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${serverProblem(code, body)} ( pods/log ${name})`,
    ...(reason === '' ? {} : { reason }),
    details: { name, kind: 'pods/log' },
    code,
  };
}
