/**
 * What a test needs besides Node. Where it is missing the test is skipped with one loud line,
 * or fails when EVERWATCH_REQUIRE_ALL=1 says that this machine is meant to have everything.
 *
 * Call these while a file is collected, with top-level await: clients are built on first need.
 */
import { describe, it } from 'vitest';

import { chromiumProgram } from './chromium.ts';
import { run } from './command.ts';
import { goProgram } from './go-program.ts';
import { kafkaStarter, type startKafka } from './kafka-broker.ts';
import { pythonClient } from './python-client.ts';

/** What `needs` gives for each name. */
export interface RealThings {
  /** Path of a kubectl built from the Go module k8s.io/kubectl. */
  readonly kubectl: string;
  /** Path of the program e2e/go/cmd/clientgo-check. */
  readonly 'clientgo-check': string;
  /** Path of the program e2e/go/cmd/apply-check. */
  readonly 'apply-check': string;
  /** Path of the program e2e/go/cmd/conversion-check. */
  readonly 'conversion-check': string;
  /** Path of the program e2e/go/cmd/webhook-check. */
  readonly 'webhook-check': string;
  /** Path of the program e2e/go/cmd/controller-check. */
  readonly 'controller-check': string;
  /** Path of the program e2e/go/cmd/envtest-check. */
  readonly 'envtest-check': string;
  /** Path of the program e2e/go/cmd/envtest-start, which starts a server as envtest does. */
  readonly 'envtest-start': string;
  /** Path of the program e2e/go/cmd/envtest-suite, which is a suite with envtest. */
  readonly 'envtest-suite': string;
  /** Path of the program e2e/go/cmd/envtest-planes: several suites with envtest at once. */
  readonly 'envtest-planes': string;
  /** Path of setup-envtest, built of its Go module. */
  readonly 'setup-envtest': string;
  /** Path of the tests of controller-runtime's package cluster. */
  readonly 'cluster-suite': string;
  /** Path of the tests of the rules in gateway-api's definitions. */
  readonly 'gateway-suite': string;
  /** Path of the program e2e/go-kubeadm, which writes what kubeadm writes for kube-apiserver. */
  readonly kubeadm: string;
  /** Path of the program e2e/go/cmd/flood-check: a flood, and a client beside it. */
  readonly 'flood-check': string;
  /** Path of the program e2e/go/cmd/informer-past. */
  readonly 'informer-past': string;
  /** Path of the program e2e/go/cmd/writer-check. */
  readonly 'writer-check': string;
  /** Path of the program e2e/go/cmd/informer-moving. */
  readonly 'informer-moving': string;
  /** Paths of the binaries that are built of k8s.io/kubernetes. */
  readonly 'kube-controller-manager': string;
  readonly 'kube-scheduler': string;
  /** Path of the program e2e/go-kwok: nodes and pods that are objects only. */
  readonly kwok: string;
  /** Path of the program e2e/go-kafka, which prints a topic. */
  readonly 'topic-reader': string;
  /** Path of the program e2e/go-kms, a KMS plugin. */
  readonly 'kms-plugin': string;
  /** Path of the program e2e/go-kubelet: the streams of a kubelet. */
  readonly kubelet: string;
  /** Path of the program e2e/go/cmd/streams-check: client-go's streams. */
  readonly 'streams-check': string;
  /** Path of the program e2e/go-konnectivity: konnectivity's proxy server and its agent. */
  readonly konnectivity: string;
  /** Path of the program e2e/go-sample: sample-apiserver with its etcd. */
  readonly 'sample-apiserver': string;
  /** Path of the program e2e/go-signer, which signs tokens of service accounts. */
  readonly 'jwt-signer': string;
  /** Path of the metrics-server of clusters, built of its Go module. */
  readonly 'metrics-server': string;
  /** Path of a server of custom metrics on the library that adapters are built of. */
  readonly 'metrics-adapter': string;
  /** Path of a helm built from the Go module helm.sh/helm. */
  readonly helm: string;
  /** Path of Chromium. */
  readonly chromium: string;
  /** The go command itself. */
  readonly go: string;
  /** Starts a Kafka cluster; its jars are there already where it takes any. */
  readonly kafka: typeof startKafka;
  /** The environment in which `python3` imports the package `kubernetes`. */
  readonly python: NodeJS.ProcessEnv;
}

const GO = 'Go 1.26 or newer (https://go.dev/dl) with access to a Go module proxy';

