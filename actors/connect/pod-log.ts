/**
 * `pods/NAME/log`: the log of one container, asked of the node that runs it, and followed while the client
 * listens. It is a GET, so no admission plug-in is asked.
 *
 * In Kubernetes: LogREST, pkg/registry/core/pod/rest; LogLocation, pkg/registry/core/pod/strategy.go;
 * ValidatePodLogOptions, pkg/apis/core/validation.
 */
import { type FieldErrors, forbiddenField, invalidValue } from '../../api/field/field-errors.ts';
import { invalid } from '../../api/meta/status.ts';
import { optionsFromQuery } from '../../api/options/connect-options.ts';
import { readPath, type ReadPath, type Stage } from '../registry/stage.ts';
import { noted, type Received } from '../registry/write.ts';
import type { ReadContext } from '../registry/write-context.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import { goQueryEscape, refuseElsewhere } from './connect-stages.ts';
import { containerOf, kubeletOf, podAt } from './locations.ts';
import type { NodeConnections } from './node-connections.ts';

const LOG_OPTIONS = 'io.k8s.api.core.v1.PodLogOptions';

/** PodLogOptions, as a query gives them. */
interface LogOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number | bigint;
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number | bigint;
  readonly limitBytes?: number | bigint;
  readonly insecureSkipTLSVerifyBackend?: boolean;
  readonly stream?: string;
}

interface HasLogOptions {
  readonly log: LogOptions;
}

type Asking = Received & HasLogOptions;

const readLogOptions: Stage<Received, Asking> = {
  name: 'options',
  run(read) {
    const { info, query } = read.request;
    const parsed = optionsFromQuery(LOG_OPTIONS, query);
    if (!parsed.ok) return statusAnswer(parsed.status);
    const log = parsed.options as LogOptions; // Read by the fields of that type.
    const errors = problemsOf(log);
    if (errors.length === 0) return noted(read, { log });
    const about = { group: '', resource: 'PodLogOptions' };
    return statusAnswer(invalid(about, info.name, errors));
  },
};

const NOT_POSITIVE = 'must be greater than 0';

function problemsOf(log: LogOptions): FieldErrors {
  const { tailLines, limitBytes, sinceSeconds, sinceTime, stream } = log;
  const both = 'at most one of `sinceTime` or `sinceSeconds` may be specified';
  return [
    ...(tailLines !== undefined && tailLines < 0
      ? [invalidValue('tailLines', tailLines, 'must be greater than or equal to 0')]
      : []),
    ...(limitBytes !== undefined && limitBytes < 1
      ? [invalidValue('limitBytes', limitBytes, NOT_POSITIVE)]
      : []),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [forbiddenField('[]', both)]
      : sinceSeconds !== undefined && sinceSeconds < 1
        ? [invalidValue('sinceSeconds', sinceSeconds, NOT_POSITIVE)]
        : []),
    // One stream of the two can be chosen behind a gate that is off.
    ...(stream === undefined ? [] : [forbiddenField('stream', 'may not be specified')]),
  ];
}

/** A pod that no node has yet has said nothing. */
const NOTHING: Answer = { kind: 'Document', code: 204, headers: {}, body: Buffer.alloc(0) };

/** GET of `pods/NAME/log`. */
export function readingLogs(connections: NodeConnections): ReadPath {
  const readLog: Stage<Asking, Asking> = {
    name: 'answer',
    run: (read, context) => logOf(read, context, connections),
  };
  return readPath('get')(refuseElsewhere, readLogOptions, readLog);
}

function logOf(
  { request, log }: Asking,
  context: ReadContext,
  connections: NodeConnections,
): Answer | Promise<Answer> {
  const { namespace, name } = request.info;
  const located = podAt(context, namespace, name);
  if (!located.ok) return statusAnswer(located.status);
  const pod = located.found;
  const container = containerOf(pod, log.container ?? '');
  if (!container.ok) return statusAnswer(container.status);
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') return NOTHING;
  const kubelet = kubeletOf(context, nodeName, connections, 'pods');
  if (!kubelet.ok) return statusAnswer(kubelet.status);
  const trust = log.insecureSkipTLSVerifyBackend === true ? 'unverified node' : 'node';
  const path = `/containerLogs/${namespace}/${name}/${container.found}`;
  const from = { ...kubelet.found.origin, trust, path, query: logQuery(log) } as const;
  return connections.log(request, from, name);
}

/** As Go encodes it: by the names of the parameters in their order. */
function logQuery(log: LogOptions): string {
  const said: (readonly [string, string | number | bigint | undefined])[] = [
    ['follow', log.follow === true ? 'true' : undefined],
    ['limitBytes', log.limitBytes],
    ['previous', log.previous === true ? 'true' : undefined],
    ['sinceSeconds', log.sinceSeconds],
    ['sinceTime', log.sinceTime],
    ['tailLines', log.tailLines],
    ['timestamps', log.timestamps === true ? 'true' : undefined],
  ];
  return said
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${goQueryEscape(String(value))}`],
    )
    .join('&');
}
