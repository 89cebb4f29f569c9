// Light, dark, or whatever the system says. public/theme.js applies a choice before the first paint.
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'system' | 'light' | 'dark';
const key = 'palate.theme';
const changed = 'palate-theme';

export function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  window.dispatchEvent(new Event(changed));
}

export function isDark(): boolean {
  const theme = chosenTheme();
  return (
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  );
}

/** Renders again when the colours change; charts on a canvas cannot follow style sheets. */
export function useDark(): boolean {
  const [dark, setDark] = useState(isDark);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const update = () => setDark(isDark());
    media.addEventListener('change', update);
    window.addEventListener(changed, update);
    return () => {
      media.removeEventListener('change', update);
      window.removeEventListener(changed, update);
    };
  }, []);
  return dark;
}
