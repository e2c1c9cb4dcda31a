/**
 * AuthenticationConfiguration: which issuers of tokens are believed, and what their claims make of
 * a user. Here it is read out of a file's data; whether it makes sense is judged by
 * configuration-validation.ts.
 *
 * In Kubernetes: apiserver.config.k8s.io, apiserver/pkg/apis/apiserver.
 */
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';

export interface ClaimOrExpression {
  readonly claim: string;
  readonly expression: string;
}

export interface PrefixedClaim extends ClaimOrExpression {
  /** undefined: nothing was said. */
  readonly prefix: string | undefined;
}

export interface IssuerConfiguration {
  readonly url: string;
  /** '': where the standard says, below `url`. */
  readonly discoveryURL: string;
  /** PEM; '': the authorities of the system. */
  readonly certificateAuthority: string;
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy: string;
  readonly egressSelectorType: string;
}

export interface JwtConfiguration {
  readonly issuer: IssuerConfiguration;
  readonly claimValidationRules: readonly ClaimValidationRule[];
  readonly username: PrefixedClaim;
  readonly groups: PrefixedClaim;
  readonly uid: ClaimOrExpression;
  readonly extra: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly userValidationRules: readonly UserValidationRule[];
}

export interface ClaimValidationRule extends ClaimOrExpression {
  readonly requiredValue: string;
  readonly message: string;
}

export interface UserValidationRule {
  readonly expression: string;
  readonly message: string;
}

export interface AnonymousConfiguration {
  readonly enabled: boolean;
  /** Paths for which alone anonymous users are let in; none: all. */
  readonly paths: readonly string[];
}

export interface AuthenticationConfiguration {
  /** In the file's order, in which issuers are asked. */
  readonly jwt: readonly JwtConfiguration[];
  /** undefined: flags say it. */
  readonly anonymous: AnonymousConfiguration | undefined;
}

export type ReadConfiguration =
  | { readonly ok: true; readonly configuration: AuthenticationConfiguration }
  | { readonly ok: false; readonly problem: string };

const GROUP = 'apiserver.config.k8s.io';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'];
const KIND = 'AuthenticationConfiguration';

/** Thrown and caught here: data of another shape than the configuration has. */
class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

/**
 * Checks apiVersion, kind and the shape of every field. Never throws: a misfit is returned as a
 * sentence.
 */
export function readAuthenticationConfiguration(data: JsonValue | undefined): ReadConfiguration {
  try {
    const file = objectIn(data, '');
    const [group = '', version = ''] = stringAt(file, 'apiVersion').split('/');
    const kind = stringAt(file, 'kind');
    if (group !== GROUP || !VERSIONS.includes(version) || kind !== KIND) {
      const found = `kind ${JSON.stringify(kind)} in version ${JSON.stringify(stringAt(file, 'apiVersion'))}`;
      throw new ShapeError(`no ${found} is registered for this file, only ${KIND} in ${GROUP}/v1`);
    }
    known(file, '', ['apiVersion', 'kind', 'jwt', 'anonymous']);
    return {
      ok: true,
      configuration: {
        jwt: listIn(file['jwt'], 'jwt').map((one, at) => jwtIn(one, `jwt[${String(at)}]`)),
        anonymous: file['anonymous'] === undefined ? undefined : anonymousIn(file['anonymous']),
      },
    };
  } catch (error) {
    if (error instanceof ShapeError) return { ok: false, problem: error.message };
    throw error;
  }
}

