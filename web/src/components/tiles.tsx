export interface TileData {
  name: string;
  value: string;
  note?: string | undefined;
}

/** Figures that a page begins with. */
export function Tiles({ tiles }: { tiles: readonly TileData[] }) {
  return (
    <dl class="tiles">
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
