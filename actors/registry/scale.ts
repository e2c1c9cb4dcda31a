/**
 * The scale subresource: how many replicas, whatever the kind. What a write asks for becomes an
 * ordinary update of the object, with all its rules.
 *
 * In Kubernetes: ScaleREST of each workload's storage.
 */
import { badRequest, invalid, notFound, type Status } from '../../api/meta/status.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/meta/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { parseUpdateOptions } from '../../api/meta/options.ts';
import { patchFailureStatus } from '../../api/patch/patch-result.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import type { CommittedEvent, StoredObject } from '../../streams/event.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { applyScale, scaleOf, validateScale } from '../resources/scale.ts';
import { statusAnswer, type Answer, type AuthenticatedRequest } from '../request.ts';
import { refusal, writeObject, type Attempt } from './commit-answer.ts';
import { keyOf } from './create.ts';
import { guarded } from './guarded.ts';
import { readPatch } from './patch.ts';
import { decodeBody } from './read-candidate.ts';
import { attemptUpdate, type Update } from './update.ts';
import { BODY_BYTES_MAX, type ReadRoom, type WriteRoom } from './write-room.ts';

const SCALE = { group: 'autoscaling', resource: 'Scale' };
/** Under this name Scales have columns. */
const SCALES = { group: 'autoscaling', resource: 'scale' };
const SCALE_TYPE = 'io.k8s.api.autoscaling.v1.Scale';

export function getScale(
  room: ReadRoom,
  { info }: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const key = keyOf(served, info.namespace, info.name);
  const stored = room.objects.get(key.resource, key.path);
  done(stored === undefined ? statusAnswer(notFound(served.facts, info.name)) : shown(stored));
}

export function updateScale(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const parsed = parseUpdateOptions(request.query);
  if (!parsed.ok) {
    done(statusAnswer(parsed.status));
    return;
  }
  request.readBody(
    BODY_BYTES_MAX,
    guarded(done, (body) => {
      const decoded = body.ok ? decodeBody(room, request, body.bytes) : body;
      if (!decoded.ok) {
        done(statusAnswer(decoded.status));
        return;
      }
      const { value } = decoded;
      writeScale(room, { request, served, options: parsed.options }, () => scaleFrom(value), done);
    }),
  );
}

export function patchScale(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  readPatch(room, { request, typeId: SCALE_TYPE }, done, ({ options, patch }) => {
    const wanted = (current: KubeObject): ScaleRead => {
      const patched = patch(scaleOf(current));
      if (patched.ok) return scaleFrom(patched.value);
      return { ok: false, status: patchFailureStatus(patched) };
    };
    writeScale(room, { request, served, options }, wanted, done);
  });
}

type ScaleRead =
  | { readonly ok: true; readonly scale: KubeObject }
  | { readonly ok: false; readonly status: Status };

function scaleFrom(value: JsonValue): ScaleRead {
  const decoded = typedCodec(SCALE_TYPE).decode(isJsonObject(value) ? value : {});
  if (!decoded.ok) return { ok: false, status: badRequest(decoded.message) };
  const scale: JsonObject = { metadata: {}, ...decoded.value };
  const errors = validateScale(scale as KubeObject); // It has metadata, by the line above.
  if (errors.length > 0) return { ok: false, status: invalid(SCALE, '', errors) };
  return { ok: true, scale: scale as KubeObject };
}

function writeScale(
  room: WriteRoom,
  { request, served, options }: Omit<Update, 'rules'>,
  wanted: (current: KubeObject) => ScaleRead,
  done: (answer: Answer) => void,
): void {
  const { info } = request;
  const key = keyOf(served, info.namespace, info.name);
  const rules = served.definition.strategy;
  const attempt = (): Attempt => {
    const stored = room.objects.get(key.resource, key.path);
    if (stored === undefined) return refusal(notFound(served.facts, info.name));
    const current = parsedObject(stored) as KubeObject; // Written by this server.
    const read = wanted(current);
    if (!read.ok) return refusal(read.status);
    const object = applyScale(current, read.scale);
    return asScale(attemptUpdate({ request, served, rules, options }, object, stored));
  };
  writeObject(room, { key, deadline: request.deadline, attempt }, done);
}

/** The same attempt, whose answer shows the scale of the object instead of the object. */
function asScale(attempt: Attempt): Attempt {
  if (attempt.kind === 'commit') {
    return { ...attempt, answerOf: ({ object }: CommittedEvent) => shown(object) };
  }
  const { answer } = attempt;
  if (answer.kind === 'Object') return { kind: 'answer', answer: shown(answer.object) };
  if (answer.kind === 'Value') {
    const scale = scaleOf(answer.value as KubeObject); // A dry run shows an object of this kind.
    return { kind: 'answer', answer: scaleAnswer(scale) };
  }
  return attempt;
}

function shown(stored: StoredObject): Answer {
  return scaleAnswer(scaleOf(parsedObject(stored) as KubeObject)); // Written by this server.
}

function scaleAnswer(value: KubeObject): Answer {
  return { kind: 'Value', code: 200, typeId: SCALE_TYPE, value, printedAs: SCALES };
}