function jwtIn(data: JsonValue, at: string): JwtConfiguration {
  const jwt = objectIn(data, at);
  known(jwt, at, ['issuer', 'claimValidationRules', 'claimMappings', 'userValidationRules']);
  const mappings = objectIn(jwt['claimMappings'] ?? {}, `${at}.claimMappings`);
  known(mappings, `${at}.claimMappings`, ['username', 'groups', 'uid', 'extra']);
  const rules = listIn(jwt['claimValidationRules'], `${at}.claimValidationRules`);
  const userRules = listIn(jwt['userValidationRules'], `${at}.userValidationRules`);
  const extra = listIn(mappings['extra'], `${at}.claimMappings.extra`);
  return {
    issuer: issuerIn(jwt['issuer'] ?? {}, `${at}.issuer`),
    claimValidationRules: rules.map((one) =>
      textsIn(one, `${at}.claimValidationRules`, RULE_FIELDS),
    ),
    username: prefixedIn(mappings['username'] ?? {}, `${at}.claimMappings.username`),
    groups: prefixedIn(mappings['groups'] ?? {}, `${at}.claimMappings.groups`),
    uid: textsIn(mappings['uid'] ?? {}, `${at}.claimMappings.uid`, ['claim', 'expression']),
    extra: extra.map((one) => {
      return textsIn(one, `${at}.claimMappings.extra`, ['key', 'valueExpression']);
    }),
    userValidationRules: userRules.map((one) =>
      textsIn(one, `${at}.userValidationRules`, ['expression', 'message']),
    ),
  };
}

const RULE_FIELDS = ['claim', 'requiredValue', 'expression', 'message'] as const;

function issuerIn(data: JsonValue, at: string): IssuerConfiguration {
  const { audiences, ...rest } = objectIn(data, at);
  const texts = [
    'url',
    'discoveryURL',
    'certificateAuthority',
    'audienceMatchPolicy',
    'egressSelectorType',
  ] as const;
  const all = listIn(audiences, `${at}.audiences`);
  return {
    ...textsIn(rest, at, texts),
    audiences: all.map((one) => textIn(one, `${at}.audiences`)),
  };
}

function prefixedIn(data: JsonValue, at: string): PrefixedClaim {
  const { prefix, ...rest } = objectIn(data, at);
  return {
    ...textsIn(rest, at, ['claim', 'expression']),
    prefix: prefix === undefined ? undefined : textIn(prefix, `${at}.prefix`),
  };
}

function anonymousIn(data: JsonValue): AnonymousConfiguration {
  const anonymous = objectIn(data, 'anonymous');
  known(anonymous, 'anonymous', ['enabled', 'conditions']);
  const { enabled = false } = anonymous;
  if (typeof enabled !== 'boolean') throw new ShapeError('anonymous.enabled: must be a boolean');
  const conditions = listIn(anonymous['conditions'], 'anonymous.conditions');
  const paths = conditions.map((one) => textsIn(one, 'anonymous.conditions', ['path']).path);
  return { enabled, paths };
}

/** All of the fields as texts, '' where there is none. */
function textsIn<Field extends string>(
  data: JsonValue,
  at: string,
  fields: readonly Field[],
): Record<Field, string> {
  const object = objectIn(data, at);
  known(object, at, fields);
  const entries = fields.map((field) => [field, textIn(object[field] ?? '', `${at}.${field}`)]);
  return Object.fromEntries(entries) as Record<Field, string>; // One entry for each field.
}

function known(object: JsonObject, at: string, fields: readonly string[]): void {
  const unknown = Object.keys(object).find((key) => !fields.includes(key));
  if (unknown === undefined) return;
  const path = at === '' ? unknown : `${at}.${unknown}`;
  throw new ShapeError(`strict decoding error: unknown field ${JSON.stringify(path)}`);
}

function objectIn(data: JsonValue | undefined, at: string): JsonObject {
  if (isJsonObject(data)) return data;
  throw new ShapeError(`${at === '' ? 'the file' : at}: must be an object`);
}

function listIn(data: JsonValue | undefined, at: string): readonly JsonValue[] {
  if (data === undefined || data === null) return [];
  if (Array.isArray(data)) return data;
  throw new ShapeError(`${at}: must be a list`);
}

function textIn(data: JsonValue, at: string): string {
  if (typeof data === 'string') return data;
  throw new ShapeError(`${at}: must be a text`);
}
