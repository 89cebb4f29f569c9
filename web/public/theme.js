// Before the first paint, so that a chosen theme does not flash; the rest is in src/lib/theme.ts.
try {
  const chosen = localStorage.getItem('palate.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden: the system's theme is used.
}
