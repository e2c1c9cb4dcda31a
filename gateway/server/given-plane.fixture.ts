/**
 * For tests of everything behind the filters: a control plane made by the phases of a server, with a
 * log and a store in memory. Only time, chance and the way out to webhooks are made up. It takes a
 * few milliseconds, so each test has its own.
 */
import type { Random } from '../../api/meta/clock.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import type { Component } from '../../api/kinds/core/componentstatuses/component.ts';
import type { WebhookClient } from '../../api/kinds/custom/webhook-client.ts';
import type { AdmissionPlugin } from '../../actors/admission/admission-plugin.ts';
import type { AdmissionWorld } from '../../actors/admission/admission-world.ts';
import { testMeters } from '../../actors/admission/test-meters.fixture.ts';
import type { AggregatedServers } from '../../actors/aggregation/aggregated-servers.ts';
import { AggregatedServices } from '../../actors/aggregation/aggregated-services.ts';
import type { NodeConnections } from '../../actors/connect/node-connections.ts';
import { statusAnswer } from '../../actors/request/answer.ts';
import { serviceUnavailable } from '../../api/meta/status.ts';
import { UNKNOWN, type Authenticator } from '../../actors/authentication/authenticator.ts';
import { KeyRing } from '../../actors/authentication/jwt/key-ring.ts';
import { TokenIssuer } from '../../actors/authentication/service-accounts/token-issuer.ts';
import { alwaysAllow } from '../../actors/authorization/server-authorizer.ts';
import type { Authorizer } from '../../actors/authorization/authorizer.ts';
import { NO_RULES, type RuleResolver } from '../../actors/authorization/rule-resolver.ts';
import { makeSystemNamespaces } from '../../actors/controllers/system-objects.ts';
import type { ReadMeters, WriteMeters } from '../../actors/registry/storage-meters.ts';
import { testFaults, testRandom } from '../../actors/request/given.fixture.ts';
import { ForkBases } from '../../actors/served-resources/fork-bases.ts';
import { MemoryObjectStore } from '../../projections/store/memory-object-store.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { parseServeOptions } from '../flags/flags.ts';
import { admissionSetupOf } from './control-plane/admission.ts';
import { startControlPlane } from './control-plane/control-plane.ts';
import { builtInOf, servedBy } from './views/server-views.ts';
import { viewsOf } from './views/open-views.ts';

/** No controller makes service accounts here, and pods may ask for anything. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount', '--allow-privileged=true'];
const byDefault = parseServeOptions(FLAGS, () => '');
const admission = await admissionSetupOf(
  { ...byDefault.admission, ...byDefault.egress },
  byDefault.features.featureGates,
);

/** What a test wants otherwise than a server that was told nothing has it. */
export interface GivenPlane {
  /** Beside those of every test. */
  readonly flags?: readonly string[];
  /** That other planes write as well; one of its own unless the test says otherwise. */
  readonly log?: MemoryEventLog;
  /** Always the greatest, unless the test wants another. */
  readonly random?: Random;
  /** Instead of those that are on by default. */
  readonly plugins?: (world: AdmissionWorld) => readonly AdmissionPlugin[];
  /** Allows everything, unless the test says otherwise. */
  readonly authorizer?: Authorizer & Partial<RuleResolver>;
  /** Knows no token, unless the test says otherwise. */
  readonly authenticator?: Authenticator;
  /** Without a key, unless the test says otherwise. */
  readonly tokens?: TokenIssuer;
  /** Beside the log. */
  readonly components?: readonly Component[];
  readonly storage?: ReadMeters & WriteMeters;
  readonly webhooks?: WebhookClient;
  /** None is there, unless the test says otherwise. */
  readonly nodes?: NodeConnections;
  /** None answers, unless the test says otherwise. */
  readonly aggregated?: AggregatedServers;
}

const NOT_ANSWERED: WebhookClient = {
  post: () => Promise.resolve({ ok: false, message: 'connection refused' }),
};

const nowhere = () => Promise.resolve(statusAnswer(serviceUnavailable('no node is there')));
/** No backend is there. */
export const NO_NODES: NodeConnections = {
  preferredAddressTypes: ['InternalIP'],
  kubeletPort: 10_250,
  ...{ proxy: nowhere, log: nowhere, stream: nowhere },
};

/** No aggregated server answers. */
export const NO_SERVERS: AggregatedServers = {
  proxy: () => Promise.resolve(statusAnswer(serviceUnavailable('no server is there'))),
  fetch: () => Promise.resolve({ ok: false, message: 'connection refused', url: '' }),
  whenFailed: () => () => undefined,
};

export async function givenPlane(given: GivenPlane = {}) {
  const { random = testRandom(), webhooks = NOT_ANSWERED, authorizer = alwaysAllow } = given;
  const { flags = [] } = given;
  const options =
    flags.length === 0 ? byDefault : parseServeOptions([...FLAGS, ...flags], () => '');
  const clock = new ManualClock();
  const { aggregated: servers = NO_SERVERS, nodes = NO_NODES } = given;
  const externals = { clock, random, nodes, webhooks: () => webhooks, aggregated: () => servers };
  const { log = new MemoryEventLog() } = given;
  const hasOtherWriters = given.log !== undefined;
  const inMemory = { log, hasOtherWriters, close: () => log.close() };
  // Some objects are let go of and read again.
  const opened = viewsOf(inMemory, new MemoryObjectStore(), clock, { warmBytesMax: 50_000 });
  const served = servedBy(opened, builtInOf(options, clock), { externals });
  const { authenticator = { authenticate: () => UNKNOWN }, tokens = withoutKey() } = given;
  const plane = await startControlPlane(opened, {
    ...{ options, externals, served, faults: testFaults(), meters: testMeters() },
    guards: { authenticator, tokens, authorizer: withRules(authorizer) },
    components: given.components ?? [],
    admission: given.plugins === undefined ? admission : { ...admission, plugins: given.plugins },
    storage: given.storage,
    aggregation: { services: new AggregatedServices(opened.followed), servers },
    forks: new ForkBases(opened.objects),
    routeOf: () => () => undefined,
    readingFailed(error) {
      throw error;
    },
  });
  await makeSystemNamespaces(plane.loopback);
  return { ...opened, ...plane, log, clock, served };
}

function withRules(authorizer: Authorizer & Partial<RuleResolver>): Authorizer & RuleResolver {
  return {
    authorize: (attributes) => authorizer.authorize(attributes),
    rulesFor: (user, namespace) => authorizer.rulesFor?.(user, namespace) ?? NO_RULES,
  };
}

function withoutKey(): TokenIssuer {
  const asked = { issuer: '', audiences: [], lifetimeSecondsMax: 0, extendsLifetime: false };
  return new TokenIssuer(asked, new KeyRing(), testRandom());
}
