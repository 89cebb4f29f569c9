export interface TileData {
  name: string;
  value: string;
  note?: string | undefined;
}

/** Figures that a page begins with. */
export function Tiles({ tiles }: { tiles: readonly TileData[] }) {
  return (
    <dl
      class="tiles"
      style={{ '--columns': tiles.length > 6 ? Math.ceil(tiles.length / 2) : tiles.length }}
    >
      {tiles.map(({ name, value, note }) => (
        <div key={name} class="card tile">
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note && <dd>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
