// Rows of a list glide to their new places: first, last, invert, play.
import { useLayoutEffect, useRef } from 'preact/hooks';

/** For a list whose rows carry `data-key`. `order` says when places may have changed. */
export function useGlide(order: string) {
  const list = useRef<HTMLOListElement>(null);
  const places = useRef(new Map<string, number>());

  useLayoutEffect(() => {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const rows = [...(list.current?.children ?? [])] as HTMLElement[];
    const top = list.current?.offsetTop ?? 0;
    const now = new Map<string, number>();
    for (const row of rows) {
      const key = row.dataset['key'] ?? '';
      const place = row.offsetTop - top;
      const before = places.current.get(key);
      now.set(key, place);
      if (calm || places.current.size === 0 || before === place) continue;
      const from =
        before === undefined
          ? { opacity: 0, transform: 'translateY(12px)' }
          : { transform: `translateY(${before - place}px)` };
      row.animate([from, { opacity: 1, transform: 'none' }], {
        duration: 320,
        easing: 'cubic-bezier(.2,.8,.2,1)',
      });
    }
    places.current = now;
  }, [order]);

  return list;
}
