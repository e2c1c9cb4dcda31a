import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Ref } from '../request/actor.ts';
import { serverAuthenticator } from '../authentication/server-authenticator.ts';
import { tokenFileAuthenticator } from '../authentication/token-file.ts';
import { alwaysAllow } from '../authorization/server-authorizer.ts';
import { faultsTo } from '../request/faults.ts';
import { authentication } from '../filters/authentication.ts';
import { authorization } from '../filters/authorization.ts';
import { requestInfo } from '../filters/request-info.ts';
import {
  codeOf,
  givenReceived,
  messageOf,
  testClock,
  testLogger,
  testRandom,
  type GivenRequest,
} from '../request/given.fixture.ts';
import { cacheControl } from '../filters/cache-control.ts';
import { givenAudit } from '../audit/given-audit.fixture.ts';
import { connect, filterChain, filtersOf, type FilterChainDependencies } from './filter-chain.ts';
import { statusAnswer } from '../request/answer.ts';
import type { AuthenticatedRequest, RoutedRequest } from '../request/request.ts';
import { success } from '../../api/meta/status.ts';
import { FeatureGates } from '../lifecycle/feature-gates.ts';
import { LifecycleSignals } from '../lifecycle/lifecycle-signals.ts';
import { waitGroup } from '../request/under-way.ts';

const OMAR = { name: 'omar', uid: '7', groups: ['ops'], extra: {} };

function dependencies() {
  const clock = testClock();
  const logger = testLogger();
  const signals = new LifecycleSignals();
  signals.give('MuxAndDiscoveryComplete');
  return {
    clock,
    random: testRandom(),
    logger,
    metrics: { begun: () => undefined, ended: () => undefined, terminated: () => undefined },
    faults: faultsTo(logger),
    waitGroup: waitGroup(),
    authenticator: serverAuthenticator({
      tokenFile: tokenFileAuthenticator(new Map([['good', OMAR]])),
      allowsAnonymous: true,
    }),
    authorizer: alwaysAllow,
    watchGroup: waitGroup(),
    signals,
    options: {
      requestTimeoutMs: 60_000,
      hstsDirectives: [],
      corsAllowedOrigins: [],
      goawayChance: 0,
      shutdownSendRetryAfter: false,
      shutdownWatchGraceMs: 0,
      featureGates: new FeatureGates(),
      maxRequestsInFlight: 400,
      maxMutatingRequestsInFlight: 200,
    },
  } satisfies FilterChainDependencies;
}

function sendThroughChain(given: GivenRequest, dispatch: (request: AuthenticatedRequest) => void) {
  const tools = dependencies();
  const { request, answers } = givenReceived(given);
  filterChain(tools, { send: dispatch }).send(request);
  return { ...tools, request, answers };
}

/** Kubernetes' order, outermost first. */
const DESIGN =
  'audit-init · panic-recovery · mux-and-discovery-complete · request-received-timestamp · ' +
  'request-info · latency-trackers · httplog · retry-after · hsts · cache-control · ' +
  'goaway · watch-termination · wait-group · request-deadline · timeout · warning-recorder · ' +
  'cors · authentication · tracing · audit · impersonation · priority-and-fairness · ' +
  'authorization';

