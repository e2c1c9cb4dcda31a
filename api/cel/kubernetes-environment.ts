/**
 * What every expression in Kubernetes may use, whatever it is for. Users of expressions
 * extend it by their variables.
 *
 * In Kubernetes: the base environment, apiserver/pkg/cel/environment/base.go, as 1.36 has it for
 * expressions that are new.
 */
import { Environment } from './environment.ts';
import { kubernetesCallCost } from './costs/kubernetes-call-costs.ts';
import { AUTHORIZATION } from './library/authorization.ts';
import { EXTENDED_LISTS, SORT_BY_MACRO } from './library/extended-lists.ts';
import { EXTENDED_STRINGS } from './library/extended-strings.ts';
import { KUBERNETES_LISTS } from './library/kubernetes-lists.ts';
import { MAP_INSERTION } from './library/map-insertion.ts';
import { NAMED_FORMATS } from './library/named-formats.ts';
import { NETWORK_ADDRESSES } from './library/network-addresses.ts';
import { CIDR_TYPE, IP_TYPE } from './library/opaque-values.ts';
import { OPTIONALS } from './library/optionals.ts';
import { QUANTITIES } from './library/quantities.ts';
import { SEMANTIC_VERSIONS } from './library/semantic-versions.ts';
import { URLS } from './library/urls.ts';
import { OPTIONAL_MACROS, TWO_VARIABLE_MACROS } from './syntax/macros.ts';

/** Units that the evaluation of one expression may cost. */
export const COST_PER_EXPRESSION_MAX = 1_000_000;

/** Units that all the rules together may cost for one object. */
export const COST_PER_OBJECT_MAX = 10_000_000;

/**
 * The language with all libraries that kube-apiserver 1.36 has for its rules. Callers extend it
 * with their own variables.
 */
export const KUBERNETES = Environment.standard().extend({
  functions: [
    ...URLS,
    ...AUTHORIZATION,
    ...KUBERNETES_LISTS,
    ...OPTIONALS,
    ...QUANTITIES,
    ...EXTENDED_STRINGS,
    ...NETWORK_ADDRESSES,
    ...NAMED_FORMATS,
    ...MAP_INSERTION,
    ...SEMANTIC_VERSIONS,
    ...EXTENDED_LISTS,
  ],
  macros: [...OPTIONAL_MACROS, ...TWO_VARIABLE_MACROS, SORT_BY_MACRO],
  types: [IP_TYPE, CIDR_TYPE],
  hasOptionals: true,
  // Mixed literals are refused by the check of literals, which makes an exception for format.
  hasMixedLiterals: true,
  checksLiterals: true,
  callCostOf: kubernetesCallCost,
});
