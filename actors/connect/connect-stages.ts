/**
 * Requests that end at a node, a pod or a service: read-like paths, since nothing is written. What the
 * query says is admitted as CONNECT; then it is found where the request leads, and the way there gives
 * the answer.
 *
 * The surprise: exec, attach and portforward need the verb `create`, also where a client asks by GET, as
 * WebSockets have to.
 *
 * In Kubernetes: ConnectResource, apiserver/pkg/endpoints/handlers/rest.go; ProxyREST, ExecREST, AttachREST,
 * PortForwardREST and ensureAuthorizedForVerb, pkg/registry/core/pod/rest.
 */
import type { NodeProxyOptions, PodExecOptions } from '../../api/generated/kinds/core-v1.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { items } from '../../api/json/go-values.ts';
import { asKubeObject, type KubeObject } from '../../api/meta/object-meta.ts';
import { badRequest, forbidden, unclassifiedFailure } from '../../api/meta/status.ts';
import { queryValues } from '../../api/meta/web-addresses.ts';
import { optionsFromQuery } from '../../api/options/connect-options.ts';
import type { SubresourceFacts } from '../../api/scheme/resource-facts.ts';
import { RunningAttempt } from '../slots/key-slots.ts';
import { attributesOf, unlessRefused } from '../registry/stages/admit.ts';
import { readPath, type ReadPath, type Stage } from '../registry/stage.ts';
import { noted, type Received } from '../registry/write.ts';
import type { WriteContext } from '../registry/write-context.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import type { RequestInfo } from '../request/request.ts';
import {
  containerOf,
  kubeletOf,
  type Located,
  nodeOrigin,
  type Origin,
  podAt,
  podOrigin,
  serviceOrigin,
} from './locations.ts';
import type { NodeConnections, StreamWish } from './node-connections.ts';

/** What the query says, as admission has left it. */
interface HasConnectOptions {
  readonly connect: JsonObject;
}

type Connecting = Received & HasConnectOptions;

/** Where parts of a path begin that are the backend's: `nodes/NAME/proxy/…`. */
const BEHIND_SUBRESOURCE = 3;

const readConnectOptions: Stage<Received, Connecting> = {
  name: 'options',
  run(read) {
    const { info, query } = read.request;
    if (queryValues(query, 'dryRun').length > 0) {
      return statusAnswer(badRequest('dryRun is not supported'));
    }
    const { typeId } = subresourceOf(read);
    const parsed = optionsFromQuery(typeId, query);
    if (!parsed.ok) return statusAnswer(parsed.status);
    const path = info.subresource === 'proxy' ? { path: pathBehind(info) } : {};
    return noted(read, { connect: { ...parsed.options, ...path } });
  },
};

function subresourceOf({ request, served }: Received): SubresourceFacts {
  const { subresource } = request.info;
  const facts = served.facts.subresources.find(({ name }) => name === subresource);
  if (facts === undefined) throw new Error(`no facts of the subresource ${subresource}`);
  return facts;
}

function pathBehind({ parts, path }: RequestInfo): string {
  const joined = parts.slice(BEHIND_SUBRESOURCE).join('/');
  const below = joined === '' || joined.startsWith('/') ? joined : `/${joined}`;
  return path.endsWith('/') && !below.endsWith('/') ? `${below}/` : below;
}

/** Both phases of admission, one behind the other. What plug-ins change counts. */
const admitConnect: Stage<Connecting, Connecting> = {
  name: 'admit',
  run(read, context) {
    const { request, served, connect } = read;
    const facts = subresourceOf(read);
    const { admission } = context;
    const place = { served, operation: 'CONNECT', subresource: request.info.subresource } as const;
    if (!admission.concerns(place)) return read;
    const apiVersion = facts.group === '' ? facts.version : `${facts.group}/${facts.version}`;
    const attempt = new RunningAttempt();
    const attributes = attributesOf(context, {
      request,
      served,
      attempt,
      operation: 'CONNECT',
      kind: facts,
      object: shownOptions({ kind: facts.kind, apiVersion, ...connect }),
      oldObject: undefined,
      options: { dryRun: false },
    });
    return unlessRefused(admission.mutate(attributes), () =>
      unlessRefused(admission.validate(attributes), () => {
        attempt.end();
        return Object.assign(read, { connect: attributes.object ?? connect });
      }),
    );
  },
};

/** Options have no metadata; plug-ins that look at labels find none, and no webhook is shown any. */
function shownOptions(options: JsonObject): KubeObject {
  return asKubeObject(Object.defineProperty(options, 'metadata', { value: {}, enumerable: false }));
}

/** A stream runs something or changes something: a right to read is not enough, by whichever method. */
const authorizeCreate: Stage<Connecting, Connecting> = {
  name: 'authorize create',
  run(read, { authorizer }) {
    const { info, user } = read.request;
    if (info.verb === 'create') return read;
    const asked = authorizer.authorize({ user, request: { ...info, verb: 'create' } });
    const judge = (decision: Awaited<typeof asked>): Connecting | Answer => {
      if (decision.verdict === 'allow') return read;
      if (decision.error !== undefined) {
        return statusAnswer(unclassifiedFailure(decision.error.message));
      }
      const about = { group: info.apiGroup, resource: info.resource };
      return statusAnswer(forbidden(about, info.name, decision.reason));
    };
    return asked instanceof Promise ? asked.then(judge) : judge(asked);
  },
};

