/**
 * Each package has one doorkeeper, a file or a folder, and only there it is imported: so a
 * package can be replaced, and what it does is known in one place.
 */
import { isTestSide, type House, type Source, type Violations } from './house.ts';

/** Loaded by the page when a text is first edited. */
const EDITOR = 'gateway/dashboard/editor/';
/** Loaded by the page when a terminal is first opened. */
const TERMINAL = 'gateway/dashboard/terminal/';

/** What begins so may import the package. A package that is not listed has no doorkeeper yet. */
export const DOORKEEPERS: Readonly<Record<string, readonly string[]>> = {
  xstate: ['api/meta/transition-table.ts', '*.machine.ts'],
  rxjs: [
    'api/meta/rxjs-clock.ts',
    'gateway/files/',
    'gateway/recorder/',
    'gateway/remote-cluster/',
    'gateway/commands/',
    'gateway/server/',
    'gateway/client/',
    'gateway/dashboard/',
  ],
  lmdb: ['streams/embedded/', 'streams/kafka/', 'projections/store/store-tables.ts'],
  preact: ['gateway/dashboard/'],
  '@preact/signals': ['gateway/dashboard/'],
  '@codemirror/commands': [EDITOR],
  '@codemirror/lang-yaml': [EDITOR],
  '@codemirror/language': [EDITOR],
  '@codemirror/merge': [EDITOR],
  '@codemirror/state': [EDITOR],
  '@codemirror/view': [EDITOR],
  '@lezer/highlight': [EDITOR],
  '@xterm/xterm': [TERMINAL],
  '@xterm/addon-fit': [TERMINAL],
  'playwright-core': ['e2e/dashboard/'],
  'axe-core': ['e2e/dashboard/'],
  undici: ['gateway/aggregation/kept-connections.ts', 'gateway/aggregation/over-http1.ts'],
  kafkajs: ['streams/kafka/'],
  msgpackr: ['gateway/commands/simkube/'],
  ws: [
    'gateway/watch/websocket-watch.ts',
    'gateway/client/node.ts',
    'gateway/live/live-socket.ts',
    'gateway/node-streams/web-socket-streams.ts',
    'bench/live.ts',
  ],
  commander: ['gateway/commands/', 'gateway/flags/'],
  'prom-client': ['gateway/metrics/'],
  protobufjs: ['projections/openapi/gnostic-messages.ts'],
  yaml: [
    'gateway/negotiation/',
    'gateway/configuration/',
    'gateway/flags/',
    'gateway/server/guards/authentication-config.ts',
  ],
  '@grpc/grpc-js': ['gateway/outbound/grpc-clients.ts'],
  '@noble/ciphers': ['streams/encryption/'],
  jose: ['actors/authentication/oidc/id-token.ts'],
  '@opentelemetry/api': ['gateway/tracing/'],
  '@opentelemetry/exporter-trace-otlp-http': ['gateway/tracing/'],
  '@opentelemetry/otlp-transformer': ['gateway/tracing/'],
  '@opentelemetry/resources': ['gateway/tracing/'],
  '@opentelemetry/sdk-trace-base': ['gateway/tracing/'],
  recheck: ['tools/house-rules/linear-patterns.ts'],
  re2js: ['api/meta/regular-expression.ts', 'api/cel/'],
  '@bufbuild/cel-spec': [],
  'node:http': ['gateway/', 'bench/', 'tools/fuzz/targets/websocket.ts'],
  'node:http2': ['gateway/', 'bench/', 'tools/warm-up-client.ts'],
  'node:https': ['gateway/outbound/trusting-agent.ts', 'gateway/client/envtest.ts', 'bench/'],
  'node:tls': [
    'gateway/listener/',
    'gateway/inbound/client-certificate.ts',
    'gateway/server/front/front.ts',
    'gateway/outbound/trusting-agent.ts',
    'gateway/inbound/reused-reads.ts',
    'bench/',
  ],
  '@kubernetes-models/apimachinery': [],
  '@kubernetes/client-node': [],
  '@peculiar/x509': [],
  'reflect-metadata': [],
  'kubernetes-models': [],
  esbuild: ['tools/'],
  typescript: [
    'tools/house-rules/',
    'tools/generate/',
    'tools/structure/',
    'tools/build-client.ts',
    'tools/fuzz/counted-source.ts',
  ],
  'typescript-native': ['tools/house-rules/'],
  vitest: ['vitest.config.ts', 'tools/mutants/vitest.config.ts', 'tools/mutants/mutant-runner.ts'],
  '@vitest/runner': ['tools/mutants/mutant-runner.ts'],
  '@stryker-mutator/core': ['tools/mutants/main.ts'],
  '@stryker-mutator/api': ['tools/mutants/'],
  '@stryker-mutator/instrumenter': ['tools/mutants/planted-bugs.ts'],
  testcontainers: ['e2e/support/kafka-container.ts'],
  'fast-check': ['tools/mutants/short-properties.ts', 'tools/same-inputs.ts'],
};

/** Packages, and those of Node's own modules that are named above, where they do not belong. */
export function doorkeeperRule(house: House): Violations {
  return house.sources.flatMap((source) =>
    source.imports.flatMap(({ specifier, target }) => {
      const why = target === undefined ? whyNot(source, packageOf(specifier)) : undefined;
      return why === undefined ? [] : [`${source.path}: imports ${specifier}, but ${why}`];
    }),
  );
}

/** Packages that a server would be installed with although no source needs them. */
export function unusedPackages(house: House): Violations {
  const text = house.files.find(({ path }) => path === 'package.json')?.text ?? '{}';
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
  const source = house.sources.filter(({ path }) => !isTestSide(path));
  const used = new Set(
    source.flatMap(({ imports }) => imports.map(({ specifier }) => packageOf(specifier))),
  );
  const unused = Object.keys(dependencies).filter((name) => !used.has(name));
  return unused.map((name) => `package.json: no source imports ${name}`);
}

/**
 * Tests may import any package, to look at what the code under test has done with it; but what
 * has its door among the tests is there for that door only.
 */
function whyNot(source: Source, name: string): string | undefined {
  const doors = DOORKEEPERS[name];
  if (doors === undefined) {
    return name.startsWith('node:') ? undefined : 'no doorkeeper is written down for it';
  }
  const isFree = isTestSide(source.path) && !doors.some(isTestSide);
  if (isFree || doors.some((door) => opens(door, source.path))) return undefined;
  return doors.length === 0 ? 'it is there for tests' : `its doorkeeper is ${doors.join(', ')}`;
}

function opens(door: string, path: string): boolean {
  return door.startsWith('*') ? path.endsWith(door.slice(1)) : path.startsWith(door);
}

/** 'protobufjs' for 'protobufjs/minimal.js', '@grpc/grpc-js' as it is. */
function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
