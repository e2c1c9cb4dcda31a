/** Files that an operator hands to the server. What is wrong in one is told, and nothing else happens. */
import {
  PluginConfigurationError,
  type PluginConfiguration,
} from '../../../actors/admission/plugin-configuration.ts';
import { eventLimitsIn } from '../../../actors/admission/plugins/quota/event-rate-limit.ts';
import { limitedResourcesIn } from '../../../actors/admission/plugins/quota/resource-quota.ts';
import { imagePolicyIn } from '../../../actors/admission/plugins/pods/image-policy-webhook.ts';
import { podNodeSelector } from '../../../actors/admission/plugins/pods/pod-node-selector.ts';
import { podTolerationRestriction } from '../../../actors/admission/plugins/pods/toleration-plugins.ts';
import { podSecurityRules } from '../../../actors/admission/pod-security/configuration.ts';
import { readAuditPolicy } from '../../../actors/audit/audit-policy-reading.ts';
import { readAuthenticationConfiguration } from '../../../actors/authentication/oidc/authentication-configuration.ts';
import { judgeConfiguration } from '../../../actors/authentication/oidc/configuration-validation.ts';
import { parseTokenFile } from '../../../actors/authentication/token-file.ts';
import { parseAbac } from '../../../actors/authorization/abac.ts';
import { parseAuthorizationConfiguration } from '../../../actors/authorization/webhook/authorization-configuration.ts';
import { isJsonObject, type JsonValue } from '../../../api/json/json.ts';
import { readAdmissionConfiguration } from '../../../gateway/configuration/admission-configuration.ts';
import { parseConfigFile } from '../../../gateway/flags/config-file.ts';
import { readEgressConfiguration } from '../../../gateway/configuration/egress-configuration.ts';
import { readEncryption } from '../../../gateway/configuration/encryption-configuration.ts';
import { StartupError } from '../../../gateway/process/startup-error.ts';
import { webhookAccess } from '../../../gateway/configuration/kubeconfig-access.ts';
import { readTracingConfiguration } from '../../../gateway/server/front/tracing.ts';
import { parseYaml } from '../../../gateway/negotiation/yaml-codec.ts';
import { YamlError } from '../../../gateway/negotiation/yaml-error.ts';
import { agentFor } from '../../../gateway/outbound/kubeconfig-endpoint.ts';
import { identity } from '../../../streams/encryption/sealing-provider.ts';
import {
  decodedBy,
  decodedLaterBy,
  holds,
  prototypesAreUntouched,
  textOf,
  type FuzzTarget,
} from '../fuzz-target.ts';
import { withFile } from '../scratch-file.ts';
import { KEYS } from '../seeds.ts';

const READERS: readonly ((content: JsonValue) => unknown)[] = [
  readAuditPolicy,
  parseAuthorizationConfiguration,
  readTracingConfiguration,
  (content) => {
    const read = readAuthenticationConfiguration(content);
    return read.ok
      ? judgeConfiguration(read.configuration, ['https://kubernetes.default.svc'])
      : read;
  },
  (content) => isJsonObject(content) && eventLimitsIn({ content, file: 'a' }),
  (content) => isJsonObject(content) && limitedResourcesIn({ content, file: 'a' }),
  (content) => isJsonObject(content) && podSecurityRules({ content, file: 'a' }),
];

const SEEDS = [
  'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: Metadata\n  users: [a]\n  verbs: [get]\n  resources:\n  - group: ""\n    resources: [pods/log]\n    resourceNames: [x]\n  nonResourceURLs: ["/healthz*"]\n',
  'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n- type: Webhook\n  name: w\n  webhook:\n    timeout: 3s\n    subjectAccessReviewVersion: v1\n    matchConditionSubjectAccessReviewVersion: v1\n    failurePolicy: Deny\n    connectionInfo: {type: InClusterConfig}\n    matchConditions:\n    - expression: request.user != "a"\n- {type: RBAC, name: r}\n',
  'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt:\n- issuer: {url: "https://a.b", audiences: [c], audienceMatchPolicy: MatchAny}\n  claimMappings:\n    username: {expression: claims.sub}\n    groups: {claim: groups, prefix: "x:"}\n    extra:\n    - {key: a.b/c, valueExpression: claims.d}\n  claimValidationRules:\n  - {expression: "claims.exp > 0", message: m}\n  userValidationRules:\n  - {expression: "user.username != \'a\'", message: n}\nanonymous: {enabled: true, conditions: [{path: /healthz}]}\n',
  'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets, "*.apps"]\n  providers:\n  - aesgcm: {keys: [{name: k, secret: AAAAAAAAAAAAAAAAAAAAAA==}]}\n  - secretbox: {keys: [{name: k, secret: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=}]}\n  - kms: {apiVersion: v2, name: m, endpoint: "unix:///a.sock", timeout: 3s}\n  - identity: {}\n',
  'apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: localhost:4317\nsamplingRatePerMillion: 100\n',
  'apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits:\n- {type: Namespace, qps: 5, burst: 10, cacheSize: 20}\n',
  'apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\nlimitedResources:\n- {apiGroup: "", resource: pods, matchContains: [cpu], matchScopes: [{scopeName: PriorityClass, operator: In, values: [x]}]}\n',
  'apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: baseline, enforce-version: v1.30}\nexemptions: {usernames: [a], namespaces: [b], runtimeClasses: [c]}\n',
  'apiVersion: everwatch.dev/v1\nkind: ServerConfiguration\nsecurePort: 8443\ncorsAllowedOrigins: ["^https://a$"]\n',
];

