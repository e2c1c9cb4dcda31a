/** The containers of a pod: how each is, and what leads to its log, a terminal in it and its ports. */
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { ageText, moodOf } from '../../parts/format.ts';
import { shownMs } from '../../state/clock.ts';
import { linkTo, pageLocation, type ObjectName } from '../../state/page-location.ts';
import { may } from '../../state/rights.ts';
import { portForwardCommand } from '../../time/commands.ts';
import { containersOf, type ShownContainer } from './containers.ts';

interface ContainersProps {
  readonly of: ObjectName;
  readonly pod: Pod;
}

const LOG = { group: '', resource: 'pods/log' };
const EXEC = { group: '', resource: 'pods/exec' };

export function Containers({ of, pod }: ContainersProps) {
  const containers = containersOf(pod);
  const { at, fork } = pageLocation.value;
  const hasNode = at === '' && fork === '';
  return (
    <article class="part first">
      <h3>Containers</h3>
      <div class="scrolls">
        <table class="containers">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col">Restarts</th>
              <th scope="col">Image</th>
              <th scope="col">Requests</th>
              <th scope="col">Limits</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {containers.map((one) => (
              <Row key={one.name} of={of} one={one} hasNode={hasNode} />
            ))}
          </tbody>
        </table>
      </div>
      {hasNode && <Ports of={of} containers={containers} />}
    </article>
  );
}

interface RowProps {
  readonly of: ObjectName;
  readonly one: ShownContainer;
  readonly hasNode: boolean;
}

function Row({ of, one, hasNode }: RowProps) {
  const { name, sort, image, state, since, isReady, restarts, previous, requests, limits } = one;
  const ms = Date.parse(since);
  const mood = state === 'Running' && !isReady ? 'busy' : moodOf(state.split(',', 1)[0] ?? '');
  const link = (tab: string): string =>
    linkTo({ view: { name: 'object', of }, query: { tab, container: name } });
  return (
    <tr>
      <td>
        {name} {sort !== 'main' && <span class="dim">{sort}</span>}
      </td>
      <td>
        <span class={`dot ${mood}`} aria-hidden="true" />
        {state === '' ? '–' : state}
        {state === 'Running' && !isReady && ', not ready'}
        {!Number.isNaN(ms) && <span class="dim"> for {ageText(ms, shownMs.value)}</span>}
      </td>
      <td>
        {String(restarts)}
        {previous !== '' && <span class="dim"> last: {previous}</span>}
      </td>
      <td class="mono" title={image}>
        {image}
      </td>
      <td>{requests === '' ? '–' : requests}</td>
      <td>{limits === '' ? '–' : limits}</td>
      <td class="right ways">
        {hasNode && may('get', LOG) && (
          <a href={link('logs')} aria-label={`Logs of ${name}`}>
            Logs
          </a>
        )}
        {hasNode && may('create', EXEC) && (
          <a href={link('terminal')} aria-label={`Terminal in ${name}`}>
            Terminal
          </a>
        )}
      </td>
    </tr>
  );
}

interface PortsProps {
  readonly of: ObjectName;
  readonly containers: readonly ShownContainer[];
}

const PORTS = { group: '', resource: 'pods/portforward' };

/** Browsers open no ports, so the command that does is shown. */
function Ports({ of: { namespace, name }, containers }: PortsProps) {
  const ports = containers.flatMap(({ ports: declared }) =>
    declared.filter(({ protocol }) => protocol === 'TCP'),
  );
  if (ports.length === 0 || !may('create', PORTS)) return null;
  return (
    <CopyCommand
      label="Reach its ports from this machine"
      command={portForwardCommand(
        { namespace, target: `pod/${name}` },
        ports.map(({ port }) => port),
      )}
    />
  );
}