describe('the order of the filters', () => {
  const all = DESIGN.split(' · ');
  const SETTINGS = {
    'retry-after': { shutdownSendRetryAfter: true },
    hsts: { hstsDirectives: ['max-age=1'] },
    goaway: { goawayChance: 0.01 },
    'watch-termination': { shutdownWatchGraceMs: 1 },
    cors: { corsAllowedOrigins: [/x/] },
  };

  function named(options: object = {}, more: Partial<FilterChainDependencies> = {}) {
    const nowhere: Ref<never> = { send: () => undefined };
    const usual = dependencies();
    const given = { ...usual, ...more, options: { ...usual.options, ...options } };
    return filtersOf(given).flatMap((filter) => filter?.(nowhere).name ?? []);
  }

  it("is kube-apiserver's", () => {
    const tools = {
      tracer: { begin: () => () => undefined },
      audit: givenAudit({ rules: [] }).audit,
    };
    const everything = Object.values(SETTINGS).reduce<object>(
      (one, other) => ({ ...one, ...other }),
      {},
    );
    expect(named(everything, tools)).toEqual(all);
  });

  it('has only those in it that have something to do by the settings', () => {
    const leftOut = [...Object.keys(SETTINGS), 'tracing', 'audit'];
    const usual = all.filter((name) => !leftOut.includes(name));
    expect(named()).toEqual(usual);
    for (const [name, options] of Object.entries(SETTINGS)) {
      expect(named(options)).toEqual(all.filter((one) => one === name || usual.includes(one)));
    }
  });

  it('cannot be one where authorization comes before authentication', () => {
    const { authenticator, logger, faults } = dependencies();
    const info = (next: Ref<RoutedRequest>) => requestInfo({ faults }, next);
    const who = (next: Ref<AuthenticatedRequest>) =>
      authentication({ authenticator, logger, faults, clock: testClock() }, next);
    const may = (next: Ref<AuthenticatedRequest>) =>
      authorization({ authorizer: alwaysAllow, faults, clock: testClock() }, next);
    const dispatch: Ref<AuthenticatedRequest> = { send: () => undefined };

    connect([info, who, may], dispatch);
    // @ts-expect-error It is not known which user asks.
    connect([info, may, who], dispatch);
    // @ts-expect-error It is not known what the request is about.
    connect([who, info, may], dispatch);
    // @ts-expect-error Dispatch wants to know the user.
    connect([info], dispatch);
    const leftOut = (maybe: typeof info | undefined): void => {
      // @ts-expect-error It may not be known what the request is about.
      connect([maybe, who, may], dispatch);
      const passing = maybe && ((next: Ref<RoutedRequest>) => cacheControl({ faults }, next));
      connect([info, passing, who, may], dispatch);
    };
    leftOut(info);
    expectTypeOf(may).parameter(0).toEqualTypeOf<Ref<AuthenticatedRequest>>();
  });
});

describe('the filter chain', () => {
  it('brings a request to dispatch with all that is known of it', () => {
    const arrived: AuthenticatedRequest[] = [];
    const { clock, request } = sendThroughChain(
      {
        url: '/api/v1/namespaces/n/pods?timeout=5s',
        headers: { authorization: 'Bearer good', 'audit-id': 'abc' },
      },
      (one) => void arrived.push(one),
    );
    expect(arrived).toEqual([request]);
    expect(request.user?.groups).toEqual(['ops', 'system:authenticated']);
    expect(request.info).toMatchObject({ verb: 'list', namespace: 'n', resource: 'pods' });
    expect(request.auditID).toBe('abc');
    expect(request.deadline).toBe(clock.now() + 5_000);
    expect(request.responseHeaders).toEqual({
      'Audit-Id': 'abc',
      'Cache-Control': 'no-cache, private',
    });
  });

  it('takes clients that show nothing for anonymous and turns wrong tokens away', () => {
    const users: string[] = [];
    const note = (one: AuthenticatedRequest) => void users.push(one.user.name);
    sendThroughChain({}, note);
    expect(users).toEqual(['system:anonymous']);
    const { answers, request } = sendThroughChain(
      { headers: { authorization: 'Bearer bad' } },
      note,
    );
    expect(users).toHaveLength(1);
    expect(codeOf(answers[0])).toBe(401);
    expect(request.responseHeaders['Audit-Id']).not.toBe('');
  });

  it('answers 500 when dispatch throws, and 504 when it never answers', () => {
    const thrown = sendThroughChain({}, () => {
      throw new Error('bug');
    });
    expect(codeOf(thrown.answers[0])).toBe(500);
    expect(messageOf(thrown.answers[0])).toContain('caused apiserver to panic');
    expect(thrown.faults.count).toBe(1);

    const silent = sendThroughChain({}, () => undefined);
    silent.clock.advance(61_000);
    expect(codeOf(silent.answers[0])).toBe(504);
    expect(silent.answers).toHaveLength(1);
  });

  it('lets a shutdown wait for what is under way, and nothing in behind it', async () => {
    const tools = dependencies();
    const entered: AuthenticatedRequest[] = [];
    const door = filterChain(tools, { send: (one) => void entered.push(one) });
    const first = givenReceived();
    door.send(first.request);
    tools.waitGroup.close();
    const late = givenReceived();
    door.send(late.request);
    expect(codeOf(late.answers[0])).toBe(503);

    let isEmpty = false;
    const empty = tools.waitGroup.whenEmpty().then(() => {
      isEmpty = true;
    });
    await Promise.resolve();
    expect(isEmpty).toBe(false);
    entered[0]?.reply(statusAnswer(success()));
    first.request.finish({ code: 200, sizeBytes: 1 });
    await empty;
    expect(isEmpty).toBe(true);
  });
});
