import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { href, pages, type Page, type Route } from '../lib/router';
import { chosenTheme, setTheme, type Theme } from '../lib/theme';

const names: Record<Page, string> = {
  recommend: 'Recommend',
  why: 'Why',
  people: 'People',
  items: 'Items',
  data: 'Data',
  upload: 'Upload a file',
  model: 'Model',
  quality: 'Quality',
  dials: 'Dials',
  service: 'Service',
  admin: 'Admin',
  docs: 'API',
};

/** Pages that others lead to; while they are shown, those are lit. */
const below: Partial<Record<Page, Page>> = { upload: 'data' };

const isSubject = (name: string) => name === 'user' || name === 'new' || name.startsWith('w.');

/** Whom a list is for, and the weights, stay the same from page to page. */
function subjectOf(params: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...params].filter(([name]) => isSubject(name)));
}

function useSubject(route: Route): URLSearchParams {
  const kept = useRef(new URLSearchParams());
  if (route.page === 'recommend' || route.page === 'why') kept.current = subjectOf(route.params);
  return kept.current;
}

export function Layout({ route, children }: { route: Route; children: ComponentChildren }) {
  const subject = useSubject(route);
  const main = useRef<HTMLElement>(null);
  const tabs = useRef<HTMLElement>(null);
  const lit = below[route.page] ?? route.page;
  useEffect(() => {
    const tab = tabs.current?.querySelector<HTMLElement>('[aria-current]');
    const row = tabs.current;
    // On a phone the row of tabs scrolls, and the page's own has to be in sight.
    if (tab && row) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  }, [lit]);
  useEffect(() => {
    document.title = `${names[route.page]} · Palate`;
  }, [route.page]);
  const toMain = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        To the content
      </a>
      <header class="top">
        <div class="top-inner">
          <a class="brand" href={href('recommend', subject)}>
            <img src="./favicon.svg" alt="" />
            Palate
          </a>
          <nav class="tabs" aria-label="Pages" ref={tabs}>
            {pages
              .filter((page) => !below[page])
              .map((page) => (
                <a
                  key={page}
                  href={href(page, page === 'recommend' || page === 'why' ? subject : {})}
                  aria-current={lit === page ? 'page' : undefined}
                >
                  {names[page]}
                </a>
              ))}
          </nav>
          <div class="top-tools">
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main class="page" id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
    </>
  );
}

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const themeNames: Record<Theme, string> = { system: 'as the system', light: 'light', dark: 'dark' };

function ThemeSwitch() {
  const [theme, set] = useState(chosenTheme);
  const change = () => {
    setTheme(next[theme]);
    set(next[theme]);
  };
  const label = `Colours: ${themeNames[theme]}. Change to ${themeNames[next[theme]]}`;
  return (
    <button class="icon-button" type="button" onClick={change} aria-label={label} title={label}>
      <svg
        width="20"
        height="20"
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        aria-hidden="true"
      >
        {theme === 'light' && (
          <g stroke-width="1.6" stroke-linecap="round">
            <circle cx="10" cy="10" r="3.4" />
            <path d="M10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4" />
          </g>
        )}
        {theme === 'dark' && (
          <path
            d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7z"
            stroke-width="1.6"
            stroke-linejoin="round"
          />
        )}
        {theme === 'system' && (
          <g stroke-width="1.6">
            <circle cx="10" cy="10" r="7" />
            <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" stroke="none" />
          </g>
        )}
      </svg>
    </button>
  );
}

export function PageHead({
  title,
  children,
  tools,
}: {
  title: string;
  children?: ComponentChildren;
  tools?: ComponentChildren;
}) {
  return (
    <div class="page-head">
      <div>
        <h1 class="breakable">{title}</h1>
        {children && <p>{children}</p>}
      </div>
      {tools}
    </div>
  );
}
