/**
 * Body → candidate, with what is to be said about fields that nobody knows.
 */
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { badRequest, type Status } from '../../api/meta/status.ts';
import type { FieldValidation } from '../../api/meta/options.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { statusAnswer, type Answer, type AuthenticatedRequest } from '../request.ts';
import { candidateOf, cannotBeHandled, type Candidate } from './candidate.ts';
import { guarded } from './guarded.ts';
import { withoutDuplicateOwners } from './owner-references.ts';
import { BODY_BYTES_MAX, type Decoded, type WriteRoom } from './write-room.ts';

export interface CandidateRequest {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly fieldValidation: FieldValidation;
}

/**
 * Gives what the client sent as an object, in the served version. To each call it gives an object
 * of its own, so an attempt may change what it got and the next one begins from the beginning.
 */
export type Sent = () => KubeObject;

/**
 * Reads the body. What is wrong with it is answered; `ready` is called when there is a candidate.
 */
export function readCandidate(
  room: WriteRoom,
  { request, served, fieldValidation }: CandidateRequest,
  done: (answer: Answer) => void,
  ready: (sent: Sent) => void,
): void {
  const decode = (bytes: Buffer): Decoded =>
    room.decoder.decode(bytes, String(request.headers['content-type'] ?? ''));
  const whenRead = guarded(done, (body) => {
    const decoded = body.ok ? decode(body.bytes) : body;
    if (!decoded.ok) {
      done(statusAnswer(body.ok ? unrecognized(served, decoded.status, body.bytes) : decoded.status));
      return;
    }
    const candidate = candidateOf(served, decoded.value);
    const refused = checkUnknownFields(request, candidate, fieldValidation);
  });
  request.readBody(BODY_BYTES_MAX, whenRead);
}
