/**
 * For tests of what is answered and never stored: a whole control plane without doors, and the
 * handlers over it. What they ask, who is who and who may do what, is made up by the test.
 */
import type { JsonObject } from '../../api/json/json.ts';
import { startActor } from '../request/actor.ts';
import { NO_OPINION, type Attributes, type Decision } from '../authorization/authorizer.ts';
import type { ResolvedRules } from '../authorization/rule-resolver.ts';
import { UNKNOWN, type Authenticator } from '../authentication/authenticator.ts';
import { KeyRing } from '../authentication/jwt/key-ring.ts';
import { TokenIssuer } from '../authentication/service-accounts/token-issuer.ts';
import { dispatch } from '../pipeline/dispatch.ts';
import { testRandom } from '../request/given.fixture.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { Registries } from '../registry/registries.ts';
import type { Answer } from '../request/answer.ts';
import { receivedRequest, type UserInfo } from '../request/request.ts';
import { resolveRequestInfo } from '../request/request-info.ts';
import type { Component } from '../../api/kinds/core/componentstatuses/component.ts';
import { ForkBases } from '../served-resources/fork-bases.ts';
import { virtualHandlers } from './virtual-handlers.ts';

export interface MadeUp {
  readonly authenticate?: Authenticator['authenticate'];
  readonly authorize?: (attributes: Attributes) => Decision | Promise<Decision>;
  readonly rulesFor?: (user: UserInfo, namespace: string) => ResolvedRules | Promise<ResolvedRules>;
  readonly components?: readonly Component[];
  /** Without a key unless said. */
  readonly tokens?: TokenIssuer;
}

export const JANE: UserInfo = {
  name: 'jane',
  uid: '42',
  groups: ['dev', 'system:authenticated'],
  extra: { 'example.org/scopes': ['a', 'b'] },
};

const NO_RULES: ResolvedRules = {
  resourceRules: [],
  pathRules: [],
  isIncomplete: false,
  problem: '',
};

const NO_TOKENS = new TokenIssuer(
  { issuer: '', audiences: [], lifetimeSecondsMax: 0, extendsLifetime: false },
  new KeyRing(),
  testRandom(),
);

/** What came of a request, as a test looks at it. */
export interface Said {
  readonly code: number;
  /** The object, or the status of a failure or a success. */
  readonly body: JsonObject;
  readonly message: string;
  readonly warnings: readonly string[];
  readonly answer: Answer;
}

export async function givenVirtual(madeUp: MadeUp = {}) {
  const plane = await givenControlPlane();
  const { context, served } = plane;
  const handlers = virtualHandlers({
    served,
    authenticator: { authenticate: madeUp.authenticate ?? (() => UNKNOWN) },
    authorizer: { authorize: madeUp.authorize ?? (() => NO_OPINION) },
    rules: { rulesFor: madeUp.rulesFor ?? (() => NO_RULES) },
    components: madeUp.components ?? [],
    tokens: madeUp.tokens ?? NO_TOKENS,
    forks: new ForkBases(plane.objects),
  });
  const registries = new Registries(context, handlers);
  const fork = startActor(
    dispatch({
      lookup: served.lookup.bind(served),
      registryOf: (storage) => registries.of(storage),
      route: () => undefined,
      context,
    }),
  );
  const ask = (method: string, url: string, body?: JsonObject): Promise<Said> =>
    new Promise((resolve) => {
      const [path = '', query = ''] = url.split('?');
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const request = receivedRequest(
        {
          method,
          path,
          query,
          headers: { 'content-type': 'application/json' },
          connection: { remoteAddress: '192.0.2.1', clientCertificate: () => undefined },
          accepted: ACCEPTED,
          isWebSocket: false,
        },
        {
          readBody: () => ({ ok: true, bytes }),
          answer({ warnings }, answer) {
            resolve(said(answer, warnings));
          },
        },
      );
      request.routedAs(resolveRequestInfo(method, path, query));
      fork.send(request.identifiedAs(JANE));
    });
  return {
    plane,
    handlers,
    ask,
    post: (url: string, body: JsonObject) => ask('POST', url, body),
  };
}

const ACCEPTED = { type: 'json', transform: 'none', pretty: false, includeObject: 'None' } as const;

function said(answer: Answer, warnings: readonly string[]): Said {
  const nothing: Said = { code: 200, body: {}, message: '', warnings, answer };
  if (answer.kind === 'Status') {
    const { status } = answer;
    return { ...nothing, code: status.code, body: status, message: status.message ?? '' };
  }
  return answer.kind === 'Value' ? { ...nothing, code: answer.code, body: answer.value } : nothing;
}
