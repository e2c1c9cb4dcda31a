/**
 * The compose file, as far as it can be judged without an engine: everything it names is there,
 * what must be the same is the same, and what must not be shared is not.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

import { at, type JsonObject, textAt } from '../support/json.ts';
import { DEPLOY, entriesAt, knownFlags, parsedYaml, unknownAmong, wordsAt } from './chart.ts';

const COMPOSE = join(DEPLOY, 'compose');
const compose = parsedYaml(readFileSync(join(COMPOSE, 'compose.yaml'), 'utf8'));
const services = entriesAt(compose, 'services');
const brokers = services.filter(([, service]) =>
  textAt(service, 'image').startsWith('apache/kafka:'),
);
const servers = services.filter(([, service]) => wordsAt(service, 'command').includes('serve'));
const dockerfile = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8');
const version = textAt(
  parsedYaml(readFileSync(join(DEPLOY, '../package.json'), 'utf8')),
  'version',
);

/** `name:path` or `name:path:ro` */
function volumesOf(service: JsonObject): string[][] {
  return wordsAt(service, 'volumes').map((volume) => volume.split(':'));
}

describe('the compose file', () => {
  it('has three brokers and two servers', () => {
    expect(brokers.map(([name]) => name)).toEqual(['kafka-1', 'kafka-2', 'kafka-3']);
    expect(servers.map(([name]) => name)).toEqual(['everwatch-1', 'everwatch-2']);
  });

  it('names every image with its version', () => {
    const images = services.map(([, service]) => textAt(service, 'image'));
    const bases = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, image = '']) => image);
    expect(bases).toHaveLength(2);
    for (const image of [...images, ...bases]) {
      expect(image).toMatch(/^[a-z/]+:\d+\.\d+\.\d+(?:-[a-z-]+)?$/);
    }
    expect(new Set(images)).toContain(`everwatch:${version}`);
  });

  it('declares the volumes that are used, and no others; each broker and server has its own', () => {
    const used = services.flatMap(([, service]) => volumesOf(service).map(([name]) => name));
    expect([...new Set(used)].sort()).toEqual(
      entriesAt(compose, 'volumes')
        .map(([name]) => name)
        .sort(),
    );
    const own = [...brokers, ...servers].flatMap(([, service]) =>
      volumesOf(service)
        .filter(([, , mode]) => mode !== 'ro')
        .map(([name]) => name),
    );
    expect(own).toHaveLength(brokers.length + servers.length);
    expect(new Set(own).size).toBe(own.length);
  });

  it('builds from files that are there, and puts into the image what it starts', () => {
    const built = services.filter(([, service]) => at(service, 'build') !== undefined);
    expect(built.length).toBeGreaterThanOrEqual(servers.length);
    for (const [, service] of built) {
      const context = join(COMPOSE, textAt(service, 'build', 'context'));
      expect(normalize(context)).toBe(normalize(join(DEPLOY, '..')));
      expect(existsSync(join(context, textAt(service, 'build', 'dockerfile')))).toBe(true);
    }
    for (const [, from = ''] of dockerfile.matchAll(/^COPY (\w+\/\S+) /gm)) {
      expect(existsSync(join(DEPLOY, '..', from)), from).toBe(true);
    }
    for (const [, service] of servers) {
      const probe = wordsAt(service, 'healthcheck', 'test');
      const file = probe.find((word) => word.endsWith('.mjs')) ?? '';
      expect(dockerfile).toContain(` ${file}\n`);
    }
  });

  it('waits only for services that there are', () => {
    const names = services.map(([name]) => name);
    for (const [name, service] of services) {
      const awaited = entriesAt(service, 'depends_on').map(([other]) => other);
      expect(names, name).toEqual(expect.arrayContaining(awaited));
    }
    expect(entriesAt(servers[0]?.[1], 'depends_on').map(([other]) => other)).toEqual([
      'key',
      ...brokers.map(([name]) => name),
    ]);
  });
});

describe('the brokers', () => {
  it('know one another, and give their names', () => {
    const voters = brokers.map(([name, service]) => {
      const environment = at(service, 'environment');
      expect(at(environment, 'KAFKA_ADVERTISED_LISTENERS')).toBe(`PLAINTEXT://${name}:9092`);
      return `${textAt(environment, 'KAFKA_NODE_ID')}@${name}:9093`;
    });
    for (const [, service] of brokers) {
      expect(at(service, 'environment', 'KAFKA_CONTROLLER_QUORUM_VOTERS')).toBe(voters.join());
    }
  });

  it('keep their data where the volume is', () => {
    for (const [, service] of brokers) {
      const [[, path = ''] = []] = volumesOf(service);
      expect(at(service, 'environment', 'KAFKA_LOG_DIRS')).toBe(path);
    }
  });
});

describe('the servers', () => {
  it('have flags that there are, the same for both', async () => {
    const [first, second] = servers.map(([, service]) => wordsAt(service, 'command'));
    expect(first).toEqual(second);
    expect(unknownAmong(first ?? [], await knownFlags())).toEqual([]);
  });

  it('are given every broker, their data directory and the key that was made', () => {
    const addresses = brokers.map(([name]) => `${name}:9092`).join();
    const key = services.find(([name]) => name === 'key')?.[1];
    const [[, keys = ''] = []] = volumesOf(key ?? {});
    for (const [, service] of servers) {
      const command = wordsAt(service, 'command');
      expect(command).toContain(`--log=kafka://${addresses}/everwatch`);
      const paths = volumesOf(service).map(([, path]) => path);
      expect(command).toContain(`--data-dir=${paths[0] ?? ''}`);
      expect(paths).toContain(keys);
      expect(command).toContain(`--key-file=${keys}/key`);
    }
    expect(wordsAt(key, 'command')[0]).toContain(`> ${keys}/key`);
  });

  it('are reached from this machine only, each on a port of its own', () => {
    const ports = servers.flatMap(([, service]) => wordsAt(service, 'ports'));
    expect(ports).toEqual(['127.0.0.1:6443:6443', '127.0.0.1:6444:6443']);
  });
});
