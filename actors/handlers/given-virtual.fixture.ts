/**
 * For tests of what is answered and never stored: a control plane without filters. What its handlers
 * ask, as which user a token is and what a user may do, is made up by the test.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { Component } from '../../api/kinds/core/componentstatuses/component.ts';
import { type Attributes, type Decision, NO_OPINION } from '../authorization/authorizer.ts';
import { NO_RULES, type ResolvedRules } from '../authorization/rule-resolver.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { TokenIssuer } from '../authentication/service-accounts/token-issuer.ts';
import type { AdmissionStep } from '../admission/admission-plugin.ts';
import type { GivenPlane } from '../../gateway/server/given-plane.fixture.ts';
import { givenControlPlane, type Told } from '../registry/given-registry.fixture.ts';
import type { Answer } from '../request/answer.ts';
import type { UserInfo } from '../request/request.ts';

export interface MadeUp {
  readonly authenticate?: Authenticator['authenticate'];
  readonly authorize?: (attributes: Attributes) => Decision | Promise<Decision>;
  readonly rulesFor?: (user: UserInfo, namespace: string) => ResolvedRules | Promise<ResolvedRules>;
  readonly components?: readonly Component[];
  /** Without a key unless said. */
  readonly tokens?: TokenIssuer;
  readonly plugins?: GivenPlane['plugins'];
  readonly nodes?: GivenPlane['nodes'];
}

export const JANE: UserInfo = {
  name: 'jane',
  uid: '42',
  groups: ['dev', 'system:authenticated'],
  extra: { 'example.org/scopes': ['a', 'b'] },
};

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
  const { authenticate, authorize, rulesFor, components, tokens, plugins, nodes } = madeUp;
  const plane = await givenControlPlane({
    authorizer: {
      authorize: authorize ?? (() => NO_OPINION),
      rulesFor: rulesFor ?? (() => NO_RULES),
    },
    ...(authenticate === undefined ? {} : { authenticator: { authenticate } }),
    ...(components === undefined ? {} : { components }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(plugins === undefined ? {} : { plugins }),
  });
  const ask = async (method: string, url: string, body?: JsonObject): Promise<Said> => {
    const text = body === undefined ? '' : formatJson(body);
    return said(await plane.send({ method, url, text, user: JANE, userAgent: '' }));
  };
  return {
    plane,
    ask,
    post: (url: string, body: JsonObject) => ask('POST', url, body),
  };
}

function said({ answer, warnings }: Told): Said {
  const nothing: Said = { code: 200, body: {}, message: '', warnings, answer };
  if (answer.kind === 'Status') {
    const { status } = answer;
    return { ...nothing, code: status.code, body: status, message: status.message ?? '' };
  }
  return answer.kind === 'Value' ? { ...nothing, code: answer.code, body: answer.value } : nothing;
}

/** Plug-ins that enter all that they are asked about, by operation and subresource, in this list. */
export function notingPlugins(asked: string[]): NonNullable<MadeUp['plugins']> {
  const step =
    (phase: string): AdmissionStep =>
    ({ operation, subresource }) => {
      asked.push(`${phase} ${operation} ${subresource}`);
      return undefined;
    };
  return () => [
    { name: 'Noting', mutatesAt: () => step('mutate'), validatesAt: () => step('validate') },
  ];
}