const configurations: FuzzTarget = {
  seeds: SEEDS,
  dictionary: [
    ...KEYS,
    'apiVersion: ',
    'kind: ',
    'rules:',
    '- {',
    'null',
    '!!str ',
    '*a',
    '&a ',
    'expression: ',
    'keys: ',
    '[[]]',
    '{}',
  ],
  bytesMax: 1_024,
  run(input) {
    const text = textOf(input);
    decodedBy([StartupError], () => readEncryption(input, 'file', () => identity));
    decodedBy([StartupError], () => parseConfigFile(text, 'file'));
    const content = decodedBy([YamlError], () => parseYaml(input));
    if (content === undefined) return;
    for (const read of READERS)
      decodedBy([StartupError, PluginConfigurationError], () => read(content));
    prototypesAreUntouched();
  },
};

const FILES = [
  'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: EventRateLimit\n  configuration:\n    apiVersion: eventratelimit.admission.k8s.io/v1alpha1\n    kind: Configuration\n    limits: [{type: Server, qps: 1, burst: 2}]\n- {name: PodSecurity, path: ""}\n- name: ResourceQuota\n  configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: []}\n',
  'imagePolicy: {kubeConfigFile: /a, allowTTL: 50, denyTTL: -1, retryBackoff: 500, defaultAllow: true}\npodNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: a=b\n  shop: env=prod,zone=x\n',
  'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: PodTolerationRestriction\n  configuration:\n    apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\n    kind: Configuration\n    default: [{key: a, operator: Exists}]\n    whitelist: [{key: a, operator: Equal, value: b, effect: NoSchedule}]\n',
  'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections:\n- name: cluster\n  connection:\n    proxyProtocol: HTTPConnect\n    transport: {uds: {udsName: /a.sock}}\n- name: controlplane\n  connection:\n    proxyProtocol: HTTPConnect\n    transport: {tcp: {url: "http://[::1]:8131"}}\n- name: etcd\n  connection: {proxyProtocol: Direct}\n',
  'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections:\n- name: cluster\n  connection:\n    proxyProtocol: GRPC\n    transport: {uds: {udsName: /a.sock}}\n- name: controlplane\n  connection:\n    proxyProtocol: HTTPConnect\n    transport: {tcp: {url: "https://a:1", tlsConfig: {caBundle: /dev/null, clientCert: /dev/null, clientKey: /dev/null, tlsServerName: b}}}\n',
  'apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- {name: c, context: {cluster: d, user: u, namespace: n}}\nclusters:\n- {name: d, cluster: {server: "https://a.b:6443/x/", certificate-authority-data: YQ==, insecure-skip-tls-verify: true, tls-server-name: s}}\nusers:\n- {name: u, user: {token: t, client-certificate-data: YQ==, client-key-data: YQ==}}\n',
  'apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: d, user: u}}]\nclusters: [{name: d, cluster: {server: "https://a", proxy-url: "http://p"}}]\nusers: [{name: u, user: {username: a, password: b, exec: {command: x}, tokenFile: ""}}]\n',
];

const PLUGIN_READERS: readonly ((plugin: PluginConfiguration) => unknown)[] = [
  eventLimitsIn,
  limitedResourcesIn,
  podSecurityRules,
  imagePolicyIn,
  (plugin) => podNodeSelector(undefined, plugin),
  (plugin) => podTolerationRestriction(undefined, plugin),
];

/** Files that their readers open themselves: for plug-ins, for ways out, and of clients. */
const files: FuzzTarget = {
  seeds: FILES,
  dictionary: [
    ...KEYS, 'apiVersion: ', 'kind: ', '- {name: ', 'path: /dev/null', 'configuration: ', 'plugins:', 'egressSelections:', 'connection: ',
    'transport: ', 'tcp: {url: ', 'uds: {udsName: ', 'https://', 'http://[', 'clusters:', 'users:', 'contexts:', '*a', '&a ', '<<: *a', 'null',
  ], // prettier-ignore
  bytesMax: 1_024,
  async run(input) {
    await withFile(input, readAsAny);
    prototypesAreUntouched();
  },
};

async function readAsAny(file: string): Promise<void> {
  const plugins = decodedBy([StartupError], () => readAdmissionConfiguration(file));
  for (const read of PLUGIN_READERS)
    for (const plugin of plugins?.values() ?? [])
      decodedBy([PluginConfigurationError], () => read(plugin));
  const places = decodedBy([StartupError], () => readEgressConfiguration(file));
  for (const place of [places?.controlPlane, places?.cluster]) {
    if (place?.kind === 'tcp') holds(Number.isInteger(place.port), 'a port is a number');
  }
  const endpoint = await decodedLaterBy([StartupError], () => webhookAccess(file));
  if (endpoint !== undefined) agentFor(endpoint, { clock: { now: () => 0 } }).destroy();
}

/** Files that go line by line. */
const lines: FuzzTarget = {
  seeds: [
    '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"a","namespace":"*","resource":"*","apiGroup":"*","readonly":true}}\n# c\n',
    'token,user,uid,"group1,group2"\n"to""ken",b,2\n',
    'a,b,c,"d\ne"\n\n,,\n',
  ],
  dictionary: ['","', '""', '\r\n', '#', '"spec":', '"nonResourcePath":', '*'],
  bytesMax: 1_024,
  run(input) {
    const text = textOf(input);
    parseAbac(text);
    parseTokenFile(text);
    prototypesAreUntouched();
  },
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  configurations,
  'line-files': lines,
  'configuration-files': files,
};
