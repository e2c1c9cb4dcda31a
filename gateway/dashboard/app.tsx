/** The frame of the page: what leads to the views, the view, and time under it. */
import { useEffect } from 'preact/hooks';
import { handleKey } from './parts/keys.ts';
import { loadedView } from './parts/loaded-view.tsx';
import { Banner, Dialogs } from './parts/notices.tsx';
import { pageLocation } from './state/page-location.ts';
import { awaited, user } from './state/session.ts';
import { TimeBar } from './time/time-bar.tsx';
import { Login, LoginDialog } from './views/login.tsx';
import { Navigation } from './views/navigation.tsx';
import { ObjectView } from './views/object-view.tsx';
import { Overview } from './views/overview.tsx';
import { Resources } from './views/resources.tsx';

const ForksView = loadedView(async () => (await import('./views/forks-view.tsx')).ForksView);
const ForkCompare = loadedView(
  async () => (await import('./views/fork/fork-compare.tsx')).ForkCompare,
);

export function App() {
  useEffect(() => {
    document.addEventListener('keydown', handleKey);
    return () => {
      document.removeEventListener('keydown', handleKey);
    };
  }, []);
  if (user.value === undefined) return <p class="waiting">Connecting…</p>;
  const name = user.value || awaited.value;
  if (name === '') return <Login />;
  return (
    <>
      <Frame key={name} />
      {user.value === '' && <LoginDialog />}
    </>
  );
}

/** What a user has open, and nothing of another one's. */
function Frame() {
  const { at, fork } = pageLocation.value;
  return (
    <div
      class={`frame${at === '' ? '' : ' past'}${fork === '' ? '' : ' forked'}`}
      inert={user.value === ''}
    >
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <Banner />
        <Shown />
      </main>
      <TimeBar />
      <Dialogs />
    </div>
  );
}

/** The fragment is the location, so the link moves the focus only. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function Shown() {
  const { view } = pageLocation.value;
  switch (view.name) {
    case 'overview':
      return <Overview />;
    case 'forks':
      return <ForksView />;
    case 'compare':
      return <ForkCompare fork={view.fork} />;
    case 'resources':
      return <Resources of={view.of} />;
    case 'object':
      return <ObjectView of={view.of} />;
  }
}