const KAFKA =
  'Docker, or Java 17 or newer (https://adoptium.net) and Maven with access to Maven Central';

const THINGS: {
  readonly [Name in keyof RealThings]: {
    readonly install: string;
    find(): Promise<RealThings[Name]>;
  };
} = {
  kubectl: { install: GO, find: () => goProgram('kubectl') },
  'clientgo-check': { install: GO, find: () => goProgram('clientgo-check') },
  'apply-check': { install: GO, find: () => goProgram('apply-check') },
  'conversion-check': { install: GO, find: () => goProgram('conversion-check') },
  'webhook-check': { install: GO, find: () => goProgram('webhook-check') },
  'controller-check': { install: GO, find: () => goProgram('controller-check') },
  'envtest-check': { install: GO, find: () => goProgram('envtest-check') },
  'envtest-start': { install: GO, find: () => goProgram('envtest-start') },
  'envtest-suite': { install: GO, find: () => goProgram('envtest-suite') },
  'envtest-planes': { install: GO, find: () => goProgram('envtest-planes') },
  'setup-envtest': { install: GO, find: () => goProgram('setup-envtest') },
  'cluster-suite': { install: GO, find: () => goProgram('cluster-suite') },
  'gateway-suite': { install: GO, find: () => goProgram('gateway-suite') },
  kubeadm: { install: GO, find: () => goProgram('kubeadm') },
  'kube-controller-manager': { install: GO, find: () => goProgram('kube-controller-manager') },
  'kube-scheduler': { install: GO, find: () => goProgram('kube-scheduler') },
  kwok: { install: GO, find: () => goProgram('kwok') },
  'writer-check': { install: GO, find: () => goProgram('writer-check') },
  'flood-check': { install: GO, find: () => goProgram('flood-check') },
  'informer-past': { install: GO, find: () => goProgram('informer-past') },
  'informer-moving': { install: GO, find: () => goProgram('informer-moving') },
  'topic-reader': { install: GO, find: () => goProgram('topic-reader') },
  'kms-plugin': { install: GO, find: () => goProgram('kms-plugin') },
  kubelet: { install: GO, find: () => goProgram('kubelet') },
  'streams-check': { install: GO, find: () => goProgram('streams-check') },
  konnectivity: { install: GO, find: () => goProgram('konnectivity') },
  'sample-apiserver': { install: GO, find: () => goProgram('sample-apiserver') },
  'jwt-signer': { install: GO, find: () => goProgram('jwt-signer') },
  'metrics-server': { install: GO, find: () => goProgram('metrics-server') },
  'metrics-adapter': { install: GO, find: () => goProgram('metrics-adapter') },
  helm: { install: GO, find: () => goProgram('helm') },
  chromium: { install: 'Chromium (apt-get install chromium)', find: chromiumProgram },
  go: { install: GO, find: goCommand },
  kafka: { install: KAFKA, find: kafkaStarter },
  python: { install: 'Python 3.10 or newer with pip and access to PyPI', find: pythonClient },
};

/**
 * The thing, or undefined, after one loud line, where this machine has none.
 *
 * @throws instead of undefined when EVERWATCH_REQUIRE_ALL=1.
 */
export async function needs<Name extends keyof RealThings>(
  name: Name,
): Promise<RealThings[Name] | undefined> {
  try {
    return await THINGS[name].find();
  } catch (cause) {
    const why = String(cause instanceof Error ? cause.message : cause).split('\n')[0] ?? '';
    const line = `SKIPPED for want of ${name}: install ${THINGS[name].install}. (${why})`;
    if (process.env['EVERWATCH_REQUIRE_ALL'] === '1') throw new Error(line, { cause });
    console.warn(line);
    return undefined;
  }
}

/** A `describe` whose body gets the thing; where it is missing the body does not run. */
export async function describeWith<Name extends keyof RealThings>(
  name: Name,
  title: string,
  body: (thing: RealThings[Name]) => void,
): Promise<void> {
  const thing = await needs(name);
  if (thing === undefined) {
    const wanting = `needs ${name}: install ${THINGS[name].install}`;
    describe(title, () => {
      it.skip(wanting, () => undefined);
    });
  } else {
    describe(title, () => {
      body(thing);
    });
  }
}

async function goCommand(): Promise<string> {
  const { code, stderr } = await run('go', ['version']);
  if (code !== 0) throw new Error(stderr.trim());
  return 'go';
}
