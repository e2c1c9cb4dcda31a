/**
 * Body → candidate, with what is to be said about fields that nobody knows.
 */
import { badRequest } from '../../api/meta/status.ts';
import type { FieldValidation } from '../../api/meta/options.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { candidateOf, type Candidate } from './candidate.ts';
import { BODY_BYTES_MAX, type WriteRoom } from './write-room.ts';

export interface CandidateRequest {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly fieldValidation: FieldValidation;
}

export function readCandidate(
  room: WriteRoom,
  { request, served, fieldValidation }: CandidateRequest,
  done: (candidate: Candidate) => void,
): void {
  request.readBody(BODY_BYTES_MAX, (body) => {
    if (!body.ok) {
      done(body);
      return;
    }
    const contentType = request.headers['content-type'];
    const decoded = room.decoder.decode(body.bytes, String(contentType ?? ''));
    if (!decoded.ok) {
      done(decoded);
      return;
    }
    done(checkUnknownFields(request, candidateOf(served, decoded.value), fieldValidation));
  });
}

/** In Kubernetes: fieldValidation, whose default is Warn. */
function checkUnknownFields(
  request: AuthenticatedRequest,
  candidate: Candidate,
  fieldValidation: FieldValidation,
): Candidate {
  if (!candidate.ok || candidate.unknownFields.length === 0 || fieldValidation === 'Ignore') {
    return candidate;
  }
  const sentences = unknownFieldTexts(candidate.unknownFields);
  if (fieldValidation === 'Strict') {
    const status = badRequest(`strict decoding error: ${sentences.join(', ')}`);
    return { ok: false, status };
  }
  for (const sentence of sentences) request.warn(sentence);
  return candidate;
}

export function unknownFieldTexts(fields: readonly string[]): string[] {
  return fields.map((field) => `unknown field "${field}"`);
}
