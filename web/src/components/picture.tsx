import { useState } from 'preact/hooks';
import type { Item } from '../api';
import { pictureOf } from '../lib/picture';

/** What an item looks like, if it says so and the picture can be had. Its title stands beside it. */
export function Picture({ item, size }: { item: Item; size: 'small' | 'large' }) {
  const url = pictureOf(item.attributes);
  const [broken, setBroken] = useState<string | undefined>();
  if (url === undefined || url === broken) return null;
  return (
    <img
      class={`picture ${size}`}
      src={url}
      alt=""
      loading="lazy"
      decoding="async"
      referrerpolicy="no-referrer"
      onError={() => setBroken(url)}
    />
  );
}
