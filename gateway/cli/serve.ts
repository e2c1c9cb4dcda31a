/**
 * The composition root: everything is wired here, and nowhere else.
 */
import { hostname } from 'node:os';
import { pino } from 'pino';
import { loopbackTo } from '../../actors/loopback.ts';
import { startActor, type Ref } from '../../actors/actor.ts';
import { serverAuthenticator } from '../../actors/authentication/server-authenticator.ts';
import { tokenFileAuthenticator } from '../../actors/authentication/token-file.ts';
import { serverAuthorizer } from '../../actors/authorization/server-authorizer.ts';
import { makeSystemNamespaces } from '../../actors/controllers/system-namespaces.ts';
import { dispatch } from '../../actors/dispatch.ts';
import { faultsTo } from '../../actors/faults.ts';
import { hall } from '../../actors/house.ts';
import { Committer } from '../../actors/registry/committer.ts';
import { KeySlots } from '../../actors/registry/key-slots.ts';
import { registry, type ResourceRequest } from '../../actors/registry/registry.ts';
import type { WriteRoom } from '../../actors/registry/write-room.ts';
import type { Answer, AuthenticatedRequest, RequestInfo } from '../../actors/request.ts';
import { builtInResources } from '../../actors/resources/built-in.ts';
import { waitGroup } from '../../actors/wait-group.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { DiscoveryView } from '../../projections/discovery/discovery-view.ts';
import { OpenApiView } from '../../projections/openapi/openapi-view.ts';
import { OwnLogMoment } from '../../projections/read-moment.ts';
import { Listener } from '../listener/listener.ts';
import { preparePki } from '../listener/self-signed.ts';
import { tlsOptions, trustAnchor } from '../listener/tls.ts';
import { bodyDecoder } from '../negotiation/body-decoder.ts';
import { AnswerWriter } from '../outbound/answer-writer.ts';
import { discoveryRoute } from '../routes/discovery.ts';
import { openApiRoute } from '../routes/openapi.ts';
import { WatchSessions } from '../watch/watch-sessions.ts';
import { WebSocketWatches } from '../watch/websocket-watch.ts';
import { serverUrl, writeKubeconfig } from './kubeconfig.ts';
import { openGallery, type OpenGallery } from './open-gallery.ts';
import type { ServeOptions } from './serve-settings.ts';
import { systemClock, systemRandom } from './system-clock.ts';

export interface RunningServer {
  readonly port: number;
  readonly kubeconfig: string;
}

const CONTINUE_TOKEN_TTL_MS = 5 * 60_000;

export async function serve(options: ServeOptions): Promise<RunningServer> {
  const opened = await openGallery(options.dataDir, systemClock);
  const logger = pino({ level: options.logLevel }, pino.destination({ fd: 2, sync: true }));
  const pki = await preparePki({
    dataDir: opened.directory.path,
    hostNames: [hostname(), options.bindAddress],
    now: systemClock.now(),
  });
  const room = writeRoom(opened, options);
  opened.projector.listen((event, verdict, committed) => {
    room.committer.folded(event, verdict, committed);
  });
  await opened.projector.start((error) => {
    logger.fatal({ error }, 'the log cannot be read any more');
    process.exit(1);
  });
  const served = builtInResources();
  const lookup = lookupOf(served);
  const registries = registriesOf(room);
  const facts = served.map((one) => one.facts);
  const discovery = new DiscoveryView(facts, `${options.bindAddress}:6443`);
  const openApi = new OpenApiView(facts);
  const route = (request: AuthenticatedRequest): Answer | undefined =>
    openApiRoute(openApi, request) ??
    (request.path.startsWith('/readyz')
      ? { kind: 'Document' as const, code: 200, headers: {}, body: Buffer.from('ok') }
      : discoveryRoute(discovery, request));
  const fork = startActor(dispatch({ lookup, registryOf: registries, route }));
  const door = hall(
    {
      clock: systemClock,
      random: systemRandom,
      logger,
      metrics: { begun: () => undefined, ended: () => undefined },
      faults: faultsTo(logger),
      waitGroup: waitGroup(),
      authenticator: serverAuthenticator({
        tokens: tokenFileAuthenticator(
          new Map([
            ['admintoken', { name: 'admin', uid: '', groups: ['system:masters'], extra: {} }],
          ]),
        ),
        allowsAnonymous: true,
      }),
      authorizer: serverAuthorizer(options.authorizationMode),
      options,
    },
    fork,
  );
  await makeSystemNamespaces(loopbackTo(fork, () => systemClock.now()));
  const sessions = new WatchSessions({
    gallery: opened.gallery,
    applied: opened.applied,
    clock: systemClock,
  });
  const writer = new AnswerWriter(systemClock, (exchange, request, answer) => {
    sessions.overHttp(exchange, request, answer);
  });
  const webSockets = new WebSocketWatches(door, sessions);
  const listener = new Listener({
    tls: tlsOptions(pki, options),
    clock: systemClock,
    hall: door,
    writer,
    writeFailed: (error) => {
      logger.error({ error }, 'an answer could not be written');
    },
    upgrade: (incoming, socket, head, connection) => {
      webSockets.upgrade(incoming, socket, head, connection);
    },
  });
  const port = await listener.listen(options.securePort, options.bindAddress);
  const kubeconfig = await writeKubeconfig(opened.directory.path, {
    server: serverUrl(options.bindAddress, port),
    trustAnchor: trustAnchor(pki, options),
    admin: pki.admin,
  });
  process.stdout.write(`export KUBECONFIG=${kubeconfig}\n`);
  return { port, kubeconfig };
}

function writeRoom(opened: OpenGallery, options: ServeOptions): WriteRoom {
  const { gallery, objects, applied, log } = opened;
  return {
    gallery,
    objects,
    applied,
    log,
    moment: new OwnLogMoment(applied),
    clock: systemClock,
    random: systemRandom,
    limits: {
      continueTokenTtlMs: CONTINUE_TOKEN_TTL_MS,
      watchTimeoutMinMs: options.minRequestTimeoutMs,
    },
    committer: new Committer({ log, clock: systemClock, random: systemRandom }),
    slots: new KeySlots(),
    decoder: bodyDecoder,
  };
}

function lookupOf(
  served: readonly ServedResource[],
): (info: RequestInfo) => ServedResource | undefined {
  const byName = new Map(served.map((one) => [`${one.apiVersion}/${one.facts.resource}`, one]));
  return ({ apiGroup, apiVersion, resource }) =>
    byName.get(
      apiGroup === '' ? `${apiVersion}/${resource}` : `${apiGroup}/${apiVersion}/${resource}`,
    );
}

/** One actor per stored resource, started when it is first needed. */
function registriesOf(room: WriteRoom): (storage: string) => Ref<ResourceRequest> {
  const started = new Map<string, Ref<ResourceRequest>>();
  return (storage) => {
    let found = started.get(storage);
    if (found === undefined) {
      found = startActor(registry(storage, room));
      started.set(storage, found);
    }
    return found;
  };
}
