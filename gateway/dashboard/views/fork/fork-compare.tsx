/** A fork and the control plane that it is of, side by side: what differs, and how a change goes back. */
import { useSignal } from '@preact/signals';
import { map } from 'rxjs';
import { ageText, countText } from '../../parts/format.ts';
import { currentMs } from '../../state/clock.ts';
import { findKind } from '../../state/discovery.ts';
import { gathered, useLive, type Taken } from '../../state/live.ts';
import { linkTo } from '../../state/page-location.ts';
import { forkedObjects, type ForkedObject, type SideChange } from './fork-changes.ts';
import { ForkObject } from './fork-object.tsx';

const FORKS = '/apis/dev.everwatch/v1alpha1/forks';
const CHANGES_MAX = 5_000;

export function ForkCompare({ fork }: { readonly fork: string }) {
  const forks = useLive(`${FORKS} ${fork}`, (live) =>
    live.list$(FORKS, { fieldSelector: `metadata.name=${fork}` }),
  );
  const found = forks.value.value?.[0];
  const base = found?.spec.revision;
  return (
    <section class="page compare">
      <header>
        <div>
          <p class="way">
            <a href={linkTo({ view: { name: 'forks' } })}>Forks</a>
          </p>
          <h2 id="title">{fork} beside now</h2>
        </div>
        <div class="tools">
          <a class="button" href={linkTo({ fork, at: '', view: { name: 'overview' } })}>
            Enter the fork
          </a>
        </div>
      </header>
      {forks.problem.value !== '' && <p class="problem">{forks.problem.value}</p>}
      {forks.value.value !== undefined && found === undefined && (
        <p class="nothing">There is no fork of this name.</p>
      )}
      {base !== undefined && <Both fork={fork} base={Number(base)} />}
    </section>
  );
}

function useChanges(prefix: string, base: number): Taken<readonly SideChange[]> {
  const path = `${prefix}/everwatch/v1/changes?from=${String(base + 1)}&follow=true`;
  return useLive(path, (live) => {
    // The path says that these are changes.
    const changes = live.lines$(path).pipe(map((line) => line as typeof line & SideChange));
    return changes.pipe(gathered<SideChange>(CHANGES_MAX));
  });
}

interface BothProps {
  readonly fork: string;
  /** Where the fork began. */
  readonly base: number;
}

function Both({ fork, base }: BothProps) {
  const inFork = useChanges(`/forks/${encodeURIComponent(fork)}`, base);
  const outside = useChanges('', base);
  const showsAll = useSignal(false);
  const open = useSignal('');
  const all = forkedObjects(inFork.value.value ?? [], outside.value.value ?? []);
  const own = all.filter((one) => one.inFork !== undefined);
  const shown = showsAll.value ? all : own;
  const chosen = all.find(({ key }) => key === open.value);
  const problem = inFork.problem.value || outside.problem.value;
  return (
    <>
      {problem !== '' && <p class="problem">{problem}</p>}
      <div class="tools left">
        <span class="dim">
          {`Since version ${String(base)}: ${countText(own.length)} changed in the fork`}
        </span>
        <label class="check">
          <input
            type="checkbox"
            checked={showsAll.value}
            onChange={(event) => (showsAll.value = event.currentTarget.checked)}
          />
          {`and ${countText(all.length - own.length)} only outside of it`}
        </label>
      </div>
      {shown.length === 0 && problem === '' && (
        <p class="nothing">Nothing was changed in the fork yet.</p>
      )}
      {shown.length > 0 && (
        <Objects shown={shown} open={open.value} onOpen={(key) => (open.value = key)} />
      )}
      {chosen !== undefined && (
        <ForkObject
          key={`${chosen.key} ${String(chosen.inFork?.resourceVersion)}`}
          fork={fork}
          of={chosen}
        />
      )}
    </>
  );
}

interface ObjectsProps {
  readonly shown: readonly ForkedObject[];
  readonly open: string;
  readonly onOpen: (key: string) => void;
}

const SHOWN_MAX = 300;

function Objects({ shown, open, onOpen }: ObjectsProps) {
  return (
    <div class="grid short sides" role="region" aria-label="What differs" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">Object</th>
            <th scope="col">In the fork</th>
            <th scope="col">Outside</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, SHOWN_MAX).map((one) => (
            <tr key={one.key} class={one.key === open ? 'chosen' : ''}>
              <td>{kindOf(one)}</td>
              <td>{one.namespace === '' ? one.name : `${one.namespace}/${one.name}`}</td>
              <td>
                <Side change={one.inFork} />
              </td>
              <td>
                <Side change={one.outside} />
              </td>
              <td class="right">
                <button
                  type="button"
                  class="plain"
                  aria-expanded={one.key === open}
                  aria-label={`${one.key === open ? 'Close' : 'Compare'} ${one.name}`}
                  onClick={() => onOpen(one.key === open ? '' : one.key)}
                >
                  {one.key === open ? 'Close' : 'Compare'}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function kindOf({ resource }: ForkedObject): string {
  const [group = '', plural = ''] = resource.split('/', 2);
  return findKind({ group: group === 'core' ? '' : group, resource: plural })?.kind ?? plural;
}

function Side({ change }: { readonly change: SideChange | undefined }) {
  if (change === undefined) return <span class="dim">as it was</span>;
  const { type, user, time } = change;
  const mood = type === 'added' ? 'good' : type === 'deleted' ? 'bad' : 'busy';
  return (
    <>
      <span class={`dot ${mood}`} aria-hidden="true" />
      {type} <span class="dim">{`by ${user}, ${ageText(Date.parse(time), currentMs())} ago`}</span>
    </>
  );
}