const OF_ELSEWHERE =
  'nodes, pods and services can be reached as they are now, by the main control plane alone';

/** Refuses requests below `/at/` and `/forks/`: a node has no past, and a pod of a fork runs nowhere. */
export const refuseElsewhere: Stage<Received, Received> = {
  name: 'refuse forks and moments',
  run(read) {
    const { fork, at } = read.request.info;
    if (fork === '' && at === '') return read;
    return statusAnswer(badRequest(OF_ELSEWHERE));
  },
};

type Locate = (read: Connecting, context: WriteContext) => Located<Origin>;

function proxying(connections: NodeConnections, locate: Locate): ReadPath {
  const pass: Stage<Connecting, Connecting> = {
    name: 'answer',
    run(read, context) {
      const located = locate(read, context);
      if (!located.ok) return statusAnswer(located.status);
      const { path = '' } = read.connect as NodeProxyOptions; // Read as one.
      const { query } = read.request;
      return connections.proxy(read.request, { ...located.found, path: cleanPath(path), query });
    },
  };
  return readPath('connect')(refuseElsewhere, readConnectOptions, admitConnect, pass);
}

/** In Go: path.Join, which keeps the slash at the end here. */
function cleanPath(path: string): string {
  if (path === '') return '';
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') kept.pop();
    else kept.push(part);
  }
  const joined = `/${kept.join('/')}`;
  return path.endsWith('/') && joined !== '/' ? `${joined}/` : joined;
}

/** `nodes/NAME/proxy` and all that is below. */
export function proxyToNode(connections: NodeConnections): ReadPath {
  return proxying(connections, ({ request }, context) =>
    nodeOrigin(context, request.info.name, connections),
  );
}

/** `pods/NAME/proxy` and all that is below. */
export function proxyToPod(connections: NodeConnections): ReadPath {
  return proxying(connections, ({ request }, context) =>
    podOrigin(context, request.info.namespace, request.info.name),
  );
}

/** `services/NAME/proxy` and all that is below. */
export function proxyToService(connections: NodeConnections): ReadPath {
  return proxying(connections, ({ request }, context) =>
    serviceOrigin(context, request.info.namespace, request.info.name),
  );
}

/** exec, attach and portforward of a pod. */
export function streamToPod(connections: NodeConnections, kind: StreamWish['kind']): ReadPath {
  const join: Stage<Connecting, Connecting> = {
    name: 'answer',
    run: (read, context) => joined(read, context, { connections, kind }),
  };
  return readPath('connect')(
    refuseElsewhere,
    readConnectOptions,
    admitConnect,
    authorizeCreate,
    join,
  );
}

interface Joining {
  readonly connections: NodeConnections;
  readonly kind: StreamWish['kind'];
}

function joined(
  { request, connect }: Connecting,
  context: WriteContext,
  { connections, kind }: Joining,
): Answer | Promise<Answer> {
  const { namespace, name } = request.info;
  const located = podAt(context, namespace, name);
  if (!located.ok) return statusAnswer(located.status);
  const pod = located.found;
  const options = connect as Partial<PodExecOptions> & { readonly ports?: readonly number[] };
  const container = kind === 'portforward' ? undefined : containerOf(pod, options.container ?? '');
  if (container?.ok === false) return statusAnswer(container.status);
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') {
    return statusAnswer(badRequest(`pod ${name} does not have a host assigned`));
  }
  const kubelet = kubeletOf(context, nodeName, connections, 'pods');
  if (!kubelet.ok) return statusAnswer(kubelet.status);
  const { origin, features } = kubelet.found;
  const of = `${namespace}/${name}`;
  const path = container === undefined ? `/portForward/${of}` : `/${kind}/${of}/${container.found}`;
  const { stdin = false, stdout = false, stderr = false, tty = false } = options;
  const nodeTakesWebSockets = features.includes('ExtendWebSocketsToKubelet');
  return connections.stream(
    request,
    { ...origin, path, query: streamQuery(options) },
    { kind, stdin, stdout, stderr, tty, nodeTakesWebSockets },
  );
}

/** As Go encodes it: by the names of the parameters in their order. */
function streamQuery(
  options: Partial<PodExecOptions> & { readonly ports?: readonly number[] },
): string {
  const { stdin, stdout, stderr, tty, command, ports = [] } = options;
  const said: string[] = items(command).map((word) => `command=${goQueryEscape(word)}`);
  if (stderr === true) said.push('error=1');
  if (stdin === true) said.push('input=1');
  if (stdout === true) said.push('output=1');
  if (ports.length > 0) said.push(`port=${goQueryEscape(ports.join(','))}`);
  if (tty === true) said.push('tty=1');
  return said.join('&');
}

/** In Go: url.QueryEscape. */
export function goQueryEscape(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
